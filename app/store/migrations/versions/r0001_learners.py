"""Learners, their answers and their progress."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "learners",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("resume_code", sa.String(16), nullable=False, unique=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
    )
    op.create_table(
        "answers",
        sa.Column(
            "learner_id",
            sa.String(64),
            sa.ForeignKey("learners.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("quiz_id", sa.String(60), primary_key=True),
        sa.Column("lesson", sa.String(60), nullable=False),
        sa.Column("first_answer", sa.String(200), nullable=False),
        sa.Column("first_correct", sa.Boolean(), nullable=True),
        sa.Column("first_at", sa.DateTime(), nullable=False),
        sa.Column("final_answer", sa.String(200), nullable=False),
        sa.Column("final_correct", sa.Boolean(), nullable=True),
        sa.Column("final_at", sa.DateTime(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
    )
    op.create_table(
        "progress",
        sa.Column(
            "learner_id",
            sa.String(64),
            sa.ForeignKey("learners.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("lesson", sa.String(60), primary_key=True),
        sa.Column("furthest", sa.Integer(), nullable=False),
        sa.Column("opened_at", sa.DateTime(), nullable=False),
        sa.Column("done_at", sa.DateTime(), nullable=True),
    )


def downgrade() -> None:
    """Back."""
    for table in ("progress", "answers", "learners"):
        op.drop_table(table)
