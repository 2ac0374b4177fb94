"""Asking for an audit: which engine, with which options, how much."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import streamlit as st
from pydantic import ValidationError

from engines.audit.audit import AuditState
from engines.audit.audit_work import DEFAULTS, RUNS, AuditWork
from engines.transformers_engine import VARIANTS
from environment import environment
from jobs.job import Work
from speculation.models.passes import PassStore
from speculation.pairs.catalog import TARGET
from speculation.pairs.pair import Pair
from speculation.schemes import EXACT, SCHEMES
from speculation.settings import Settings, complaints
from widgets.audit import jobs
from widgets.markdown_text import plain

PAGE = "audit"
ENGINES = {
    "own": "This project's decoder",
    "transformers": "transformers' generate()",
    "openai": "An endpoint",
}
SIZES = sorted({25, 50, 100, 200, 400, 800, RUNS})
LAW = "the exact distribution of the target here"


@dataclass(frozen=True)
class ByBaseline:
    """An audit of an endpoint without the target: only a second endpoint is compared with."""

    work: AuditWork
    gives_way: ClassVar[bool] = True

    def states(self, pair: Pair, store: PassStore) -> Iterator[AuditState]:
        """The pair stays unused."""
        yield from self.work.audit(None).states()


def audit_form() -> None:
    """Draw it; a press of the button asks the worker."""
    engines = {x: y for x, y in ENGINES.items() if x != "openai" or environment().endpoints}
    engine: str = st.segmented_control(
        "Engine", list(engines), default="own", format_func=lambda x: ENGINES[x],
        key="audit-engine", required=True,
    )  # fmt: skip
    options, by_law = _options(engine)
    n = st.select_slider(
        "Continuations", SIZES, RUNS, key="audit-n",
        help="Twice as many see a bias that is smaller by a factor of 1.4, and take twice as long.",
    )  # fmt: skip
    settings, problem = _settings()
    if problem:
        st.error(plain(problem), icon=":material/error:")
    going = jobs.busy(PAGE)
    ready = settings is not None and not going
    if st.button("Run the audit", type="primary", key="audit-go", disabled=not ready):
        assert settings is not None
        work = AuditWork(engine, settings, tuple(options.items()), n)
        asked: Work = work if by_law else ByBaseline(work)
        # Equal work would be shared; the pair and the precision are all that the worker reads.
        jobs.ask(PAGE, Settings(pair=settings.pair), asked)
        st.rerun()


def _options(engine: str) -> tuple[dict[str, str], bool]:
    """The engine's own options; and whether the target's law is the measure."""
    if engine == "own":
        rule = st.selectbox(
            "Rule", list(SCHEMES), index=list(SCHEMES).index(EXACT.name), key="audit-rule",
            format_func=lambda x: x.replace("-", " "),
            help="The exact rule, other exact ones, and broken ones as on Test it yourself.",
        )  # fmt: skip
        return {"rule": rule}, True
    if engine == "transformers":
        variant = st.selectbox("Variant", list(VARIANTS), key="audit-variant")
        return {"variant": variant}, True
    return _endpoint()


def _endpoint() -> tuple[dict[str, str], bool]:
    known = environment().endpoints
    one, two = st.columns(2)
    endpoint = one.selectbox("Endpoint under test", known, key="audit-endpoint")
    measure = two.selectbox(
        "Compared with", [LAW, *(x for x in known if x != endpoint)], key="audit-baseline",
        help="A second endpoint should be the same model without speculation.",
    )  # fmt: skip
    address, _, model = str(endpoint).partition("|")
    options = {"base-url": address, "model": model}
    if measure == LAW:
        st.caption(plain(f"Only right if the endpoint serves the same weights as here: {TARGET}."))
        return options, True
    options["baseline-url"], _, options["baseline-model"] = str(measure).partition("|")
    return options, False


def _settings() -> tuple[Settings | None, str]:
    """Prompt and sampling; or what is wrong with them."""
    d = DEFAULTS
    with st.expander("Settings"):
        prompt = st.text_input("Prompt", d.prompt, key="audit-prompt", max_chars=500)
        left, middle, right = st.columns(3)
        temperature = left.slider(
            "Temperature", 0.0, 2.0, d.temperature, 0.1, key="audit-temperature"
        )
        k = middle.slider("k", 1, 8, d.k, key="audit-k", help="Draft length.")
        least = 2 * k + 2
        length = right.slider(
            "Tokens each", least, 40, max(least, d.length), key=f"audit-length-{k}",
            help="At least 2k + 2: then every place of a cycle occurs, and two cycles meet.",
        )  # fmt: skip
        top_k = left.number_input("top-k", 0, 1000, d.top_k, key="audit-top-k", help="0 is off.")
        top_p = middle.slider("top-p", 0.05, 1.0, d.top_p, 0.05, key="audit-top-p")
        seed = right.number_input("Seed", 0, 2**31, d.seed, key="audit-seed")
    try:
        changed = {
            "prompt": prompt, "temperature": temperature, "k": k, "length": length,
            "top_k": int(top_k), "top_p": top_p, "seed": int(seed),
        }  # fmt: skip
        return Settings.model_validate(d.model_dump() | changed), ""
    except ValidationError as error:
        return None, "; ".join(f"{name}: {why}" for name, why in complaints(error).items())


def stopped(state: AuditState) -> AuditState:
    """The state of an audit that somebody stopped, with a report that says so."""
    if state.final:
        return state
    early = f"by hand, after {state.done} of {state.total} continuations."
    return replace(state, report=replace(state.report, stopped=early))
