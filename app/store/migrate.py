"""Bring a database to the tables of this version of the app, by Alembic's migrations.

A database that is up to date is recognized by one query. One from before there were migrations
has the learners' tables and no version: it is taken for revision 1.
"""

import threading
from pathlib import Path

from sqlalchemy import Connection, inspect, text

FOLDER = Path(__file__).with_name("migrations")
HEAD = "0002"
BEFORE_MIGRATIONS = "0001"
_LOCK = 7_263_514_906  # any number: processes that start together take turns
_one_at_a_time = threading.Lock()  # Alembic keeps what it works on in a module of its own


class NewerVersion(Exception):
    """The database was written by a version of the app with other tables."""


def migrate(connection: Connection) -> None:
    """Make or change the tables, inside the connection's transaction. Raises NewerVersion."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    tables = set(inspect(connection).get_table_names())
    now = None
    if "alembic_version" in tables:
        now = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if now == HEAD:
        return
    if now is not None and not list(FOLDER.glob(f"versions/r{now}_*.py")):
        raise NewerVersion(f"written by another version of the app (revision {str(now)[:40]})")
    _upgrade(connection, stamp=now is None and "learners" in tables)


def _upgrade(connection: Connection, stamp: bool) -> None:
    from alembic import command  # takes a while to import, and is seldom needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _one_at_a_time:
        if stamp:
            command.stamp(config, BEFORE_MIGRATIONS)
        command.upgrade(config, HEAD)
