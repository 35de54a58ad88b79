"""Pictures on matplotlib axes. Bands are certified: the curve lies in them between the points, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .curve import Curve
from .errors import InputError
from .mechanism import Mechanism
from .numbers import Number
from .search import Sweep
from .text import key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_bayes_error", "plot_curve", "plot_privacy_profile", "plot_sweep", "plot_trade_off"]


def _axes(ax: Axes | None) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def plot_curve(curve: Curve, ax: Axes | None = None, **style: Any) -> Axes:
    """Draws a curve as its certified band; ``style`` goes to ``fill_between``."""
    ax = _axes(ax)
    places, lower, upper = curve.band()
    style.setdefault("label", curve.label)
    style.setdefault("alpha", 0.4)
    style.setdefault("linewidth", 1)
    ax.fill_between(places, lower, upper, **style)
    across, up = Curve._SYMBOLS[curve.kind]
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    ax.legend()
    return ax


def _plot(kind: Any, mechanism: Mechanism, places: Iterable[Number] | None, ax: Axes | None, seconds: float | None, style: dict[str, Any]) -> Axes:
    return plot_curve(mechanism.curve(kind, places, max_seconds=seconds), ax, **style)


def plot_trade_off(
    mechanism: Mechanism, alphas: Iterable[Number] | None = None, ax: Axes | None = None, *, max_seconds: float | None = None, **style: Any
) -> Axes:
    """Draws the trade-off function f(α)."""
    return _plot("trade-off", mechanism, alphas, ax, max_seconds, style)


def plot_privacy_profile(
    mechanism: Mechanism, epsilons: Iterable[Number] | None = None, ax: Axes | None = None, *, max_seconds: float | None = None, **style: Any
) -> Axes:
    """Draws the privacy profile δ(ε)."""
    return _plot("privacy-profile", mechanism, epsilons, ax, max_seconds, style)


def plot_bayes_error(
    mechanism: Mechanism, priors: Iterable[Number] | None = None, ax: Axes | None = None, *, max_seconds: float | None = None, **style: Any
) -> Axes:
    """Draws the Bayes error R(π)."""
    return _plot("bayes-error", mechanism, priors, ax, max_seconds, style)


def _one_of(name: Any, known: Mapping[str, Any], place: str) -> None:
    if not isinstance(name, str) or name not in known:
        raise InputError(f"the points have no {place} {name!r}", code="unknown-key", place=place, hint=f"they have {', '.join(map(repr, known))}")


def plot_sweep(points: Sweep, parameter: str, query: str, ax: Axes | None = None, **style: Any) -> Axes:
    """Draws the bounds of a query over one parameter; only the points are certified, so nothing is drawn between them but bars.

    Raises:
        InputError: if the points have no such parameter, or were not asked this.
    """
    if not isinstance(points, Sweep):
        raise InputError(f"`points` must be a Sweep, not a {type(points).__name__}", code="wrong-type", place="points", hint="dpcmp.sweep(…) gives one")
    if not points:
        raise InputError("there are no points to draw", place="points", hint="sweep over at least one value")
    # `noise_multiplier` is swept as `noise-multiplier`.
    named = key(parameter) if isinstance(parameter, str) and parameter not in points[0].parameters else parameter
    _one_of(named, points[0].parameters, "parameter")
    _one_of(query, points[0].answers, "query")
    columns = points.columns()
    ax = _axes(ax)
    rows = [
        (x, low, high)
        for x, low, high in zip(columns[named], columns[f"{query} lower"], columns[f"{query} upper"])
        if x is not None and low is not None and high is not None
    ]
    places = [x for x, _, _ in rows]
    middles = [(low + high) / 2 for _, low, high in rows]
    ax.errorbar(places, middles, yerr=[[(h - l) / 2 for _, l, h in rows]] * 2, fmt=style.pop("fmt", "."), capsize=2, **style)
    ax.set_xlabel(parameter)
    ax.set_ylabel(query)
    return ax
