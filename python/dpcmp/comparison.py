"""Two mechanisms side by side."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from .enclosure import Enclosure
from .mechanism import USUAL_PRIORS, Mechanism
from .numbers import of_fraction
from .verdict import _provided

__all__ = ["Comparison", "Crossings", "Weighted", "compare"]

_WORDS = {
    "a-dominates": "B is at least as private everywhere",
    "b-dominates": "A is at least as private everywhere",
    "equal": "both are the same",
    "incomparable": "incomparable: each is the more private one for some attackers",
    "undecided": "undecided",
}


class Weighted(NamedTuple):
    """Divergences weighted by a density on the prior that the record is absent."""

    prior: str
    delta_a_b: Enclosure
    delta_b_a: Enclosure


class Crossings(NamedTuple):
    """Where two curves change places.

    Attributes:
        epsilons: ε at which the privacy profiles certainly cross, each enclosed, in rising order.
        all_epsilons: are these certainly all of them?
        alphas: stretches of false-positive rates over which the trade-off curves certainly change places.
        all_alphas: are these certainly all of them?
    """

    epsilons: list[Enclosure]
    all_epsilons: bool
    alphas: list[tuple[Fraction, Fraction]]
    all_alphas: bool


class Comparison:
    """The Δ-divergences of two mechanisms A and B, and which is the more private (Kaissis et al. 2024).

    Attributes:
        delta_a_b: Δ(A‖B), the regret of choosing B instead of A: by how much the error of a membership attack can fall.
        delta_b_a: Δ(B‖A).
        symmetric: the larger of the two.
        blackwell: ``"a-dominates"`` (A is the **less** private everywhere), ``"b-dominates"``, ``"equal"``, ``"incomparable"`` or ``"undecided"``.
        weighted: the divergences weighted by each density asked for.
        crossings: where the privacy profiles and the trade-off curves cross.
        conditions: what all of this takes for granted.
    """

    __slots__ = ("a", "b", "delta_a_b", "delta_b_a", "symmetric", "blackwell", "weighted", "crossings", "conditions")

    a: Mechanism
    b: Mechanism
    delta_a_b: Enclosure
    delta_b_a: Enclosure
    symmetric: Enclosure
    blackwell: str
    weighted: list[Weighted]
    crossings: Crossings
    conditions: list[str]

    @classmethod
    def _of(cls, found: Mapping[str, Any], a: Mechanism, b: Mechanism, priors: list[str]) -> Comparison:
        self = cls()
        self.a, self.b = a, b
        self.delta_a_b = Enclosure._of(found["delta_a_b"], "Δ(A‖B)")
        self.delta_b_a = Enclosure._of(found["delta_b_a"], "Δ(B‖A)")
        self.symmetric = Enclosure._of(found["symmetric"], "Δ↔")
        self.blackwell = found["blackwell"]
        self.weighted = [
            Weighted(prior, Enclosure._of(there, f"Δ(A‖B) by {prior}"), Enclosure._of(back, f"Δ(B‖A) by {prior}"))
            for prior, (there, back) in zip(priors, found["weighted"])
        ]
        self.crossings = Crossings(
            [Enclosure._of(epsilon, "epsilon") for epsilon in found["crossing_epsilons"]],
            found["all_crossing_epsilons"],
            [(of_fraction(low), of_fraction(high)) for low, high in found["crossing_alphas"]],
            found["all_crossing_alphas"],
        )
        self.conditions = found["conditions"]
        return self

    @property
    def words(self) -> str:
        """Which is the more private, in words."""
        return _WORDS[self.blackwell]

    def __repr__(self) -> str:
        return f"<Comparison of A = {self.a} and B = {self.b}: {self.delta_a_b._words()}, {self.delta_b_a._words()}; {self.words}>"

    def _repr_html_(self) -> str:
        rows = [("A", str(self.a)), ("B", str(self.b))]
        shown = [self.delta_a_b, self.delta_b_a, self.symmetric]
        shown += [side for weighted in self.weighted for side in weighted[1:]]
        rows += [(e.quantity, str(e)) for e in shown]
        if self.crossings.epsilons:
            others = "" if self.crossings.all_epsilons else ", and perhaps elsewhere"
            rows.append(("profiles cross", "at ε in " + ", ".join(str(e) for e in self.crossings.epsilons) + others))
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table><p>{html.escape(self.words)}</p>{_provided(self.conditions)}"


def compare(a: Mechanism, b: Mechanism, *, priors: Iterable[str] = USUAL_PRIORS, max_seconds: float | None = None) -> Comparison:
    """Compares two mechanisms; ``priors`` weight the divergences: ``"jeffreys"``, ``"uquadratic"``, ``"beta:a=2,b=5"``, …

    >>> import dpcmp
    >>> both = dpcmp.compare(dpcmp.gaussian(sigma=1), dpcmp.laplace(scale=1))
    >>> both.blackwell, len(both.crossings.epsilons) > 0
    ('incomparable', True)
    """
    return a.compare(b, priors=priors, max_seconds=max_seconds)
