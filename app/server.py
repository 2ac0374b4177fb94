"""The ASGI entry: `streamlit run app/server.py`.

Loads the models after the first page, gives each browser its learner id, serves the class, and
answers /healthz.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from classroom.ending import on_signal
from classroom.service import classes
from classroom.web.routes import ClassRoutes
from front_page import FrontPage
from jobs.warming import warm_up
from jobs.worker import worker
from recordings.presets import presets
from store.identity import LearnerCookie, identity_routes
from store.learners import store

class_routes = ClassRoutes(classes)


def load() -> None:
    """The default pair, and the lessons' statistics."""
    worker().warm(presets()[0].settings)
    import_module("screens.lesson")


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """The first page is there at once, on a recorded run; what takes seconds is loaded after it."""
    import_module("pandas")  # Streamlit does so late, and two first visitors would race for it
    warm_up().start(load)
    with on_signal(class_routes.close):
        yield


async def healthz(_: Request) -> JSONResponse:
    """Whether the server is up, and whether it can run models."""
    why = worker().unavailable()
    state = "recorded only" if why else "live" if worker().ready.is_set() else "warming up"
    return JSONResponse({"status": "ok", "models": state})


app = st.App(
    "main.py",
    lifespan=lifespan,
    routes=[Route("/healthz", healthz), *identity_routes(store), *class_routes.routes()],
    middleware=[Middleware(LearnerCookie), Middleware(FrontPage)],
)
