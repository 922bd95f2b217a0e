"""For whom of other users an allocation leaves"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("allocations", sa.Column("leaving_to", sa.String(200), nullable=True))
