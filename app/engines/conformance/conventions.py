"""What settings mean is not agreed on everywhere: other ways than this project's, by their names.

A row passes if the texts follow the distribution by any of its conventions, and the report says by
which. So an engine that applies the temperature after the filters, as its documentation says, is
not called wrong; one that follows no convention is.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engines.audit.outcome_tree import LawAfter
from engines.audit.target_law import Text, law_after
from engines.base import SampleRequest
from speculation.rule import Law


@dataclass(frozen=True)
class Convention:
    """One way of reading a request.

    words   how it differs, for the report; "" for this project's own
    law_of  logits to the distribution of the next token
    """

    words: str
    law_of: LawAfter


def filters_first(request: SampleRequest, logits: npt.ArrayLike, before: Text) -> Law:
    """The filters see the distribution at temperature 1; what they leave is then tempered.

    >>> from speculation.sampling import Sampling
    >>> request = SampleRequest((0,), Sampling(temperature=2.0, top_p=0.6), length=1)
    >>> logits = np.log([0.64, 0.16, 0.2])
    >>> law_after(request, logits, ()).round(3), filters_first(request, logits, ()).round(3)
    (array([0.641, 0.   , 0.359]), array([1., 0., 0.]))
    """
    sampling = request.sampling
    if sampling.temperature == 0.0:
        return law_after(request, logits, before)
    plain = replace(request, sampling=replace(sampling, temperature=1.0))
    filtered = law_after(plain, logits, before)
    tempered = np.where(filtered > 0.0, filtered ** (1.0 / sampling.temperature), 0.0)
    return np.asarray(tempered / tempered.sum())


def prompt_counted(request: SampleRequest, logits: npt.ArrayLike, before: Text) -> Law:
    """The presence penalty counts the prompt's tokens as well."""
    return law_after(request, logits, (*request.prompt, *before))


OWN = Convention("", law_after)
FILTERS_FIRST = Convention("the filters come before the temperature", filters_first)
PROMPT_COUNTED = Convention("the presence penalty counts the prompt, too", prompt_counted)


def conventions_of(request: SampleRequest) -> tuple[Convention, ...]:
    """The ways in which a request may be read, this project's first.

    >>> from speculation.sampling import Sampling
    >>> [x.words for x in conventions_of(SampleRequest((1,), Sampling(), 3, presence_penalty=1.0))]
    ['', 'the presence penalty counts the prompt, too']
    """
    s = request.sampling
    found = [OWN]
    if s.temperature not in (0.0, 1.0) and (s.top_p < 1.0 or s.min_p > 0.0):
        found.append(FILTERS_FIRST)
    if request.presence_penalty:
        found.append(PROMPT_COUNTED)
    return tuple(found)
