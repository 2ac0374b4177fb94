"""A visitor who speaks Streamlit's own protocol over its websocket, without a browser.

It opens a page, moves a slider, presses a button, and does what the page's own script does when a
fragment is to be run again every so often. Nothing is drawn, so many fit into one process.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 600.0


@dataclass
class Visitor:
    """One session. `texts` are what the page says, the latest last."""

    port: int
    page: str
    widgets: dict[str, tuple[str, str]] = field(default_factory=dict)
    texts: list[tuple[float, str]] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    failed: str | None = None
    _hash: str = ""
    _socket: Any = None
    _tasks: list["asyncio.Task[None]"] = field(default_factory=list)
    _again: dict[str, "asyncio.Task[None]"] = field(default_factory=dict)

    async def open(self) -> float:
        """Open the page -> seconds until all of it is there."""
        self._socket = await websockets.connect(
            f"ws://127.0.0.1:{self.port}/_stcore/stream", subprotocols=["streamlit"], max_size=None
        )
        self._tasks.append(asyncio.create_task(self._listen()))
        return await self.run()

    async def go(self, page: str) -> float:
        """Follow a link to another page -> seconds until it is drawn."""
        self.page, self._hash = page, ""
        return await self.run()

    async def close(self) -> None:
        """Leave, as by closing the tab."""
        for task in (*self._tasks, *self._again.values()):
            task.cancel()
        if self._socket is not None:
            await self._socket.close()

    async def run(self, **changes: Any) -> float:
        """Change widgets (by label; True presses a button) -> seconds until the page is drawn."""
        for task in self._again.values():
            task.cancel()  # a run of the whole page makes its fragments anew
        self._again.clear()
        self.done.clear()
        began = time.perf_counter()
        await self._send("", changes)
        await asyncio.wait_for(self.done.wait(), PATIENCE)
        return time.perf_counter() - began

    async def wait_for(self, text: str, since: float) -> float:
        """Wait until the page says something -> when it did."""
        deadline = time.perf_counter() + PATIENCE
        while time.perf_counter() < deadline:
            for at, said in reversed(self.texts):
                if at >= since and text in said:
                    return at
            await asyncio.sleep(0.02)
        raise TimeoutError(f"waited for {text!r}; the page says {self.texts[-5:]}")

    async def _send(self, fragment: str, changes: dict[str, Any], auto: bool = False) -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.fragment_id = "", fragment
        # A browser names a page by its address at first, and by the server's name for it then on.
        rerun.page_name, rerun.page_script_hash = (
            ("", self._hash) if self._hash else (self.page, "")
        )
        rerun.is_auto_rerun = auto
        for label, value in changes.items():
            kind, widget_id = self.widgets[label]
            state = rerun.widget_states.widgets.add()
            state.id = widget_id
            if kind == "slider":
                state.double_array_value.data.append(value)
            elif kind == "text":
                state.string_value = value
            else:
                state.trigger_value = True
        await self._socket.send(message.SerializeToString())

    async def _listen(self) -> None:
        async for raw in self._socket:
            message = ForwardMsg()
            message.ParseFromString(raw)
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._element(message.delta.new_element)
            elif kind == "auto_rerun":
                self._repeat(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            elif kind == "navigation":
                self._hash = message.navigation.page_script_hash
            elif kind == "script_finished":
                self.done.set()

    def _element(self, element: Any) -> None:
        kind, now = element.WhichOneof("type"), time.perf_counter()
        if kind == "slider":
            self.widgets[element.slider.label] = ("slider", element.slider.id)
        elif kind == "button":
            self.widgets[element.button.label] = ("button", element.button.id)
        elif kind == "text_area":
            self.widgets[element.text_area.label] = ("text", element.text_area.id)
        elif kind == "progress":
            self.texts.append((now, element.progress.text))
        elif kind == "markdown":
            self.texts.append((now, element.markdown.body))
        elif kind == "exception":
            self.failed = f"{element.exception.type}: {element.exception.message}"
        del self.texts[:-400]

    def _repeat(self, fragment: str, seconds: float) -> None:
        async def again() -> None:
            while True:
                await asyncio.sleep(seconds)
                await self._send(fragment, {}, auto=True)

        if fragment not in self._again:
            self._again[fragment] = asyncio.create_task(again())
