"""What a privacy loss distribution of ``dp_accounting`` says, as a mechanism.

The discrete losses of such a distribution are floats already, so that nothing about the mechanism behind it can be proved from them. What they *say* is a privacy
profile, δ(ε) = m∞ + Σ_{lᵢ > ε} pᵢ (1 − e^{ε−lᵢ}), piecewise linear in e^ε with bends at the losses. Its values there, rounded up, are the points of a
``profile`` mechanism; the larger of both directions, so that all answers are about either. Everything asked of that mechanism is proved **if the distribution is an
upper bound**, as pessimistic estimates of ``dp_accounting`` are meant to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any

from .errors import InputError
from .mechanism import Mechanism
from .numbers import exact_text

__all__ = ["mechanism_of", "mechanism_of_pld"]

#: More bends than this are left out: what is then said lies a little above, never below.
_MOST_BENDS = 1000

#: Sums of positive numbers, each rounded up.
_UP = Context(prec=30, rounding=ROUND_CEILING, Emin=-(10**6), Emax=10**6)
_ONE = Decimal(1)


def mechanism_of(what: Any) -> Mechanism:
    """A mechanism as it is, and a ``PrivacyLossDistribution`` as what it says.

    Raises:
        TypeError: if it is neither.
        InputError: if the distribution bounds nothing.
    """
    if isinstance(what, Mechanism):
        return what
    if hasattr(what, "_pmf_remove") and hasattr(what, "_pmf_add"):
        return mechanism_of_pld(what)
    raise TypeError(f"give a dpcmp.Mechanism or a PrivacyLossDistribution of dp_accounting, not a {type(what).__name__}")


def mechanism_of_pld(pld: Any) -> Mechanism:
    """The mechanism of which all is known that the distribution says.

    Raises:
        InputError: if it is an optimistic estimate, which bounds nothing.
    """
    if not (hasattr(pld, "_pmf_remove") and hasattr(pld, "_pmf_add")):
        raise InputError(
            f"this is no PrivacyLossDistribution of dp_accounting, but something of type {type(pld).__name__}",
            code="wrong-type",
            place="pld",
            hint="for instance dp_accounting.pld.privacy_loss_distribution.from_gaussian_mechanism(1.0)",
        )
    pmfs = [pld._pmf_remove] if pld._pmf_add is pld._pmf_remove else [pld._pmf_remove, pld._pmf_add]
    if not all(pmf._pessimistic_estimate for pmf in pmfs):
        raise InputError(
            "an optimistic estimate bounds nothing from above", code="range", place="pld", hint="make the distribution with pessimistic_estimate=True"
        )
    steps = {exact_text(float(pmf._discretization)) for pmf in pmfs}
    if len(steps) != 1:
        raise InputError(
            "the two directions have different discretization intervals", code="conflict", place="pld",
            hint="make both with the same value_discretization_interval",
        )  # fmt: skip
    step = Decimal(steps.pop())
    sides = [_Side(pmf, step) for pmf in pmfs]
    last = max(side.last for side in sides)
    bends = _thinned(last)
    found: dict[int, Decimal] = {}
    for side in sides:
        for bend, delta in side.deltas(bends):
            found[bend] = max(delta, found.get(bend, Decimal(0)))
    points = [[str(bend * step), str(min(found[bend], _ONE))] for bend in sorted(found)]
    return Mechanism({"kind": "profile", "points": points})


def _thinned(last: int) -> list[int]:
    """Bends from 0 to the last one, all or evenly spread: what is convex lies below the chords between those that are kept."""
    every = max(1, -(-last // _MOST_BENDS))
    return [*range(0, last, every), last]


class _Side:
    """One direction: masses of losses that are multiples of a step, and of an infinite loss."""

    def __init__(self, pmf: Any, step: Decimal) -> None:
        # Transforms leave masses a little below 0; without them δ is no smaller.
        self.masses = {loss: mass for loss, mass in _masses(pmf) if not mass <= 0}
        self.infinite = max(Decimal(0), Decimal(float(pmf._infinity_mass)))
        self.last = max(0, max(self.masses, default=0))
        # `exp` rounds to nearest whatever the context says.
        self.shrink = min(_ONE, (-step).exp(_UP).next_plus(_UP))
        self.rest = _UP.subtract(_ONE, (-step).exp(_UP).next_minus(_UP))

    def deltas(self, bends: list[int]) -> Iterator[tuple[int, Decimal]]:
        """δ at these multiples of the step, none of them below 0, each rounded up, from the last on.

        With S the mass above: δ(k−1) − m∞ = e^{−h}·(δ(k) − m∞) + (1 − e^{−h})·(S + p_k), a sum of numbers ≥ 0.
        """
        wanted, delta, above = set(bends), Decimal(0), Decimal(0)
        for bend in range(max(self.last, max(bends)), -1, -1):
            if bend in wanted:
                yield bend, _UP.add(delta, self.infinite)
            mass = self.masses.get(bend)
            if mass:
                above = _UP.add(above, Decimal(mass))
            delta = _UP.add(_UP.multiply(self.shrink, delta), _UP.multiply(self.rest, above))


def _masses(pmf: Any) -> Iterator[tuple[int, float]]:
    if isinstance(getattr(pmf, "_loss_probs", None), Mapping):
        for loss, mass in pmf._loss_probs.items():
            yield int(loss), float(mass)
    else:
        for loss, mass in enumerate(pmf._probs, start=int(pmf._lower_loss)):
            yield loss, float(mass)
