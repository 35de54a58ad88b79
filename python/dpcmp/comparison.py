"""Two mechanisms side by side."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from .enclosure import Enclosure
from .mechanism import Mechanism
from .verdict import _provided

__all__ = ["Comparison", "compare"]

_WORDS = {
    "a-dominates": "B is at least as private everywhere",
    "b-dominates": "A is at least as private everywhere",
    "equal": "both are the same",
    "incomparable": "incomparable: each is the more private one for some attackers",
    "undecided": "undecided",
}


class Comparison:
    """The Δ-divergences of two mechanisms A and B, and which is the more private (Kaissis et al. 2024).

    Attributes:
        delta_a_b: Δ(A‖B), the regret of choosing B instead of A: by how much the error of a membership attack can fall.
        delta_b_a: Δ(B‖A).
        symmetric: the larger of the two.
        blackwell: ``"a-dominates"`` (A is the **less** private everywhere), ``"b-dominates"``, ``"equal"``, ``"incomparable"`` or ``"undecided"``.
        conditions: what all of this takes for granted.
    """

    __slots__ = ("a", "b", "delta_a_b", "delta_b_a", "symmetric", "blackwell", "conditions")

    a: Mechanism
    b: Mechanism
    delta_a_b: Enclosure
    delta_b_a: Enclosure
    symmetric: Enclosure
    blackwell: str
    conditions: list[str]

    @classmethod
    def _of(cls, found: Mapping[str, Any], a: Mechanism, b: Mechanism) -> Comparison:
        self = cls()
        self.a, self.b = a, b
        self.delta_a_b = Enclosure._of(found["delta_a_b"], "Δ(A‖B)")
        self.delta_b_a = Enclosure._of(found["delta_b_a"], "Δ(B‖A)")
        self.symmetric = Enclosure._of(found["symmetric"], "Δ↔")
        self.blackwell = found["blackwell"]
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
        rows += [(e.quantity, str(e)) for e in (self.delta_a_b, self.delta_b_a, self.symmetric)]
        cells = "".join(f"<tr><th>{html.escape(name)}</th><td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in rows)
        return f"<table>{cells}</table><p>{html.escape(self.words)}</p>{_provided(self.conditions)}"


def compare(a: Mechanism, b: Mechanism, *, max_seconds: float | None = None) -> Comparison:
    """Compares two mechanisms.

    >>> import dpcmp
    >>> dpcmp.compare(dpcmp.gaussian(sigma=1), dpcmp.laplace(scale=1)).blackwell
    'incomparable'
    """
    return a.compare(b, max_seconds=max_seconds)
