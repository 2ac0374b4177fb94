"""What "Rounding or bug?" found, in sentences: for the page, the command line, and alternatives
to the picture."""

from engines.rounding.found import FAR, Rounding, Side
from speculation.text import join
from speculation.trace import Piece

HEADLINES = {
    "identical": "No difference",
    "near-tie": "Rounding: a near-tie",
    "doubtful": "Just outside what rounding can do here",
    "not-rounding": "Not explained by rounding",
    "later": "A near-tie first, then something that is not rounding",
    "cut": "One text was cut",
    "past-end": "One text goes on after its end",
    "not-greedy": "These are not greedy texts of this target",
}


def quoted(value: Piece) -> str:
    """A token between quotation marks, its spaces and line breaks visible.

    >>> quoted(" a\\n"), quoted([195])
    ('“␣a↵”', '“\\\\xc3”')
    """
    text = join([value])
    return f"“{text.replace(' ', '␣').replace(chr(10), '↵')}”"


def amount(value: float) -> str:
    """A number of logits with two digits that count, never with an exponent.

    >>> amount(0.125), amount(3.0), amount(0.0000457), amount(0.0), amount(12.34)
    ('0.12', '3.0', '0.000046', '0', '12')
    """
    if value == 0.0 or abs(value) < 1e-12:
        return "0"
    digits = 1 - int(f"{abs(value):.1e}".split("e")[1])
    return f"{value:.{max(0, digits)}f}"


def verdict_sentence(found: Rounding) -> str:
    """The verdict with its reason, in one to three sentences."""
    return {
        "identical": _identical,
        "near-tie": _near_tie,
        "doubtful": _doubtful,
        "not-rounding": _not_rounding,
        "later": _later,
        "cut": _cut,
        "past-end": _past_end,
        "not-greedy": _not_greedy,
    }[found.verdict](found)


def numbers_sentences(found: Rounding) -> list[str]:
    """The numbers behind the verdict, one sentence each."""
    if found.verdict == "identical":
        return []
    block = found.k + 1
    one, two = quoted(found.one.piece), quoted(found.two.piece)
    sentences = [
        f"After {found.common} common tokens text one goes on with {_next(found.one)}, text two "
        f"with {_next(found.two)}.",
        f"Read token by token in {found.precision}, the logit of {one} lies {_behind(found.one)}, "
        f"that of {two} {_behind(found.two)}.",
        f"The two logits are {amount(abs(found.gap))} apart; in float32 {amount(abs(found.gap32))}"
        + (", with the other one ahead." if found.gap * found.gap32 < 0 else "."),
        f"Neighboring {found.precision} numbers of this size are {amount(found.spacing)} apart.",
    ]
    if not found.computed:
        sentences.append(
            f"This machine cannot compute in {found.precision}: the logits are float32's, and what "
            "rounding can do is taken from the spacing alone."
        )
    else:
        sentences.append(
            f"Reading in blocks of {block} instead of one by one moved this gap by up to "
            f"{amount(found.gap_here)}, and gaps between two likeliest tokens by up to "
            f"{amount(found.moved)} over {found.rows} rows. "
            + (
                f"At {found.flips} of {block} places in the block another token came out likeliest."
                if found.flips
                else "The same token stayed the likeliest at every place in the block."
            )
        )
    return sentences


def reach_sentence(found: Rounding) -> str:
    """What rounding can do, and from which of its two sources that number is."""
    twice = found.reach <= 2.0 * found.spacing
    source = "twice the spacing of the numbers" if twice else "the largest change measured"
    return f"So rounding can move a gap by about {amount(found.reach)} here: {source}."


def picture_sentence(found: Rounding) -> str:
    """What the picture shows: whose bars meet."""
    if not found.candidates:
        return "The texts are the same, so there is nothing to draw."
    best = found.candidates[0].token
    parts = []
    for name, side in sorted(
        (("one", found.one), ("two", found.two)), key=lambda x: x[1].token != best
    ):
        if side.token == best:
            parts.append(f"text {name}'s token {quoted(side.piece)} has the largest logit")
        else:
            meets = "meets" if side.behind <= found.reach else "does not meet"
            parts.append(f"the bar of text {name}'s token {quoted(side.piece)} {meets} the topmost")
    return (
        "Logits of the likeliest tokens at the difference. Each bar reaches, to either side, half "
        "of what rounding can do to a gap: two bars that meet are a near-tie. "
        f"Here {parts[0]}, and {parts[1]}."
    )


