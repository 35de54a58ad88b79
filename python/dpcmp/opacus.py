"""An accountant for Opacus: import this module and say ``PrivacyEngine(accountant="dpcmp")``.

``get_epsilon`` is the upper end of a proved enclosure; ``enclose_epsilon`` is both. States of Opacus's own accountants can be loaded, too: what was run is the same.

It counts what Opacus counts: every step is taken to be Gaussian noise on a Poisson sample. Numbers are the shortest decimals of the floats that Opacus passes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from opacus.accountants import IAccountant
from opacus.accountants.registry import register_accountant

from .history import History

__all__ = ["Accountant"]


class Accountant(History, IAccountant):
    """The Opacus accountant of dpcmp, registered as ``"dpcmp"``."""

    def __init__(self) -> None:
        History.__init__(self)

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:
        """ε spent so far: the upper end of its enclosure, as a float that is not below it.

        Args:
            delta: the δ to which it belongs.
            kwargs: ``precision`` and ``max_seconds``, as in :meth:`dpcmp.Mechanism.epsilon`; those of other accountants, such as ``alphas``, mean nothing here.
        """
        known = {name: value for name, value in kwargs.items() if name in ("precision", "absolute_precision", "max_seconds")}
        return self._epsilon(delta, **known)

    def __len__(self) -> int:
        """Phases, as Opacus's RDP accountant counts."""
        return len(self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name under which it is registered."""
        return "dpcmp"

    def state_dict(self, destination: Any = None) -> Any:
        """The state, in the form of Opacus."""
        return self._state(OrderedDict() if destination is None else destination, self.mechanism())

    def load_state_dict(self, state_dict: Any) -> None:
        """Loads a state of this or of any other Opacus accountant.

        Raises:
            ValueError: if it is none.
        """
        self._load(state_dict)


register_accountant(Accountant.mechanism(), Accountant, force=True)
