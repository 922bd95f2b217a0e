"""Notes on tasks"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("note", sa.Text(), nullable=True))
