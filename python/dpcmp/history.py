"""What accountants of DP-SGD keep: a history of (noise multiplier, sample rate, steps)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from .enclosure import Enclosure
from .errors import InputError
from .kinds import pure_dp
from .mechanism import Mechanism

__all__ = ["History", "float_or_array"]


_STATE = "give what state_dict() of an accountant has made"


class History:
    """Keeps what was run, and answers with proved numbers; the base of the accountants of this package. It needs no other package."""

    history: list[tuple[float, float, int]]

    def __init__(self) -> None:
        self.history = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """One step of DP-SGD: Gaussian noise of this multiplier on a Poisson sample of this rate."""
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            steps = self.history[-1][2]
            self.history[-1] = (noise_multiplier, sample_rate, steps + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def to_mechanism(self) -> Mechanism:
        """What was run, as a mechanism.

        Raises:
            InputError: if nothing was run, or without noise.
        """
        if not self.history:
            raise InputError("the history is empty: the accountant has seen no step", place="history", hint="call step(…) for every step of the training")
        return Mechanism.from_opacus(self.history)

    def enclose_epsilon(self, delta: Any, **options: Any) -> Enclosure:
        """The least ε at this δ, enclosed from both sides; ``options`` are those of :meth:`dpcmp.Mechanism.epsilon`."""
        if self._is_without_noise():
            return _exactly(math.inf, "epsilon")
        mechanism = self.to_mechanism() if self.history else pure_dp(epsilon=0)
        found: Enclosure = mechanism.epsilon(delta, **options)
        return found

    def _epsilon(self, delta: Any, **options: Any) -> float:
        """The upper end; ε of a guarantee is not negative."""
        return max(0.0, float(self.enclose_epsilon(delta, **options)))

    def _is_without_noise(self) -> bool:
        return any(noise == 0 and rate > 0 for noise, rate, _ in self.history)

    def _steps(self) -> int:
        return sum(steps for _, _, steps in self.history)

    def _state(self, destination: Any, mechanism: str) -> Any:
        destination["history"] = deepcopy(self.history)
        destination["mechanism"] = mechanism
        return destination

    def _load(self, state: Mapping[str, Any]) -> None:
        if not state:
            raise InputError("the state is empty", place="state", hint=_STATE)
        for key in ("history", "mechanism"):
            if key not in state:
                raise InputError(f"the state has no `{key}`", place="state", hint=_STATE)
        # What was run is the same whichever accountant kept it.
        self.history = [(phase[0], phase[1], phase[2]) for phase in state["history"]]


def _exactly(number: float, quantity: str) -> Enclosure:
    return Enclosure(number, number, quantity=quantity, certified_by="the definition")


def float_or_array(places: Any, answer: Any) -> Any:
    """`answer` at a number, or at each number of a numpy array or a sequence; what comes out is like what goes in."""
    if hasattr(places, "shape"):
        import numpy

        flat = [answer(float(place)) for place in places.ravel()]
        return numpy.array(flat).reshape(places.shape)
    if isinstance(places, (list, tuple)):
        return [answer(place) for place in places]
    return answer(places)
