"""What can be claimed about a mechanism. Every inequality is non-strict.

>>> from dpcmp import claims
>>> claims.approx_dp(epsilon=8, delta="1e-5")
Claim(approx-dp: epsilon=8, delta=1e-5)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .mechanism import Mechanism
from .numbers import Number, exact_text, short
from .text import argument, key

__all__ = [
    "Claim",
    "advantage",
    "approx_dp",
    "dominated_by",
    "gdp",
    "pure_dp",
    "rdp",
    "regret",
    "trade_off",
    "zcdp",
]


def _mechanism(of: Mechanism | Mapping[str, Any]) -> Mapping[str, Any]:
    """With the neighbouring relation under which it is stated."""
    return of._stated() if isinstance(of, Mechanism) else of


class Claim:
    """A claim, or a target of a calibration: a kind and its numbers, which are exact texts."""

    __slots__ = ("kind", "numbers")

    kind: str
    numbers: dict[str, Any]

    def __init__(self, kind: str, /, **numbers: Any) -> None:
        given = {key(name): value for name, value in numbers.items() if value is not None}
        self.kind = key(kind)
        self.numbers = {
            name: _mechanism(value) if isinstance(value, (Mechanism, Mapping)) else exact_text(value, f"`{name}`")
            for name, value in given.items()
        }

    @classmethod
    def _of(cls, found: tuple[str, list[tuple[str, str]]]) -> Claim:
        claim = cls(found[0])
        claim.numbers = {name: short(value) for name, value in found[1]}
        return claim

    def argument(self) -> str:
        """As the command line reads it."""
        return argument(self.kind, self.numbers)

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a claim file."""
        return {"kind": self.kind, **self.numbers}

    def __getitem__(self, name: str) -> Any:
        return self.numbers[key(name)]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Claim) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.argument())

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={value}" for name, value in self.numbers.items())
        return f"Claim({self.kind}{': ' if numbers else ''}{numbers})"


def pure_dp(epsilon: Number | None = None, *, exp_epsilon: Number | None = None) -> Claim:
    """ε-DP: no loss is larger than ε."""
    return Claim("pure-dp", epsilon=epsilon, exp_epsilon=exp_epsilon)


def approx_dp(epsilon: Number | None = None, delta: Number | None = None, *, exp_epsilon: Number | None = None) -> Claim:
    """(ε, δ)-DP: δ(ε) is at most δ."""
    return Claim("approx-dp", epsilon=epsilon, exp_epsilon=exp_epsilon, delta=delta)


def gdp(mu: Number, *, tolerance: Number | None = None, error_floor: Number | None = None) -> Claim:
    """μ-GDP: strict, up to a tolerance, or above an error floor."""
    return Claim("gdp", mu=mu, tolerance=tolerance, error_floor=error_floor)


def regret(mu: Number, at_most: Number) -> Claim:
    """The regret of reporting μ is at most this."""
    return Claim("regret", mu=mu, at_most=at_most)


def zcdp(rho: Number) -> Claim:
    """ρ-zCDP."""
    return Claim("zcdp", rho=rho)


def rdp(order: Number, epsilon: Number) -> Claim:
    """The Rényi divergence of this order is at most ε."""
    return Claim("rdp", order=order, epsilon=epsilon)


def advantage(at_most: Number) -> Claim:
    """The largest advantage of a membership attack is at most this."""
    return Claim("advantage", at_most=at_most)


def trade_off(alpha: Number, beta: Number) -> Claim:
    """f(alpha) ≥ beta: attacks with this false-positive rate miss at least so often."""
    return Claim("trade-off", alpha=alpha, beta=beta)


def dominated_by(mechanism: Mechanism, at_most: Number) -> Claim:
    """Δ(mechanism‖M) is at most this."""
    return Claim("dominated-by", mechanism=mechanism, at_most=at_most)
