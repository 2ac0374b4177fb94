"""Forward passes that need not be made twice.

When a person moves the temperature, the models read the same tokens again up to the first place
where the new run takes another token. Their logits there are the same, so the store keeps them:
only the laws change, and those are cheap.

Two things make this honest.

A pass is known by the chain of passes that led to it (a hash of the previous key, how far the
cache was cut back, the tokens fed, the rows asked for), not by its text alone: in floating point,
logits depend on the shape of the pass that made them and of those before it. So a run has the
same bytes whatever the store held before, and moving k, which changes the shapes, streams anew.

And when a run leaves the known chain, its cache must be what it would have been. A finished run
leaves its context behind; a later one takes a copy cut back to where the two part, and makes the
passes after that itself.
"""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from speculation.models.language_model import Context, LanguageModel, Logits


@dataclass(frozen=True)
class Pass:
    """One step of a chain: cut back to `crop`, then feed `tokens` and ask for `rows`."""

    key: bytes
    crop: int
    tokens: tuple[int, ...]
    rows: int

    @property
    def length(self) -> int:
        """How many tokens have been read after it."""
        return self.crop + len(self.tokens)


@dataclass(frozen=True)
class Snapshot:
    """A context that a run left behind, and the chain of passes that filled it."""

    chain: tuple[Pass, ...]
    places: dict[bytes, int]  # key -> index in the chain
    context: Context

    def reach(self, place: int) -> int:
        """How much of what was read after `place` passes of the chain is still in the context."""
        later = [step.crop for step in self.chain[place + 1 :]]
        return min([self.chain[place].length, self.context.length, *later])


class PassStore:
    """Logits and contexts of earlier runs, bounded in bytes; the longest unused go first."""

    def __init__(self, max_bytes: int = 1 << 30) -> None:
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._logits: OrderedDict[bytes, Logits] = OrderedDict()
        self._snapshots: OrderedDict[bytes, Snapshot] = OrderedDict()
        self._with_pass: dict[bytes, dict[bytes, None]] = {}
        """The snapshots that hold a pass, oldest first: thousands of texts may have left theirs."""

    def get(self, key: bytes) -> Logits | None:
        """The logits of a pass, or None if it must be made."""
        found = self._logits.get(key)
        if found is not None:
            self._logits.move_to_end(key)
        return found

    def put(self, key: bytes, logits: Logits) -> None:
        """Keep the logits of a pass that was just made."""
        if key not in self._logits:
            self._logits[key] = logits
            self.nbytes += logits.nbytes
            self._evict()

    def keep(self, chain: Sequence[Pass], context: Context) -> None:
        """Keep the context of a run that has ended; it must not be touched afterwards."""
        if not chain or chain[-1].key in self._snapshots:
            return
        places = {step.key: i for i, step in enumerate(chain)}
        name = chain[-1].key
        self._snapshots[name] = Snapshot(tuple(chain), places, context)
        for key in places:
            self._with_pass.setdefault(key, {})[name] = None
        self.nbytes += context.nbytes
        self._evict()

    def context_for(self, chain: Sequence[Pass]) -> tuple[Context | None, int]:
        """The best copy to start from: a context and how many passes of `chain` it has read."""
        for i in range(len(chain) - 1, -1, -1):
            # What comes next cuts back to here; the copy must still hold that much.
            needed = chain[i + 1].crop if i + 1 < len(chain) else chain[i].length
            for name in self._with_pass.get(chain[i].key, ()):
                snapshot = self._snapshots[name]
                if needed <= snapshot.reach(snapshot.places[chain[i].key]):
                    self._snapshots.move_to_end(name)
                    copy = snapshot.context.copy()
                    copy.crop(needed)
                    return copy, i + 1
        return None, 0

    def absorb(self, other: "PassStore") -> None:
        """Take over what another store holds; it must not be used afterwards."""
        for key, logits in other._logits.items():
            self.put(key, logits)
        for snapshot in other._snapshots.values():
            self.keep(snapshot.chain, snapshot.context)

    def _evict(self) -> None:
        """Drop the oldest logits, then the oldest contexts, until the bound holds."""
        while self.nbytes > self.max_bytes and self._logits:
            self.nbytes -= self._logits.popitem(last=False)[1].nbytes
        while self.nbytes > self.max_bytes and self._snapshots:
            name, snapshot = self._snapshots.popitem(last=False)
            self.nbytes -= snapshot.context.nbytes
            for key in snapshot.places:
                del self._with_pass[key][name]
                if not self._with_pass[key]:
                    del self._with_pass[key]


class Reader:
    """A model reading one text, pass by pass, making only those passes the store does not hold.

    asked    how many passes were asked for
    calls    how many were made; the two differ when the store had some, or a few were made again
    seconds  the time inside them
    """

    def __init__(self, model: LanguageModel, store: PassStore) -> None:
        self.model = model
        self.length = 0
        self.asked = 0
        self.calls = 0
        self.seconds = 0.0
        self._store = store
        self._chain: list[Pass] = []
        self._context: Context | None = None
        self._read = 0  # how many passes of the chain the context has read

    def extend(self, tokens: Sequence[int], rows: int = 1) -> Logits:
        """Read `tokens` after the current text -> logits after the last `rows` of them."""
        before = self._chain[-1].key if self._chain else self.model.digest.encode()
        address = f"{self.length}|{','.join(map(str, tokens))}|{rows}".encode()
        key = hashlib.sha256(before + b"|" + address).digest()
        step = Pass(key, self.length, tuple(tokens), rows)
        self._chain.append(step)
        self.length = step.length
        self.asked += 1
        logits = self._store.get(key)
        if logits is None:
            logits = self._catch_up()
            self._store.put(key, logits)
        return logits

    def crop(self, length: int) -> None:
        """Forget everything after the first `length` tokens."""
        if not 0 <= length <= self.length:
            raise ValueError(f"cannot crop a text of {self.length} tokens to {length}")
        self.length = length

    def _catch_up(self) -> Logits:
        """Make every pass that the context has not read yet; the last one's logits."""
        if self._context is None or len(self._chain) - self._read > 1:
            copy, done = self._store.context_for(self._chain[:-1])
            if copy is not None and (self._context is None or done > self._read):
                self._context, self._read = copy, done
        if self._context is None:
            self._context = self.model.start()
        for step in self._chain[self._read :]:
            self._context.crop(step.crop)
            began = time.perf_counter()
            logits = self._context.extend(step.tokens, step.rows)
            self.seconds += time.perf_counter() - began
            self.calls += 1
        self._read = len(self._chain)
        return logits

    def leave(self) -> None:
        """End this text: its context goes to the store, for a later run to start from."""
        if self._context is not None:
            self._store.keep(self._chain[: self._read], self._context)
            self._context = None
            self._read = 0
