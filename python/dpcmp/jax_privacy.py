"""The accountant of JAX-Privacy: give ``AccountantConfig()`` where ``PldAccountantConfig()`` stands.

>>> from jax_privacy import accounting
>>> from dpcmp.jax_privacy import AccountantConfig
>>> accountant = accounting.DpsgdTrainingAccountant(AccountantConfig())

``compute_epsilon`` is then the upper end of a proved enclosure, and ``jax_privacy.accounting.calibrate`` finds noise by it. JAX-Privacy takes truncated batches and
user-level accounting only from its own PLD accountant; state these with :func:`dpcmp.dp_sgd` instead.
"""

from __future__ import annotations

from typing import Any

from jax_privacy.accounting import DpAccountantConfig

from .dp_accounting import Accountant

__all__ = ["AccountantConfig"]


class AccountantConfig(DpAccountantConfig):
    """Makes accountants under add/remove of one record; the settings are those of :class:`dpcmp.dp_accounting.Accountant`."""

    def __init__(self, *, precision: Any = None, max_seconds: float | None = None) -> None:
        self.precision = precision
        self.max_seconds = max_seconds

    def create_accountant(self) -> Accountant:
        """An accountant that has seen nothing."""
        return Accountant(precision=self.precision, max_seconds=self.max_seconds)
