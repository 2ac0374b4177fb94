"""The class's routes as a server of their own: python -m uvicorn helpers.classes.process:app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette

from classroom.ending import on_signal
from classroom.service import classes
from classroom.web.routes import ClassRoutes
from helpers.classes.server import class_app

routes = ClassRoutes(classes)
app = class_app(routes)


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    with on_signal(routes.close):
        yield


app.router.lifespan_context = lifespan
