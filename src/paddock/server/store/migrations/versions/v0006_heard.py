"""When the journals of an allocation last grew"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("allocations", sa.Column("heard_at", sa.Float(53), nullable=True))
