"""The names of gdpnum with proved numbers: replace ``import gdpnum`` by ``from dpcmp import gdpnum``.

μ and regrets are upper ends, false-negative rates lower ones, as floats on the safe side. ``grid_step`` and other settings of the numerical method are accepted and mean
nothing here. Of one kind of runs the numbers
differ: gdpnum 0.1.2 reports a μ that is too small where few steps meet a small rate (``fuzz/findings``). Where gdpnum takes a ``dp_accounting`` PLD this module takes one, too, and
proves what follows from it (:meth:`dpcmp.Mechanism.from_pld`); of a :class:`dpcmp.Mechanism` it proves what is true.

>>> from dpcmp import gdpnum
>>> mu, regret = gdpnum.dpsgd.get_mu_and_regret_for_dpsgd(noise_multiplier=9.4, sample_rate=0.32768, num_steps=2000)
>>> round(mu, 3), regret < 2e-3
(1.567, True)
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .history import History, float_or_array
from .kinds import dp_sgd
from .mechanism import Mechanism
from .numbers import Number
from .pld import mechanism_of

__all__ = ["CTDAccountant", "PLDConverter", "converter", "dpsgd", "get_mu_and_regret_for_dpsgd"]

#: The false-positive rates at which `get_beta` answers when none are given, beside the fixed point: those of gdpnum.
_ALPHAS = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)


class PLDConverter:
    """Converts a mechanism, or what a ``dp_accounting`` PLD says, to μ-GDP with its regret, and to its trade-off function."""

    def __init__(self, pld: Any) -> None:
        self.mechanism = mechanism_of(pld)

    def get_mu(self, err: Number = 1e-10) -> float:
        """The least μ of which μ-GDP is true wherever both errors are at least ``err``."""
        return float(self.mechanism.mu(error_floor=err))

    def get_mu_and_regret(self, err: Number = 1e-10) -> tuple[float, float]:
        """The same, with an upper bound of the regret of reporting it."""
        mu = self.get_mu(err)
        return mu, float(self.mechanism.regret(mu))

    def get_beta(self, input_alphas: Any = None) -> Any:
        """The trade-off function, at gdpnum's own places if none are given."""
        if input_alphas is None:
            fixed = (1 - float(self.mechanism.advantage())) / 2
            input_alphas = [*_ALPHAS, fixed]
        return float_or_array(input_alphas, lambda alpha: float(self.mechanism.tradeoff(alpha)))

    def tradeoff_function(self, input_alphas: Any) -> Any:
        """The trade-off function of the mechanism under its neighbouring relation: of both directions, where it does not state one."""
        return self.get_beta(input_alphas)

    def inverse_tradeoff_function(self, input_alphas: Any) -> Any:
        """Its inverse: the same function where it is about both directions, else that of the other one."""
        spec = self.mechanism.to_dict()
        other = {"remove": "add", "add": "remove"}.get(spec.get("adjacency", ""))
        inverse = self if other is None else PLDConverter(Mechanism({**spec, "adjacency": other}))
        return inverse.get_beta(input_alphas)

    def get_advantage(self) -> float:
        """The largest advantage of a membership attack."""
        return float(self.mechanism.advantage())


class CTDAccountant(History):
    """An Opacus-compatible accountant that also answers with μ."""

    def get_pld(self, **_: Any) -> Mechanism:
        """What was run, for the functions that take a PLD elsewhere: a mechanism here, of which nothing was discretised."""
        return self.to_mechanism()

    def get_epsilon(self, *, delta: Number, **_: Any) -> float:
        """ε at this δ, the upper end."""
        return self._epsilon(delta)

    def get_beta(self, alpha: Any = None, **_: Any) -> Any:
        """The trade-off function."""
        return PLDConverter(self.to_mechanism()).get_beta(alpha)

    def get_mu_and_regret(self, **_: Any) -> tuple[float, float]:
        """μ-GDP where both errors are at least 1e-10, and its regret."""
        return PLDConverter(self.to_mechanism()).get_mu_and_regret()

    def get_advantage(self, **_: Any) -> float:
        """The largest advantage of a membership attack."""
        return PLDConverter(self.to_mechanism()).get_advantage()

    def get_optimizer_hook_fn(self, sample_rate: float) -> Any:
        """What Opacus attaches to its optimizer."""

        def hook(optimizer: Any) -> None:
            self.step(noise_multiplier=optimizer.noise_multiplier, sample_rate=sample_rate * optimizer.accumulated_iterations)

        return hook

    def state_dict(self, destination: Any = None) -> Any:
        """The state."""
        return self._state({} if destination is None else destination, self.mechanism())

    def load_state_dict(self, state_dict: Any) -> None:
        """Loads a state of any accountant that keeps this history."""
        self._load(state_dict)

    @classmethod
    def mechanism(cls) -> str:
        """As in gdpnum."""
        return "ctd"

    def __len__(self) -> int:
        return self._steps()


def get_mu_and_regret_for_dpsgd(
    noise_multiplier: Number, sample_rate: Number, num_steps: int, grid_step: float | None = None, err: Number = 1e-10
) -> tuple[float, float]:
    """μ and the regret of DP-SGD."""
    run = dp_sgd(noise_multiplier=noise_multiplier, sample_rate=sample_rate, steps=num_steps)
    return PLDConverter(run).get_mu_and_regret(err)


dpsgd = SimpleNamespace(get_mu_and_regret_for_dpsgd=get_mu_and_regret_for_dpsgd, CTDAccountant=CTDAccountant)
converter = SimpleNamespace(PLDConverter=PLDConverter)