def _next(side: Side) -> str:
    return f"its end (end token {quoted(side.piece)})" if side.ended else quoted(side.piece)


def _behind(side: Side) -> str:
    return "on top" if side.behind == 0.0 else f"{amount(side.behind)} below the largest"


def _identical(found: Rounding) -> str:
    return f"The two texts have the same {found.common} tokens. There is nothing to explain."


def _near_tie(found: Rounding) -> str:
    return (
        f"At the first difference the target holds both tokens for equally likely, as far as "
        f"{found.precision} can tell: the one behind lies {amount(_worst(found))} back, and "
        f"rounding can move a gap by {amount(found.reach)}. Either text is right; the rule of "
        "speculative decoding is not to blame."
    )


def _doubtful(found: Rounding) -> str:
    return (
        f"{_who(found)} token lies {found.times:.1f} times as far behind as rounding was seen to "
        f"reach on this machine ({amount(_worst(found))} against {amount(found.reach)}). Other "
        "hardware may round more. Run both engines in float32: a near-tie then goes away."
    )


def _not_rounding(found: Rounding) -> str:
    if found.one.behind > FAR * found.reach and found.two.behind > FAR * found.reach:
        return (
            f"Neither token is the target's choice: they lie {amount(found.one.behind)} and "
            f"{amount(found.two.behind)} below the largest logit, and rounding can do "
            f"{amount(found.reach)}. Check that the engines have this target, this prompt and no "
            "penalties; if so, something else than the target chose both."
        )
    return (
        f"{_who(found)} token lies {amount(_worst(found))} below the target's choice, "
        f"{found.times:,.0f} times what rounding can do ({amount(found.reach)}). A greedy engine "
        "with this target does not write it, with or without speculation."
    )


def _later(found: Rounding) -> str:
    sides = [(n, s) for n, s in (("one", found.one), ("two", found.two)) if s.far]
    name, side = min(sides, key=lambda pair: pair[1].far[0])
    return (
        f"The first difference, after {found.common} tokens, is a near-tie. But text {name} also "
        f"has {_tokens(len(side.far))} further on that the target would not choose, the first "
        f"({quoted(side.far_off)}) after {side.far[0]} tokens: rounding does not explain those."
    )


def _cut(found: Rounding) -> str:
    short, long = ("one", "two") if found.one.ended else ("two", "one")
    side = found.one if found.one.ended else found.two
    return (
        f"Text {short} is the beginning of text {long}, and the target goes on like text {long}: "
        f"its end token lies {amount(side.behind)} below. So text {short} was cut, by a limit of "
        "tokens or a stop string; as far as it goes, the two are the same."
    )


def _past_end(found: Rounding) -> str:
    return (
        f"After {found.common} common tokens, the last of them an end token, one text is over and "
        "the other goes on. A token drafted after the end must not be committed: that is a bug, "
        "unless one engine was told to ignore the end."
    )


def _not_greedy(found: Rounding) -> str:
    parts = " and ".join(
        f"{len(side.far)} of {side.tokens} tokens of text {name}"
        for name, side in (("one", found.one), ("two", found.two))
    )
    return (
        f"The target would not have chosen {parts}. Either they were sampled (temperature above "
        "0), or the engines were given another prompt, chat template or model than this page, or "
        "penalties. The question of rounding cannot be answered for such texts."
    )


def _worst(found: Rounding) -> float:
    return max(found.one.behind, found.two.behind)


def _who(found: Rounding) -> str:
    return "Text one's" if found.one.behind > found.two.behind else "Text two's"


def _tokens(count: int) -> str:
    return "1 token" if count == 1 else f"{count} tokens"
