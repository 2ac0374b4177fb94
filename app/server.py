"""The ASGI entry: `streamlit run app/server.py`. Warms the models, answers /healthz."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from jobs.worker import worker
from presets import presets
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Load the default pair in the background: the page is there at once, on a recorded run."""
    worker().warm(presets()[0].settings)
    yield


async def healthz(_: Request) -> JSONResponse:
    """Whether the server is up, and whether it can run models."""
    why = worker().unavailable()
    state = "recorded only" if why else "live" if worker().ready.is_set() else "warming up"
    return JSONResponse({"status": "ok", "models": state})


app = st.App("main.py", lifespan=lifespan, routes=[Route("/healthz", healthz)])
