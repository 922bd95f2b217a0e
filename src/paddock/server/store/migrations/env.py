"""Alembic runs this with the connection that Database.migrate() gives it."""

from alembic import context

from paddock.server.store.tables import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
