"""Two mechanisms side by side."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from .enclosure import Enclosure
from .mechanism import USUAL_PRIORS, Mechanism, _other
from .numbers import Number, of_fraction
from .verdict import _provided

__all__ = ["Comparison", "Crossings", "Emergence", "Extremes", "StepMoments", "Weighted", "compare"]

_WORDS = {
    "a-dominates": "B is at least as private everywhere",
    "b-dominates": "A is at least as private everywhere",
    "equal": "equal: whatever is proved of the one is proved of the other",
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


class Extremes(NamedTuple):
    """How far a mechanism is from both ends of all mechanisms (Kaissis et al. 2024, Lemmas 3 and 4).

    Attributes:
        from_perfect_privacy: half its advantage.
        to_blatant_non_privacy: its minimax risk.
    """

    from_perfect_privacy: Enclosure
    to_blatant_non_privacy: Enclosure


class StepMoments(NamedTuple):
    """How many equal steps there are, and moments of the privacy loss of one, without the record: ``v1`` the Kullback–Leibler divergence, ``v2`` the second
    moment, ``v3`` and ``v4`` the third absolute ones, central and not, and ``eta`` = v1/√(v2 − v1²) (Kaissis et al. 2024, equations 8 to 12)."""

    steps: int
    v1: Enclosure
    v2: Enclosure
    v3: Enclosure
    v4: Enclosure
    eta: Enclosure


class Emergence(NamedTuple):
    """What the moments of the steps prove about Δ(A‖B) of two compositions (Kaissis et al. 2024, Theorem 3, and a bound that needs no symmetry).

    Attributes:
        bound: Δ(A‖B) by the moments alone; its upper end is 1/2 if they prove nothing.
        proven_from: from these numbers of steps of A and B on, at this ratio, Δ(A‖B) is proved to be at most the ``tolerance`` asked for.
        gamma_sum: γ_A + γ_B, which bounds Δ(A‖B) only where the theorem applies.
        theorem_applies: are all hypotheses of Theorem 3 met?
        unmet: what is missing, in words.
        moments: of a step of A and of B, if they have any.
    """

    bound: Enclosure
    proven_from: tuple[int, int] | None
    gamma_sum: Enclosure | None
    theorem_applies: bool
    unmet: list[str]
    moments: tuple[StepMoments, StepMoments] | None

    @classmethod
    def _of(cls, found: Mapping[str, Any]) -> Emergence:
        steps = [
            StepMoments(times, *(Enclosure._of(value, name) for name, value in zip(StepMoments._fields[1:], values)))
            for times, values in found["moments"] or []
        ]
        sum_, counts = found["gamma_sum"], found["proven_from"]
        return cls(
            bound=Enclosure._of(found["bound"], "Δ(A‖B)"),
            proven_from=counts and (int(counts[0]), int(counts[1])),
            gamma_sum=sum_ and Enclosure._of(sum_, "γ_A + γ_B"),
            theorem_applies=found["theorem_applies"],
            unmet=found["unmet"],
            moments=(steps[0], steps[1]) if steps else None,
        )


class Comparison:
    """The Δ-divergences of two mechanisms A and B, and which is the more private (Kaissis et al. 2024).

    Attributes:
        delta_a_b: Δ(A‖B), the regret of choosing B instead of A: by how much the error of a membership attack can fall.
        delta_b_a: Δ(B‖A).
        symmetric: the larger of the two.
        blackwell: ``"a-dominates"`` (A is the **less** private everywhere), ``"b-dominates"``, ``"equal"``, ``"incomparable"`` or ``"undecided"``.
        weighted: the divergences weighted by each density asked for.
        crossings: where the privacy profiles and the trade-off curves cross.
        extremes: how far A and B are from perfect privacy and from none.
        emergence: of compositions of equal steps, what the moments of these prove; otherwise ``None``.
        conditions: what all of this takes for granted.
    """

    __slots__ = ("a", "b", "delta_a_b", "delta_b_a", "symmetric", "blackwell", "weighted", "crossings", "extremes", "emergence", "conditions")

    a: Mechanism
    b: Mechanism
    delta_a_b: Enclosure
    delta_b_a: Enclosure
    symmetric: Enclosure
    blackwell: str
    weighted: list[Weighted]
    crossings: Crossings
    extremes: tuple[Extremes, Extremes]
    emergence: Emergence | None
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
        a_extremes, b_extremes = (
            Extremes(Enclosure._of(privacy, "from perfect privacy"), Enclosure._of(exposure, "to blatant non-privacy"))
            for privacy, exposure in found["extremes"]
        )
        self.extremes = (a_extremes, b_extremes)
        self.emergence = None if found["emergence"] is None else Emergence._of(found["emergence"])
        self.conditions = found["conditions"]
        return self

    @property
    def words(self) -> str:
        """Which is the more private, in words."""
        words = _WORDS[self.blackwell]
        first = {"a-dominates": ("A", self.a), "b-dominates": ("B", self.b)}.get(self.blackwell)
        if first is not None and any("the stated guarantee" in condition for condition in first[1].conditions):
            words += f" as the least private mechanism that {first[0]} allows"
        return words

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
        for name, extremes in zip("AB", self.extremes):
            rows.append((f"{name}, from perfect privacy and to none", f"{extremes.from_perfect_privacy}, {extremes.to_blatant_non_privacy}"))
        if self.emergence is not None:
            rows.append(("Δ(A‖B) by moments of the steps", str(self.emergence.bound)))
            if self.emergence.proven_from is not None:
                rows.append(("proved to be at most the tolerance", "from {} and {} steps on".format(*self.emergence.proven_from)))
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table><p>{html.escape(self.words)}</p>{_provided(self.conditions)}"


def compare(
    a: Mechanism,
    b: Mechanism,
    *,
    priors: Iterable[str] = USUAL_PRIORS,
    tolerance: Number | None = None,
    max_seconds: float | None = None,
) -> Comparison:
    """Compares two mechanisms; ``priors`` weight the divergences: ``"jeffreys"``, ``"uquadratic"``, ``"beta:a=2,b=5"``, …

    Of two compositions of equal steps, ``emergence.proven_from`` says from how many on Δ(A‖B) is proved to be at most ``tolerance``.

    >>> import dpcmp
    >>> both = dpcmp.compare(dpcmp.gaussian(sigma=1), dpcmp.laplace(scale=1))
    >>> both.blackwell, len(both.crossings.epsilons) > 0
    ('incomparable', True)
    """
    return _other(a).compare(b, priors=priors, tolerance=tolerance, max_seconds=max_seconds)
