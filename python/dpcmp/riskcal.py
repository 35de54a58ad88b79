"""The names of riskcal with proved numbers: replace ``import riskcal`` by ``from dpcmp import riskcal``.

Noise that is found is certified to meet its target and rounded up; advantages are upper ends, false-negative rates and Bayes risks lower ones, as floats on the safe side.
``grid_step``, tolerances and brackets of the numerical method are accepted and mean nothing here. Where riskcal takes a ``dp_accounting`` PLD, this module takes one, too,
and proves what follows from it (:meth:`dpcmp.Mechanism.from_pld`); of a :class:`dpcmp.Mechanism` it proves what is true.

>>> from dpcmp import riskcal
>>> noise = riskcal.calibration.dpsgd.find_noise_multiplier_for_advantage(advantage=0.1, sample_rate=0.002, num_steps=10000)
>>> riskcal.calibration.dpsgd.get_advantage_for_dpsgd(noise, sample_rate=0.002, num_steps=10000) <= 0.1
True
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from . import claims, gdpnum, kinds
from .history import float_or_array
from .numbers import Number
from .pld import mechanism_of
from .search import calibrate

__all__ = [
    "CTDAccountant",
    "accountants",
    "analysis",
    "calibration",
    "find_noise_multiplier_for_advantage",
    "find_noise_multiplier_for_epsilon_delta",
    "find_noise_multiplier_for_err_rates",
    "get_advantage_for_dpsgd",
    "get_advantage_from_adp",
    "get_advantage_from_gdp",
    "get_advantage_from_pld",
    "get_bayes_risk_from_gdp",
    "get_bayes_risk_from_pld",
    "get_beta_for_dpsgd",
    "get_beta_from_adp",
    "get_beta_from_gdp",
    "get_beta_from_pld",
    "get_beta_from_rdp",
    "get_beta_from_zcdp",
]


class CTDAccountant(gdpnum.CTDAccountant):
    """An Opacus-compatible accountant that also answers with attack risks."""


def find_noise_multiplier_for_advantage(advantage: Number, sample_rate: Number, num_steps: int, **_: Any) -> float:
    """The least noise multiplier of DP-SGD at which no membership attack has more than this advantage."""
    return _least_noise(claims.advantage(advantage), sample_rate, num_steps)


def find_noise_multiplier_for_err_rates(alpha: Number, beta: Number, sample_rate: Number, num_steps: int, **_: Any) -> float:
    """The least noise multiplier of DP-SGD at which attacks with false-positive rate ``alpha`` miss at least at the rate ``beta``."""
    return _least_noise(claims.trade_off(alpha, beta), sample_rate, num_steps)


def find_noise_multiplier_for_epsilon_delta(epsilon: Number, delta: Number, sample_rate: Number, num_steps: int, **_: Any) -> float:
    """The least noise multiplier of DP-SGD that is (ε, δ)-DP."""
    return _least_noise(claims.approx_dp(epsilon, delta), sample_rate, num_steps)


def _least_noise(claim: claims.Claim, sample_rate: Number, num_steps: int) -> float:
    return float(calibrate(kinds.dp_sgd, "noise_multiplier", claim, sample_rate=sample_rate, steps=num_steps))


def get_advantage_for_dpsgd(noise_multiplier: Number, sample_rate: Number, num_steps: int, **_: Any) -> float:
    """The largest advantage of an attack on DP-SGD."""
    return get_advantage_from_pld(kinds.dp_sgd(noise_multiplier=noise_multiplier, sample_rate=sample_rate, steps=num_steps))


def get_beta_for_dpsgd(noise_multiplier: Number, sample_rate: Number, num_steps: int, alpha: Any, **_: Any) -> Any:
    """False-negative rates of attacks on DP-SGD."""
    return get_beta_from_pld(kinds.dp_sgd(noise_multiplier=noise_multiplier, sample_rate=sample_rate, steps=num_steps), alpha)


def get_beta_from_pld(pld: Any, alpha: Any) -> Any:
    """The trade-off function of a mechanism, or what a PLD says of it."""
    of = mechanism_of(pld)
    return float_or_array(alpha, lambda place: float(of.tradeoff(place)))


def get_advantage_from_pld(pld: Any) -> float:
    """The largest advantage of a membership attack."""
    return float(mechanism_of(pld).advantage())


def get_bayes_risk_from_pld(pld: Any, prior: Any) -> Any:
    """The Bayes error, with the prior that riskcal has: the weight of false positives."""
    of = mechanism_of(pld)
    return float_or_array(prior, lambda place: float(of.bayes_error(place)))


def get_beta_from_gdp(mu: Number, alpha: Any) -> Any:
    """The trade-off function that μ-GDP guarantees."""
    return get_beta_from_pld(kinds.gdp(mu=mu), alpha)


def get_advantage_from_gdp(mu: Any) -> Any:
    """The advantage that μ-GDP allows."""
    return float_or_array(mu, lambda one: get_advantage_from_pld(kinds.gdp(mu=one)))


def get_bayes_risk_from_gdp(mu: Number, prior: Any) -> Any:
    """The Bayes error that μ-GDP guarantees."""
    return get_bayes_risk_from_pld(kinds.gdp(mu=mu), prior)


def get_beta_from_adp(epsilon: Number, delta: Number, alpha: Any) -> Any:
    """The trade-off function that (ε, δ)-DP guarantees."""
    return get_beta_from_pld(kinds.approx_dp(epsilon=epsilon, delta=delta), alpha)


def get_advantage_from_adp(epsilon: Number, delta: Number) -> float:
    """The advantage that (ε, δ)-DP allows."""
    return get_advantage_from_pld(kinds.approx_dp(epsilon=epsilon, delta=delta))


def get_beta_from_rdp(epsilon: Number, alpha: Any, order: Number, **_: Any) -> Any:
    """The trade-off function that a Rényi bound at one order guarantees."""
    return get_beta_from_pld(kinds.rdp(orders=[[order, epsilon]]), alpha)


def get_beta_from_zcdp(rho: Number, alpha: Any, **_: Any) -> Any:
    """The trade-off function that ρ-zCDP guarantees."""
    return get_beta_from_pld(kinds.zcdp(rho=rho), alpha)


# The names that riskcal is about to drop, for code that still has them.
get_beta_for_mu = get_beta_from_gdp
get_beta_for_epsilon_delta = get_beta_from_adp

calibration = SimpleNamespace(
    dpsgd=SimpleNamespace(
        find_noise_multiplier_for_advantage=find_noise_multiplier_for_advantage,
        find_noise_multiplier_for_err_rates=find_noise_multiplier_for_err_rates,
        get_advantage_for_dpsgd=get_advantage_for_dpsgd,
        get_beta_for_dpsgd=get_beta_for_dpsgd,
    ),
    find_noise_multiplier_for_advantage_dpsgd=find_noise_multiplier_for_advantage,
    find_noise_multiplier_for_err_rates_dpsgd=find_noise_multiplier_for_err_rates,
    get_advantage_for_dpsgd=get_advantage_for_dpsgd,
    get_beta_for_dpsgd=get_beta_for_dpsgd,
)
analysis = SimpleNamespace(
    **{name: value for name, value in list(globals().items()) if name.startswith("get_") and not name.endswith("_for_dpsgd")},
)
accountants = SimpleNamespace(CTDAccountant=CTDAccountant)
