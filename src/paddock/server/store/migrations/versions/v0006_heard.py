"""When an allocation was last heard of"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("allocations", sa.Column("heard_at", sa.Float(53), nullable=True))


def downgrade() -> None:
    op.drop_column("allocations", "heard_at")
