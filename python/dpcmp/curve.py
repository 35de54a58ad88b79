"""Certified curves, point by point, with bands that contain them between the points, too."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from .enclosure import Enclosure
from .numbers import of_fraction, safe_float

__all__ = ["Curve"]


class Curve:
    """A curve of a mechanism: the privacy profile δ(ε), the trade-off function f(α), or the Bayes error R(π).

    Attributes:
        kind: ``"privacy-profile"``, ``"trade-off"`` or ``"bayes-error"``.
        places: where it was asked for, exact fractions.
        values: what it is there, enclosures.
        label: the mechanism in a few words.
        conditions: what all of this takes for granted.
    """

    __slots__ = ("kind", "places", "values", "label", "conditions")

    #: Each kind with its axis and its value.
    KINDS = {"privacy-profile": ("epsilon", "delta"), "trade-off": ("alpha", "beta"), "bayes-error": ("prior", "error")}
    _SYMBOLS = {"privacy-profile": ("ε", "δ(ε)"), "trade-off": ("α", "f(α)"), "bayes-error": ("π", "R(π)")}
    _QUANTITIES = {"privacy-profile": "delta", "trade-off": "tradeoff", "bayes-error": "bayes-error"}

    kind: str
    places: list[Fraction]
    values: list[Enclosure]
    label: str
    conditions: list[str]

    @classmethod
    def _of(cls, kind: str, found: Sequence[tuple[tuple[str, str], dict[str, Any]]], label: str, conditions: list[str]) -> Curve:
        self = cls()
        self.kind = kind
        pairs = sorted(((of_fraction(place), Enclosure._of(value, cls._QUANTITIES[kind])) for place, value in found), key=lambda pair: pair[0])
        self.places = [place for place, _ in pairs]
        self.values = [value for _, value in pairs]
        self.label = label
        self.conditions = conditions
        return self

    @staticmethod
    def usual_places(kind: str) -> list[Fraction]:
        """21 places, denser where the curve bends."""
        if kind == "privacy-profile":
            return [Fraction(n, 4) for n in range(21)]
        return [Fraction(n * n, 400) for n in range(21)]

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[tuple[Fraction, Enclosure]]:
        return iter(zip(self.places, self.values))

    def columns(self) -> dict[str, list[float]]:
        """Columns for ``pandas.DataFrame(…)`` or ``polars.DataFrame(…)``; bounds are rounded outwards."""
        place, value = self.KINDS[self.kind]
        ends = [enclosure.floats() for enclosure in self.values]
        return {
            place: [float(at) for at in self.places],
            f"{value}_lower": [low for low, _ in ends],
            f"{value}_upper": [high for _, high in ends],
        }

    def band(self) -> tuple[list[float], list[float], list[float]]:
        """Places, and lower and upper bounds of the curve there, which joined by straight lines contain it between the points, too.

        Trade-off functions are convex and fall, Bayes errors are concave with slopes from -1 to 1, and privacy profiles fall.
        """
        points = [(at, value.lower, value.upper) for at, value in self if math.isfinite(value.lower) and math.isfinite(value.upper)]
        lower: list[tuple[Any, Any]] = []
        upper: list[tuple[Any, Any]] = []
        for place, (at, low, high) in enumerate(points):
            if place:
                before, low_before, high_before = points[place - 1]
                if self.kind == "bayes-error":
                    # Concave: above its chords; with slopes within ±1 below the roof of both ends.
                    top = (high_before + high + at - before) / 2
                    middle = before + (top - high_before)
                    if before < middle < at:
                        upper.append((middle, min(top, Fraction(1, 2))))
                elif self.kind == "trade-off":
                    # Convex: below its chords. It falls: above the value at the right end.
                    lower.append((before, low))
                else:
                    # It falls: between the values at both ends.
                    lower.append((before, low))
                    upper.append((at, high_before))
            lower.append((at, low))
            upper.append((at, high))
        places = sorted({at for at, _ in lower} | {at for at, _ in upper})
        xs, lows, highs = [], [], []
        for at in places:
            # At a jump both values stand at one place: first what comes from the left, then what goes to the right.
            below, above = _at(lower, at), _at(upper, at)
            for low, high in {(below[0], above[0]): None, (below[1], above[1]): None}:
                xs.append(float(at))
                lows.append(safe_float(low, upwards=False))
                highs.append(safe_float(high, upwards=True))
        return xs, lows, highs

    def _repr_svg_(self) -> str:
        return svg([self])

    def __repr__(self) -> str:
        return f"<Curve {self.kind} of {self.label}, {len(self)} points>"


def _at(line: list[tuple[Any, Any]], at: Any) -> tuple[Any, Any]:
    """The values of a line from the left and to the right."""
    here = [value for place, value in line if place == at]
    if here:
        return here[0], here[-1]
    left = [(place, value) for place, value in line if place < at][-1]
    right = [(place, value) for place, value in line if place > at][0]
    value = left[1] + (right[1] - left[1]) * (at - left[0]) / (right[0] - left[0])
    return value, value


_INKS = ("#0969da", "#bf3989", "#1a7f37", "#9a6700", "#8250df")


def svg(curves: Sequence[Curve], width: int = 420, height: int = 320) -> str:
    """A picture of curves of one kind, bands included."""
    left, right, top, bottom = 52, 12, 12 + 16 * len(curves), 40
    bands = [curve.band() for curve in curves]
    xs = [x for band in bands for x in band[0]] or [0.0, 1.0]
    ys = [y for band in bands for y in band[2]] or [0.0, 1.0]
    low, high, most = min(xs), max(xs), max(max(ys), 1e-300)
    if high <= low:
        high = low + 1.0

    def place(x: float, y: float) -> str:
        across = left + (x - low) / (high - low) * (width - left - right)
        down = height - bottom - y / most * (height - top - bottom)
        return f"{across:.2f},{down:.2f}"

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="11">']
    parts.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for tick in range(5):
        x, y = low + (high - low) * tick / 4, most * tick / 4
        across, down = place(x, 0).split(",")[0], place(low, y).split(",")[1]
        parts.append(f'<path d="M{across},{height - bottom}V{top}M{left},{down}H{width - right}" stroke="#d8dee4" fill="none"/>')
        parts.append(f'<text x="{across}" y="{height - bottom + 14}" text-anchor="middle">{x:.3g}</text>')
        parts.append(f'<text x="{left - 4}" y="{down}" text-anchor="end" dominant-baseline="middle">{y:.3g}</text>')
    for number, (curve, (across_all, lows, highs)) in enumerate(zip(curves, bands)):
        ink = _INKS[number % len(_INKS)]
        outline = [place(a, b) for a, b in zip(across_all, highs)] + [place(a, b) for a, b in reversed(list(zip(across_all, lows)))]
        if outline:
            parts.append(f'<path d="M{"L".join(outline)}Z" fill="{ink}" fill-opacity="0.25" stroke="{ink}" stroke-width="1" stroke-opacity="0.6"/>')
        parts.append(f'<text x="{left}" y="{14 + 16 * number}" fill="{ink}">{html.escape(curve.label)}</text>')
    if curves:
        across, up = Curve._SYMBOLS[curves[0].kind]
        parts.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">{across}</text>')
        parts.append(f'<text x="12" y="{height / 2}" text-anchor="middle" transform="rotate(-90 12 {height / 2})">{up}</text>')
    return "".join(parts) + "</svg>"
