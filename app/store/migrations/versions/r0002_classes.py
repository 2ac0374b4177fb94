"""Classes, their members, rounds and votes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def _class() -> sa.ForeignKey:
    return sa.ForeignKey("classes.code", ondelete="CASCADE")


def upgrade() -> None:
    """Forward."""
    op.create_table(
        "classes",
        sa.Column("code", sa.String(6), primary_key=True),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("ends_at", sa.DateTime(), nullable=False),
        sa.Column("ended_at", sa.DateTime(), nullable=True),
        sa.Column("plan", sa.LargeBinary(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
    )
    op.create_table(
        "class_members",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("code", sa.String(6), _class(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("nickname", sa.String(24), nullable=True),
        sa.Column("learner_id", sa.String(64), nullable=True),
        sa.Column("joined_at", sa.DateTime(), nullable=False),
        sa.UniqueConstraint("code", "key_hash"),
        sa.UniqueConstraint("code", "number"),
    )
    op.create_table(
        "class_rounds",
        sa.Column("code", sa.String(6), _class(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("item", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("correct", sa.String(60), nullable=False),
        sa.Column("opened_at", sa.DateTime(), nullable=False),
        sa.Column("closed_at", sa.DateTime(), nullable=True),
        sa.Column("revealed_at", sa.DateTime(), nullable=True),
    )
    op.create_table(
        "class_votes",
        sa.Column(
            "member_id",
            sa.Integer(),
            sa.ForeignKey("class_members.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("code", sa.String(6), _class(), nullable=False),
        sa.Column("answer", sa.String(60), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
    )
    op.create_index("ix_class_votes_round", "class_votes", ["code", "number", "answer"])
    op.create_table(
        "class_presence",
        sa.Column("code", sa.String(6), _class(), primary_key=True),
        sa.Column("process", sa.String(32), primary_key=True),
        sa.Column("here", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
    )


def downgrade() -> None:
    """Back."""
    for table in ("class_presence", "class_votes", "class_rounds", "class_members", "classes"):
        op.drop_table(table)
