"""Does a text end at its stop string: in its words, its tokens, its reason and its count?

See `stop_strings.py` for how the string is chosen, and for the mistakes that engines made here.
"""

from dataclasses import replace

from engines.audit.checks.law import GREEDY
from engines.audit.checks.promises import LATER
from engines.audit.evidence import Check, Evidence, counted
from engines.audit.plan import Part
from engines.audit.stop_strings import cut_at, tokens_until
from engines.base import Continuation

LACKS = "The engine takes no stop strings."


def stop_strings(evidence: Evidence) -> Check:
    """Nothing of the string or after it is sent, and the reason says that it came."""
    check = Check("stop strings", "Does a text end where its stop string begins?", certain=True)
    return _judged(evidence, check, "stop")


def stop_and_limit(evidence: Evidence) -> Check:
    """The same where the limit on tokens falls just behind the string."""
    question = "Is a stop just before the limit on tokens still a stop?"
    return _judged(evidence, Check("stop against limit", question, certain=True), "stop and limit")


def _judged(evidence: Evidence, check: Check, name: str) -> Check:
    if evidence.plan.sampling.temperature == 0.0:
        return replace(check, why_not=GREEDY)
    if not evidence.able.stop:
        return replace(check, why_not=LACKS)
    texts = [text for text in evidence.texts(name) if text.told.text is not None]
    if not texts or name not in evidence.parts:
        return replace(check, why_not=LATER)
    part = evidence.parts[name]
    plain = evidence.samples.get("main", {}) if evidence.able.seeded else {}
    found = [fault for text in texts if (fault := fault_of(text, part, plain.get(text.number)))]
    came = sum(text.finish == "end" for text in texts)
    words = f"{part.request.stop[0]!r} ended {came} of {len(texts)} texts."
    if found:
        words += " " + "; ".join(f"{found.count(x)} {x}" for x in dict.fromkeys(found)) + "."
    finding = counted(check.name, len(found), len(texts), "of the texts")
    return replace(check, finding=finding, words=words)


def fault_of(text: Continuation, part: Part, plain: Continuation | None = None) -> str:
    """What is wrong with a text that had a stop string; empty if nothing is.

    plain  the same request without it, from an engine that repeats a seed
    """
    stop, shown = part.request.stop[0], text.told.text or ""
    if stop in shown:
        return "went on past it"
    size = part.request.length if text.told.counted is None else text.told.counted
    if text.finish == "length" and size < part.request.length:
        return "ended before the limit for no reason given"
    if plain is None or plain.told.text is None:
        return ""
    wanted = cut_at(plain.told.text, stop)
    if wanted is None:
        return "" if plain.told.text.startswith(shown) else "say something else than without it"
    if shown == wanted and text.finish == "end":
        return ""
    # The limit may have come first: then the text is a beginning of what leads up to the string.
    needed = tokens_until(plain, stop)
    if text.finish == "length" and wanted.startswith(shown):
        hidden = needed is not None and needed <= part.request.length
        return "were called cut by the limit, though the stop came before it" if hidden else ""
    return "say something else than without it"
