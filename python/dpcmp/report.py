"""Every short statement that is true of a mechanism."""

from __future__ import annotations

import html
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from .claims import Claim
from .enclosure import Enclosure
from .mechanism import Mechanism
from .numbers import decimal, of_fraction, safe_float
from .verdict import _provided

__all__ = ["Report", "Risk", "Statement"]

_ORDER = ("strict μ-GDP", "μ-GDP up to 1e-10", "μ-GDP where both errors are at least 1e-10", "ρ-zCDP", "ε-DP")


class Statement:
    """A statement: its ``name``, the true ``claim`` with a rounded parameter (or ``None``), the tightest ``parameter``, and the ``regret`` of stating it."""

    __slots__ = ("name", "claim", "parameter", "regret")

    def __init__(self, name: str, claim: Claim | None, parameter: Enclosure, regret: Enclosure | None) -> None:
        self.name, self.claim, self.parameter, self.regret = name, claim, parameter, regret

    def __repr__(self) -> str:
        regret = "unknown" if self.regret is None else str(self.regret)
        return f"<{self.name}: {self.claim!r}, regret {regret}>"


class Risk(NamedTuple):
    """What attacks on membership reach at a false-positive rate."""

    alpha: Fraction
    beta: Enclosure

    @property
    def true_positive_rate(self) -> float:
        """No attack has more than this: 1 less the lower end of the false-negative rate, as a float that is not below it."""
        return safe_float(1 - self.beta.lower, upwards=True)


class Report:
    """Short statements that are true of a mechanism, each with its regret: by how much the error of an attack is under-reported by it (Gomez et al. 2025).

    Attributes:
        mechanism: the mechanism.
        statements: strict μ-GDP, μ-GDP up to 1e-10 and above an error floor of 1e-10, ρ-zCDP, ε-DP, and (ε, δ)-DP at each δ asked for.
        advantage: the largest advantage of a membership attack.
        risks: the least false-negative rate ``beta`` of attacks at false-positive rates ``alpha`` from 1e-5 to 0.1.
        conditions: what all of this takes for granted.
        recommended: the statement to report, as that paper recommends: one that says something and whose regret is proved to be below 0.01, μ-GDP if that is such a
            one, else the one of the least regret; ``None`` if the privacy profile itself is better.

    The statements are about both directions, whatever the adjacency; regrets are of the directions that the adjacency names.
    """

    __slots__ = ("mechanism", "statements", "advantage", "risks", "conditions", "recommended")

    mechanism: Mechanism
    statements: list[Statement]
    advantage: Enclosure
    risks: list[Risk]
    conditions: list[str]
    recommended: Statement | None

    @classmethod
    def _of(cls, found: Mapping[str, Any], mechanism: Mechanism) -> Report:
        self = cls()
        self.mechanism = mechanism
        self.statements = []
        for place, (claim, parameter, regret) in enumerate(found["statements"]):
            name = _ORDER[place] if place < len(_ORDER) else "(ε, δ)-DP"
            symbol = ("mu", "mu", "mu", "rho", "epsilon")[place] if place < len(_ORDER) else "epsilon"
            of = None if regret is None else Enclosure._of(regret, "regret")
            self.statements.append(Statement(name, None if claim is None else Claim._of(claim), Enclosure._of(parameter, symbol), of))
        self.advantage = Enclosure._of(found["advantage"], "advantage")
        self.risks = [Risk(of_fraction(alpha), Enclosure._of(beta, "tradeoff")) for alpha, beta in found["risks"]]
        self.conditions = found["conditions"]
        place = found["recommended"]
        self.recommended = None if place is None else self.statements[place]
        return self

    def columns(self) -> dict[str, list[Any]]:
        """Columns for ``pandas.DataFrame(…)``; bounds are rounded outwards."""
        ends = [s.parameter.floats() for s in self.statements]
        return {
            "statement": [s.name for s in self.statements],
            "claim": [None if s.claim is None else repr(s.claim) for s in self.statements],
            "parameter_lower": [low for low, _ in ends],
            "parameter_upper": [high for _, high in ends],
            "regret_upper": [None if s.regret is None else float(s.regret) for s in self.statements],
        }

    def __repr__(self) -> str:
        best = "the privacy profile" if self.recommended is None else repr(self.recommended)
        return f"<Report on {self.mechanism}: {best} recommended, {self.advantage._words()}>"

    def _repr_html_(self) -> str:
        rows = ["<tr><th>statement</th><th>true claim</th><th>tightest parameter</th><th>regret</th></tr>"]
        for s in self.statements:
            cells = (s.name, repr(s.claim) if s.claim else "none known", str(s.parameter), str(s.regret) if s.regret is not None else "unknown")
            bold = " style='font-weight:bold;text-align:left'" if s is self.recommended else " style='text-align:left'"
            rows.append("<tr>" + "".join(f"<td{bold}>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        advantage = html.escape(str(self.advantage))
        title = html.escape(str(self.mechanism))
        attacks = "<tr><th>false-positive rate</th><th>true-positive rate of any attack at most</th></tr>"
        attacks += "".join(f"<tr><td>{float(risk.alpha):g}</td><td>{_up(risk.true_positive_rate)}</td></tr>" for risk in self.risks)
        return (
            f"<p><b>{title}</b></p><table>{''.join(rows)}</table><table>{attacks}</table>"
            f"<p>membership advantage {advantage}</p>{_provided(self.conditions)}"
        )


def _up(rate: float) -> str:
    """Four digits, rounded up."""
    return decimal(Fraction(rate), 4, upwards=True)
