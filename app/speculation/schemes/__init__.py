"""Other rules than the exact one: exact ones that get there another way, and broken ones.

Each broken scheme is a mistake that somebody really made, or that is easy to make, reduced to the
one line that differs. `base.py` has the four hooks; a new scheme is one small class and one line
in the table below.

>>> SCHEMES["replacement-from-target"].committed_law(Spot.of([0.6, 0.3, 0.1], [0.2, 0.3, 0.5]))
array([0.44, 0.42, 0.14])
"""

from speculation.schemes import block, exact, wrong_laws, wrong_replacements, wrong_tests
from speculation.schemes.base import EXACT, Block, Compared, Ruling, Scheme, Spot
from speculation.schemes.drafting import draft_block
from speculation.schemes.many_runs import Many
from speculation.schemes.random_numbers import Addressed, Numbers, Turn, enumerate_outcomes

__all__ = [
    "EXACT",
    "SCHEMES",
    "Addressed",
    "Block",
    "Compared",
    "Many",
    "Numbers",
    "Ruling",
    "Scheme",
    "Spot",
    "Turn",
    "draft_block",
    "enumerate_outcomes",
    "scheme",
]

_ALL: tuple[Scheme, ...] = (
    EXACT,
    block.BlockVerification(),
    exact.TwoDrafts(),
    exact.GumbelCoupling(),
    exact.SampleAndMatch(),
    exact.OneHotGreedy(),
    exact.OneHotSampled(),
    exact.BonusDropped(),
    exact.DraftCacheShort(),
    wrong_replacements.ReplacementFromTarget(),
    wrong_replacements.ResidualBySoftmax(),
    wrong_replacements.ResidualSwapped(),
    wrong_replacements.RejectedStruckOut(),
    wrong_replacements.BonusFromDraft(),
    wrong_replacements.SharedDraftNumber(),
    wrong_replacements.SharedAcceptNumber(),
    wrong_replacements.SharedNoise(),
    wrong_tests.AcceptEverything(),
    wrong_tests.AcceptIfLikelier(),
    wrong_tests.RatioInverted(),
    wrong_tests.RatioToTheMaximum(),
    wrong_tests.TypicalAcceptance(),
    wrong_tests.ArgmaxVerification(),
    wrong_tests.MatchThenFresh(),
    wrong_tests.LaterDraftsKept(),
    wrong_laws.GreedyDraftSoftQ(),
    wrong_laws.QBeforeFilters(),
    wrong_laws.TwoTemperatures(),
    wrong_laws.TargetSettingsLeftOut(),
    wrong_laws.FiltersOnBonusOnly(),
    wrong_laws.LowDraftsDropped(),
    wrong_laws.Ensemble(),
    wrong_laws.EndIgnored(),
    wrong_laws.BFloat16Draw(),
    block.BlockWithReusedNumbers(),
)

SCHEMES: dict[str, Scheme] = {each.name: each for each in _ALL}
"""Every scheme by name: the exact rule, the exact ones, the broken ones."""


def scheme(name: str) -> Scheme:
    """The scheme of a name; ValueError with the names there are."""
    if name not in SCHEMES:
        raise ValueError(f"no scheme is called {name!r}; there are: {', '.join(SCHEMES)}")
    return SCHEMES[name]
