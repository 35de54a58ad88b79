"""Lists that keep what they are: a slice of one, and several put together, are of the same kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex, TypeVar, overload

T = TypeVar("T")
L = TypeVar("L", bound="Kept[Any]")


class Kept(list[T]):
    """A list whose slices, copies and sums are lists of its kind."""

    def _like(self: L, items: Iterable[Any], *others: Any) -> L:
        """A list of this kind with other items, which come from it and from `others`."""
        return type(self)(items)

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self: L, place: slice) -> L: ...
    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return self._like(found) if isinstance(place, slice) else found

    def __add__(self: L, other: Any) -> L:  # type: ignore[override]
        return self._like(super().__add__(other), other) if isinstance(other, list) else NotImplemented

    def __radd__(self: L, other: Any) -> L:
        return self._like([*other, *self], other) if isinstance(other, list) else NotImplemented

    def copy(self: L) -> L:
        """Another one with the same items."""
        return self._like(self)
