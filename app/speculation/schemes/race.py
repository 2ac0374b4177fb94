"""Two races over the same noise: the closed forms behind Gumbel coupling.

Give every token an exponential number E_x. Under a law q token x arrives at time E_x / q(x), and
the first to arrive is a draw from q. Under another law p the same noise gives a draw from p. How
often do the two agree, and if not, who wins instead?

Let x win under q at time s and y under p at time t = ρ s. Then every token z has
E_z >= max(s q_z, t p_z), with equality for x and y; integrating over s leaves

    P(x under q, y under p) = q_x p_y (G(ρ_x) - G(ρ_y)),   if ρ_x > ρ_y, else 0, for x != y
    P(x under both)         = q_x / C(ρ_x)

with ρ_z = q_z / p_z,  C(ρ) = sum over z of max(q_z, ρ p_z),  G(ρ) = integral of 1/C² from 0 to ρ.

Agreement on one token is the known result for Gumbel coupling, 1 / sum of max(p_z/p_x, q_z/q_x):
Daliri, Musco, Suresh, "Coupling without Communication and Drafter-Invariant Speculative Decoding"
(arXiv 2408.07978).

>>> p = np.array([0.5, 0.3, 0.2]); q = np.array([0.2, 0.3, 0.5])
>>> round(float(race_agreement(q, p).sum()), 3)
0.631
"""

import numpy as np
import numpy.typing as npt

from speculation.rule import Law

Tokens = npt.NDArray[np.int64]


def race_agreement(q: Law, p: Law) -> Law:
    """The chance that x wins under both laws, for every token, [V]."""
    race = _Race(q, p)
    both = (q > 0.0) & (p > 0.0)
    agreed = np.zeros_like(q)
    agreed[both] = q[both] / race.level(race.ratio[both])
    return agreed


def race_row(q: Law, x: int, p: Law) -> Law:
    """Given that x won under q: the law of the winner under p, [V]."""
    race = _Race(q, p)
    reach = race.area(race.ratio[[x]])[0]
    row: Law = p * np.maximum(reach - race.area(race.ratio), 0.0)
    row[x] = 1.0 / race.level(race.ratio[[x]])[0] if p[x] > 0.0 else 0.0
    row /= row.sum()
    return row


def race_again(q: Law, p: Law, first: Tokens, u: Law, again: Law) -> Tokens:
    """Winners under p, run by run, given the winners under q [n]; without any noise.

    u < the chance of agreement keeps the first winner; `again` picks another from its row. The
    row's sums are G(rho_x) (p_1 + ... + p_m) - (p_1 G_1 + ... + p_m G_m), tokens sorted by ratio,
    so all runs are bisected at once: a million over 49,152 tokens take a second.
    """
    race = _Race(q, p)
    second = first.copy()
    agreed = race_agreement(q, p)
    other = u * q[first] >= agreed[first]
    x = first[other]
    order = np.argsort(race.ratio, kind="stable")
    areas = race.area(race.ratio)
    plain = np.cumsum(p[order])
    weighted = np.cumsum(np.where(p > 0.0, p * np.where(p > 0.0, areas, 0.0), 0.0)[order])
    reach = areas[x]
    # Only tokens with a smaller ratio than x's have a share.
    high = np.searchsorted(race.ratio[order], race.ratio[x], side="left") - 1
    low = np.zeros_like(high)
    goal = again[other] * (reach * plain[high] - weighted[high])
    while (low < high).any():
        middle = (low + high) // 2
        above = reach * plain[middle] - weighted[middle] > goal
        high = np.where(above, middle, high)
        low = np.where(above, low, np.minimum(middle + 1, high))
    second[other] = order[high]
    return second


class _Race:
    """The ratios q/p, and the functions C (`level`) and G (`area`) above."""

    def __init__(self, q: Law, p: Law) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            self.ratio: Law = np.where(p > 0.0, q / p, np.inf)
        order = np.argsort(self.ratio, kind="stable")
        knots = self.ratio[order]
        self._finite: Law = knots[np.isfinite(knots)]
        # Beyond its own ratio a token counts with rho p, up to it with q: sums over either side.
        self._passed = np.concatenate(([0.0], np.cumsum(p[order])))
        self._ahead = np.concatenate((np.cumsum(q[order][::-1])[::-1], [0.0]))
        self._corners = np.concatenate(([0.0], self._finite))
        self._heights = self.level(self._corners)
        pieces = np.diff(self._corners) / (self._heights[:-1] * self._heights[1:])
        self._areas = np.concatenate(([0.0], np.cumsum(pieces)))

    def level(self, rho: Law) -> Law:
        """C at finite places: sum of max(q, rho p)."""
        place = np.searchsorted(self._finite, rho, side="left")
        value: Law = self._ahead[place] + rho * self._passed[place]
        return value

    def area(self, rho: Law) -> Law:
        """G at places that may be infinite; between two corners C is a straight line."""
        place = np.searchsorted(self._corners, rho, side="right") - 1
        slope, height = self._passed[place], self._heights[place]
        inside = np.isfinite(rho)
        width = np.where(inside, rho, 0.0) - np.where(inside, self._corners[place], 0.0)
        step = np.divide(1.0, slope * height, out=np.zeros_like(height), where=slope > 0.0)
        step[inside] = (width / (height * (height + slope * width)))[inside]
        total: Law = self._areas[place] + step
        return total
