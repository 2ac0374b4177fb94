"""What "Rounding or bug?" finds, as a record, and the verdict."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from engines.rounding.scores import Precision
from speculation.trace import Piece

Verdict = Literal[
    "identical", "near-tie", "doubtful", "not-rounding", "later", "cut", "past-end", "not-greedy"
]

FAR = 3.0  # times the reach: for a token further behind, no rounding is to blame
MANY = 0.1  # a text with more tokens than this far behind was not decoded greedily


class Side(BaseModel):
    """One of the two texts.

    tokens   how many it has
    token    its token at the difference; of a text that ended, the target's end token
    ended    whether the text is over there
    behind   how far the token's logit lies below the largest one, in the engines' precision
    far      places, from 0, whose token lies more than FAR times the reach behind
    far_off  the first such token
    written  whether it was given as token ids; a text is split by the target's tokenizer
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tokens: int
    token: int | None = None
    piece: Piece = ""
    ended: bool = False
    behind: float = 0.0
    far: list[int] = []
    far_off: Piece = ""
    written: bool = False


class Candidate(BaseModel):
    """One token at the difference: its logit read plainly, in blocks (lowest, highest), and in
    float32."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: int
    piece: Piece
    plain: float
    low: float
    high: float
    float32: float


class Rounding(BaseModel):
    """What was found; numbers in logits.

    common    tokens before the difference
    context   the end of the text before the difference, as pieces
    gap       the logit of the first text's token less that of the second's, read plainly
    gap_here  the largest change of this very gap between plain and blocks
    gap32     the gap in float32
    spacing   of the precision at these logits
    moved     the largest change of a gap between two likeliest tokens, over `rows` rows
    reach     what rounding can do to a gap
    flips     of the k + 1 places in a block, those at which another token comes out likeliest
    computed  whether this machine could compute in the precision; if not, the logits are float32's
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    verdict: Verdict
    precision: Precision
    k: int
    common: int
    one: Side
    two: Side
    context: list[Piece] = []
    gap: float = 0.0
    gap_here: float = 0.0
    gap32: float = 0.0
    spacing: float = 0.0
    moved: float = 0.0
    rows: int = 0
    reach: float = 0.0
    flips: int = 0
    best: int | None = None
    candidates: list[Candidate] = []
    computed: bool = True
    notes: list[str] = []
    model: str = ""
    digest: str = ""
    machine: str = ""

    @property
    def times(self) -> float:
        """How many times the reach the token that lies further back is behind."""
        return max(self.one.behind, self.two.behind) / self.reach if self.reach else 0.0


def judge(one: Side, two: Side, common: int, reach: float) -> Verdict:
    """The verdict, from how far each text's tokens lie behind the target's choice.

    >>> judge(Side(tokens=9, behind=0.0), Side(tokens=9, behind=0.1), 4, reach=0.2)
    'near-tie'
    >>> judge(Side(tokens=9, behind=0.0), Side(tokens=9, behind=2.0), 4, reach=0.2)
    'not-rounding'
    """
    before = [sum(place < common for place in side.far) for side in (one, two)]
    everywhere = [len(side.far) > max(2, MANY * side.tokens) for side in (one, two)]
    if max(before) > max(1, MANY * common) or all(everywhere):
        return "not-greedy"
    for short, long in ((one, two), (two, one)):
        if short.ended and long.behind <= reach < short.behind:
            return "cut"
    worst = max(one.behind, two.behind)
    if worst > FAR * reach:
        return "not-rounding"
    if worst > reach:
        return "doubtful"
    return (
        "later" if any(place > common for side in (one, two) for place in side.far) else "near-tie"
    )
