"""Jobs that the engine cannot go on with"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("jobs", sa.Column("aside", sa.Text(), nullable=True))
