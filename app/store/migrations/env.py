"""Run by Alembic, on the connection that `store.migrate` gives it, in that one's transaction."""

from alembic import context

from store.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,  # sqlite changes a table by making it anew
)
context.run_migrations()
