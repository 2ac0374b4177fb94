"""The measurement of all drafts: the shape of assets/measurements/drafts.json.

Every number says what it was measured on. The file carries the digest of every weight file it
measured, so that a test can say when weights and numbers part.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from measuring.intervals import Estimate
from speculation.settings import Precision

VERSION: Literal[1] = 1
LONGEST_K = 8
DRAFT_LENGTHS = (1, 2, 4, 8)
TEMPERATURES = (0.0, 0.5, 1.0, 1.5)
TIMED_TEMPERATURES = (0.0, 1.0)
PRECISIONS: tuple[Precision, ...] = ("float32", "bfloat16")
CONTEXTS = (64, 256, 512, 1024)
QUIET = 1.5  # above it, the machine was too busy for its times to be trusted

Share = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
Count = Annotated[int, Field(ge=0)]
RungKind = Literal["layers", "bigram", "lookup", "early exit", "target"]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Rung(Part):
    """One draft. `cost` is c by precision: one draft step over one target step."""

    name: str
    pair: str
    title: str
    kind: RungKind
    megabytes: float
    digest: str
    cost: dict[str, float]


class AlphaCell(Part):
    """Agreement of a rung on one kind of prompt at one temperature, float32, runs at `k`.

    alpha               mean overlap over checked positions, drawn again over prompts
    by_position         the same at each position of the cycle; None where none was checked
    reached             how many positions that is
    """

    rung: str
    kind: str
    temperature: float
    k: int
    alpha: Estimate
    by_position: list[Share | None]
    reached: list[Count]
    accepted: Count
    checked: Count
    drafted: Count


class SpeedCell(Part):
    """What a rung earns on one kind of prompt at one setting, beside plain decoding.

    speedup    tokens/s over plain decoding's, drawn again over cycles
    tokens_per_second, plain_tokens_per_second   the two speeds
    c, v       draft step and block of k + 1 rows, over a target step; None where not drafted
    draft, verify, decide   milliseconds a cycle: in the draft's calls, the target's, and the rest
    drafted, accepted, rejected, unchecked   tokens, over all cycles
    """

    rung: str
    kind: str
    temperature: float
    precision: Precision
    k: int
    speedup: Estimate
    tokens_per_second: Positive
    plain_tokens_per_second: Positive
    tau: Positive
    alpha: Share | None
    c: float | None
    v: Positive | None
    cycles: Count
    draft: float
    verify: float
    decide: float
    drafted: Count
    accepted: Count
    rejected: Count
    unchecked: Count

    @property
    def accepted_of_drafted(self) -> float | None:
        """The rate that engines print."""
        return self.accepted / self.drafted if self.drafted else None


class ContextCell(Part):
    """Alpha at temperature 1 where so many tokens stand before, on texts the target wrote."""

    rung: str
    tokens: int
    alpha: Estimate


class AssistedCell(Part):
    """This decoder's tokens/s over transformers' generate(assistant_model=), the same pair."""

    rung: str
    kind: str
    temperature: float
    precision: Precision
    k: int
    ratio: Estimate
    tokens_per_second: Positive
    assisted_tokens_per_second: Positive


class Meter(Part):
    """Two meters of one way of decoding at temperature 1: time a token, and log p(x) a token."""

    way: Literal["plain", "speculative"]
    rung: str | None
    precision: Precision
    tpot_ms: Estimate
    log_prob: Estimate
    runs: Count
    tokens: Count


class LawChange(Part):
    """Total variation between the target's law and what a setting makes of it, at temperature 1."""

    name: str
    about: str
    tv: Estimate


class Agreement(Part):
    """A rung's one number: alpha at temperature 1 on texts that the target wrote alone, float32.

    alpha        mean overlap over `positions`, drawn again over texts
    above_start  how far that is above the starting draft's on the same texts, text by text
    """

    rung: str
    alpha: Estimate
    by_kind: dict[str, Estimate]
    positions: Count
    above_start: Estimate | None


class Baseline(Part):
    """The draft that training started from, on the same texts (by their digest).

    sums, counts  its overlap and the positions of each text, to compare other drafts with
    """

    name: str
    digest: str
    alpha: Estimate
    by_kind: dict[str, Estimate]
    texts: str
    sums: list[float]
    counts: list[Count]


class DraftMeasurements(Part):
    """The file. `weights` has the digest of every file under assets/drafts, by path, and the
    target's; `prompts` the held-out prompts by kind, on which everything is measured but `presets`,
    where the kind is the name of one of the app's prompts; `complete` is false if time ran out;
    `unrest` says by precision how unsteady plain decoding was (see `intervals.unrest`).
    """

    version: Literal[1] = VERSION
    recorded_at: str
    machine: str
    device: str
    threads: int
    versions: dict[str, str]
    minutes: float
    complete: bool
    target_digest: str
    weights: dict[str, str]
    lengths: dict[str, int]
    prompts: dict[str, list[str]]
    rungs: list[Rung]
    step_ms: dict[str, float]
    unrest: dict[str, float]
    alpha: list[AlphaCell]
    agreement: list[Agreement]
    speed: list[SpeedCell]
    presets: list[SpeedCell]
    context: list[ContextCell]
    assisted: list[AssistedCell]
    meters: list[Meter]
    changes: list[LawChange]
    baseline: Baseline | None
    never_rejected: bool | None

    @property
    def busy(self) -> bool:
        """Whether other work on the machine spoiled the times (`intervals.unrest`)."""
        return max(self.unrest.values(), default=1.0) > QUIET

    def rung(self, name: str) -> Rung | None:
        """A rung by its name."""
        return next((rung for rung in self.rungs if rung.name == name), None)

    def agreement_of(self, rung: str) -> Agreement | None:
        """A rung's agreement on the target's own texts, if it was measured."""
        return next((x for x in self.agreement if x.rung == rung), None)

    def fastest(self, rung: str) -> SpeedCell | None:
        """The setting at which a rung earned most: the best of many, so it flatters."""
        cells = [x for x in self.speed if x.rung == rung]
        return max(cells, key=lambda x: x.speedup.mean, default=None)

    def alpha_cell(self, rung: str, kind: str, temperature: float) -> AlphaCell | None:
        return next(
            (x for x in self.alpha if (x.rung, x.kind, x.temperature) == (rung, kind, temperature)),
            None,
        )

    def speed_cells(
        self, rung: str, kind: str, temperature: float, precision: str
    ) -> list[SpeedCell]:
        """One curve: speed against k, the shortest first."""
        wanted = (rung, kind, temperature, precision)
        found = [x for x in self.speed if (x.rung, x.kind, x.temperature, x.precision) == wanted]
        return sorted(found, key=lambda x: x.k)
