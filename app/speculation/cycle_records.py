"""From what a cycle decided to the record of it in a trace."""

from collections.abc import Sequence

from speculation.rule import Law, Verification, acceptance, overlap
from speculation.trace import Position, Replacement, Verdict, make_table


def positions_of(
    start: int,
    drafted: Sequence[int],
    uniforms: Sequence[float],
    target_probs: Law,
    draft_probs: Law,
    verification: Verification,
) -> list[Position]:
    """The record of every drafted position of a cycle; shapes as in `rule.verify`."""
    n = verification.n_accepted
    positions = []
    for i, (token, u) in enumerate(zip(drafted, uniforms, strict=True)):
        p, q = target_probs[i], draft_probs[i]
        verdict: Verdict = "accepted" if i < n else "rejected" if i == n else "unchecked"
        marked = [token, verification.replacement] if i == n else [token]
        positions.append(
            Position(
                index=start + i,
                token=token,
                p=float(p[token]),
                q=float(q[token]),
                a=float(acceptance(p[token], q[token])),
                u=u,
                verdict=verdict,
                overlap=float(overlap(p, q)) if i <= n else None,
                table=make_table(p, q, marked) if i <= n else None,
            )
        )
    return positions


def replacement_of(
    start: int, u: float, target_probs: Law, verification: Verification
) -> Replacement:
    """The record of the token that ends a cycle."""
    n, token = verification.n_accepted, verification.replacement
    p = target_probs[n]
    drawn_from = p if verification.residual is None else verification.residual
    return Replacement(
        index=start + n,
        token=token,
        p=float(p[token]),
        r=float(drawn_from[token]),
        u=u,
        bonus=verification.is_bonus,
        table=make_table(p, None, [token]) if verification.is_bonus else None,
    )
