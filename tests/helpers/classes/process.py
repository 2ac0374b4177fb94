"""The class's routes as a server of their own: python -m uvicorn class_process:app."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from class_server import class_app
from classroom.ending import on_signal
from classroom.routes import ClassRoutes
from classroom.service import classes
from starlette.applications import Starlette

routes = ClassRoutes(classes)
app = class_app(routes)


@asynccontextmanager
async def lifespan(_: Starlette) -> AsyncIterator[None]:
    with on_signal(routes.close):
        yield


app.router.lifespan_context = lifespan
