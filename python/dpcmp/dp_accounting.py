"""A ``dp_accounting.PrivacyAccountant``, for whatever takes one: TF-Privacy, JAX-Privacy, and code of your own.

>>> import dp_accounting
>>> from dpcmp.dp_accounting import Accountant
>>> step = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.1))
>>> bounds = Accountant().compose(step, 1000).enclose_epsilon(1e-5)
>>> float(bounds) == Accountant().compose(step, 1000).get_epsilon(1e-5)
True
"""

from __future__ import annotations

import math
from typing import Any

from dp_accounting import dp_event
from dp_accounting.privacy_accountant import NeighboringRelation, PrivacyAccountant

from .enclosure import Enclosure
from .errors import InputError, UnsupportedError
from .kinds import pure_dp
from .mechanism import Mechanism

__all__ = ["Accountant"]


class Accountant(PrivacyAccountant):
    """Composes ``DpEvent`` objects under any neighbouring relation; ε and δ are the upper ends of proved enclosures.

    Args:
        neighboring_relation: add or remove one record unless said otherwise.
        precision: the width of enclosures relative to the number, 1e-4 unless said otherwise.
        max_seconds: for each question.
    """

    def __init__(
        self,
        neighboring_relation: NeighboringRelation = NeighboringRelation.ADD_OR_REMOVE_ONE,
        *,
        precision: Any = None,
        max_seconds: float | None = None,
    ) -> None:
        super().__init__(neighboring_relation)
        self._options = {"precision": precision, "max_seconds": max_seconds}

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        # The ledger is the state: nothing is to be done here but to see whether the event can be read.
        if do_compose or isinstance(event, dp_event.NoOpDpEvent) or _is_bare(event):
            return None
        try:
            Mechanism.from_dp_event(event, self._neighboring_relation)._ask()
        except (InputError, UnsupportedError) as error:
            return PrivacyAccountant.CompositionErrorDetails(invalid_event=event, error_message=error.message)
        return None

    def to_mechanism(self) -> Mechanism:
        """What was composed so far, as a mechanism; 0-DP before anything was."""
        if self._is_empty():
            return pure_dp(epsilon=0)
        return Mechanism.from_dp_event(self.ledger, self._neighboring_relation)

    def _is_empty(self) -> bool:
        return isinstance(self.ledger, dp_event.NoOpDpEvent)

    def enclose_epsilon(self, target_delta: Any) -> Enclosure:
        """The least ε at this δ, enclosed from both sides."""
        if _is_bare(self.ledger):
            return Enclosure(-math.inf, math.inf, quantity="epsilon", certified_by="something was released without noise", is_narrow=False)
        found: Enclosure = self.to_mechanism().epsilon(target_delta, **self._options)
        return found

    def get_epsilon(self, target_delta: float) -> float:
        """ε at this δ: the upper end, as a float that is not below it."""
        return max(0.0, float(self.enclose_epsilon(target_delta)))

    def get_delta(self, target_epsilon: float) -> float:
        """δ at this ε: the upper end, as a float that is not below it."""
        if _is_bare(self.ledger):
            return 1.0
        return float(self.to_mechanism().delta(target_epsilon, **self._options))


def _is_bare(event: Any) -> bool:
    """Is something in it released without noise, as the search for the least noise tries?"""
    if isinstance(event, dp_event.NonPrivateDpEvent):
        return True
    if getattr(event, "noise_multiplier", None) == 0:
        return True
    parts = [getattr(event, "event", None), *(getattr(event, "events", None) or ())]
    return any(_is_bare(part) for part in parts if isinstance(part, dp_event.DpEvent))
