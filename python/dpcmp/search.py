"""The least noise that meets a target, and the same queries at many values."""

from __future__ import annotations

import functools
import html
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from . import _native, given, kinds
from .claims import Claim
from .enclosure import Enclosure
from .errors import DpcmpError, InputError
from .lists import Kept
from .mechanism import Mechanism, _part
from .numbers import Number, decimal, exact_text, of_fraction, precision_text, safe_float, seconds_of
from .text import Written, argument, key
from .verdict import _provided

__all__ = ["Calibration", "Sweep", "SweepPoint", "calibrate", "sweep", "target"]

Template = Mapping[str, Any] | Mechanism | str | Callable[..., Mechanism]
"""A mechanism that may leave out what is solved for: a dictionary, a mechanism, a kind, or one of the functions of this package, also as ``functools.partial``."""


class Calibration:
    """A value that is certified to meet the targets, and one next to it that is certified to miss one.

    ``float(…)`` is the value rounded to the side where it still meets them, as far as one that misses is known to tell which side that is.

    Attributes:
        key: what was solved for.
        value: meets the targets, an exact ``Fraction``.
        misses: misses a target, or ``None`` where no such value is known.
        is_narrow: are the two as close as asked for?
        conditions: what all of this takes for granted.
        notes: where else the targets hold, and what the two values do not say.
    """

    __slots__ = ("key", "value", "misses", "is_narrow", "conditions", "notes", "_template")

    key: str
    value: Fraction
    misses: Fraction | None
    is_narrow: bool
    conditions: list[str]
    notes: list[str]
    _template: str

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism with the value put in."""
        spec = json.loads(self._template)
        *path, last = self.key.split(".")
        within: Any = spec
        for name in path:
            within = within[int(name) if isinstance(within, list) else name]
        within[last] = self.value
        return Mechanism(spec)

    def __float__(self) -> float:
        upwards = self.misses is None or self.misses < self.value
        return safe_float(self.value, upwards)

    def __int__(self) -> int:
        if self.value.denominator != 1:
            raise TypeError(f"{self.key} is not a whole number")
        return self.value.numerator

    def __repr__(self) -> str:
        """Both as far from each other as rounding puts them: what is printed meets the target, and misses it."""
        if self.misses is None:
            text = decimal(self.value, 17, upwards=True)
            text = text if text == decimal(self.value, 17, upwards=False) else str(self.value)
            return f"<Calibration {self.key} = {text} meets the target, none known misses it>"
        upwards = self.misses < self.value
        meets, misses = decimal(self.value, 9, upwards), decimal(self.misses, 9, not upwards)
        return f"<Calibration {self.key} = {meets} meets the target, {misses} misses it>"

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{html.escape(text)}</p>" for text in [repr(self)[1:-1], *self.notes])
        return said + _provided(self.conditions)


def target(kind: str, /, **numbers: Number) -> Claim:
    """What an attack may reach: ``target("tpr", fpr=0.1, at_most=0.3)``, ``"accuracy"``, ``"ppv"``, ``target("bayes-error", prior="1/2", at_least=0.4)``."""
    return Claim(kind, **numbers)


def calibrate(
    mechanism: Template,
    solve: str,
    target: Claim | str | Iterable[Claim | str],
    *,
    precision: Number | None = None,
    absolute_precision: Number | None = None,
    max_seconds: float | None = None,
    threads: int | None = None,
    **numbers: Any,
) -> Calibration:
    """Solves for one parameter, such as the noise, so that claims are provably met.

    Args:
        mechanism: what is calibrated, without the parameter or with any value of it; other keywords are its numbers.
        solve: the parameter, such as ``"noise_multiplier"``, or one of a mechanism within, such as ``"of.sigma"`` or ``"of.0.sigma"``.
        target: a claim of :mod:`dpcmp.claims`, a :func:`target`, their text, or several of these.

    >>> import dpcmp
    >>> from dpcmp import claims
    >>> noise = dpcmp.calibrate(dpcmp.gaussian, "sigma", claims.advantage("0.1"))
    >>> 3.979 < noise.value < 3.98
    True

    Raises:
        InputError: if nothing can be solved for, or nothing meets the targets (``code`` is ``"unreachable"``).
        OutOfTimeError: if the time ended before anything was certified.
    """
    template = _template(mechanism, numbers)
    given.text(solve, "solve", "for instance 'noise_multiplier', or 'of.0.sigma' within another mechanism")
    is_single = isinstance(target, (Claim, str))
    targets = [target] if isinstance(target, (Claim, str)) else given.items(target, "target", given.CLAIM)
    texts = [one.argument() if isinstance(one, Claim) else given.text(one, f"target[{place}]", given.CLAIM) for place, one in enumerate(targets)]
    width = precision_text(precision, absolute_precision)
    seconds, most = seconds_of(max_seconds, 60.0), given.threads(threads)
    with given.at("solve", single="target" if is_single else None), _unreachable():
        found = template.call(lambda text: _native.calibrate(text, key(solve), texts, width, seconds, most))
    self = Calibration()
    self.key = key(solve)
    self.value = of_fraction(found["value"])
    self.misses = None if found["misses"] is None else of_fraction(found["misses"])
    self.is_narrow = found["narrow"]
    self.conditions = found["conditions"]
    self.notes = found["notes"]
    self._template = template.text
    return self


@contextmanager
def _unreachable() -> Iterator[None]:
    """What is wrong with no number or text is that nothing that is solved for meets the target, in the word of the command line."""
    try:
        yield
    except InputError as error:
        if error.code is None:
            raise InputError(error.message, code="unreachable", place=error.place) from None
        raise


def _template(mechanism: Template, numbers: Mapping[str, Any]) -> Written:
    return Written(_spec(mechanism, numbers))


def _spec(mechanism: Template, numbers: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(mechanism, Mechanism):
        spec: dict[str, Any] = mechanism.to_dict()
    elif isinstance(mechanism, Mapping):
        spec = dict(mechanism)
    elif isinstance(mechanism, str):
        spec = {"kind": key(mechanism)}
    elif callable(mechanism):
        name, given_before = _called(mechanism)
        spec, numbers = {"kind": key(name)}, {**given_before, **numbers}
    else:
        raise InputError(
            f"a mechanism is wanted, not a {type(mechanism).__name__}", code="wrong-type", place="mechanism", hint='for instance dpcmp.dp_sgd, or {"kind": "dp-sgd"}'
        )
    stated = {key(name): value for name, value in numbers.items() if value is not None}
    relation = stated.get("adjacency", spec.get("adjacency"))
    return {**spec, **{name: _part(value, relation) if name == "of" else value for name, value in stated.items()}}


def _called(mechanism: Callable[..., Mechanism]) -> tuple[str, dict[str, Any]]:
    """The name of one of the functions of `dpcmp.kinds`, and the keywords that ``functools.partial`` has for it."""
    numbers: dict[str, Any] = {}
    function: Any = mechanism
    while isinstance(function, functools.partial) and not function.args:
        function, numbers = function.func, {**function.keywords, **numbers}
    name = getattr(function, "__name__", "")
    if name in kinds.__all__ and getattr(kinds, name) is function:
        return name, numbers
    raise InputError(
        f"a function of dpcmp.kinds with keywords is wanted, not {mechanism!r}",
        code="wrong-type",
        place="mechanism",
        hint="for instance dpcmp.dp_sgd, or functools.partial(dpcmp.dp_sgd, steps=100); what else makes mechanisms can be called for each value",
    )


def grid(mechanism: Template, over: Any, numbers: Mapping[str, Any]) -> tuple[Written, list[tuple[str, list[str]]]]:
    """A mechanism in which every key that is swept has a place, and the values of each."""
    if not isinstance(over, Mapping):
        raise InputError("`over` must be a dictionary", code="wrong-type", place="over", hint='for instance {"noise_multiplier": [1, 2]}')
    axes: list[tuple[str, list[str]]] = []
    for name, values in over.items():
        name = given.text(name, "over", 'keys are texts, such as "noise_multiplier"')
        listed = [exact_text(value, f"`{name}[{place}]`") for place, value in enumerate(given.items(values, name))]
        axes.append((key(name), listed))
    spec = _spec(mechanism, numbers)
    for name, listed in axes:
        # A key that is left out is put in, so that what is wrong with its values is said of it.
        if listed and "." not in name and "mechanism" not in spec and name not in spec:
            spec[name] = listed[0]
    return Written(spec), axes


class SweepPoint:
    """The ``parameters`` of a point by key, and its ``answers`` by query: enclosures, or the exceptions that say why there is none.

    The ``conditions`` are what the answers take for granted.
    """

    __slots__ = ("parameters", "answers", "conditions")

    def __init__(self, parameters: dict[str, Fraction], answers: dict[str, Enclosure | DpcmpError], conditions: list[str]) -> None:
        self.parameters, self.answers, self.conditions = parameters, answers, conditions

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"<{values}: {list(self.answers.values())}>"


class Sweep(Kept[SweepPoint]):
    """Points in the order of the combinations; a list that makes columns and draws itself as a table. Slices and sums are of this kind."""

    def columns(self) -> dict[str, list[float | None]]:
        """Columns for ``pandas.DataFrame(…)`` or ``polars.DataFrame(…)``: parameters, and both ends of each answer, rounded outwards."""
        columns: dict[str, list[float | None]] = {}
        for point in self:
            for name, value in point.parameters.items():
                columns.setdefault(name, []).append(float(value))
            for query, answer in point.answers.items():
                low, high = answer.floats() if isinstance(answer, Enclosure) else (None, None)
                columns.setdefault(f"{query} lower", []).append(low)
                columns.setdefault(f"{query} upper", []).append(high)
        return columns

    def _repr_html_(self) -> str:
        if not self:
            return "<p>no points</p>"
        heads = [*self[0].parameters, *self[0].answers]
        rows = ["<tr>" + "".join(f"<th>{html.escape(head)}</th>" for head in heads) + "</tr>"]
        for point in self:
            cells = [str(value) for value in point.parameters.values()]
            cells += [str(answer) if isinstance(answer, Enclosure) else answer.message for answer in point.answers.values()]
            rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        conditions = list(dict.fromkeys(condition for point in self for condition in point.conditions))
        return f"<table>{''.join(rows)}</table>{_provided(conditions) if conditions else ''}"


def sweep(
    mechanism: Template,
    over: Mapping[str, Iterable[Number]],
    ask: str | Iterable[str],
    *,
    precision: Number | None = None,
    absolute_precision: Number | None = None,
    max_seconds: float | None = None,
    threads: int | None = None,
    **numbers: Any,
) -> Sweep:
    """Asks the same queries at all combinations of values of parameters.

    >>> import dpcmp
    >>> points = dpcmp.sweep(dpcmp.laplace, {"scale": [1, 2]}, "max-loss")
    >>> points[1].answers["max-loss"]
    Enclosure(max-loss = 1/2)

    Raises:
        InputError: if the mechanism, a key or a query is wrong. What is wrong with one point is the answer there.
    """
    template, axes = grid(mechanism, over, numbers)
    queries = given.texts(ask, "ask", given.QUERY)
    width = precision_text(precision, absolute_precision)
    seconds, most = seconds_of(max_seconds, 60.0), given.threads(threads)
    with given.at("over", single="ask" if isinstance(ask, str) else None):
        found = template.call(lambda text: _native.sweep(text, axes, queries, width, seconds, most))
    points = Sweep()
    for values, answers, conditions in found:
        parameters = {name: of_fraction(value) for (name, _), value in zip(axes, values)}
        points.append(SweepPoint(parameters, dict(_answers(template, queries, answers)), conditions))
    return points


def _answers(template: Written, queries: list[str], answers: list[Any]) -> Iterator[tuple[str, Enclosure | DpcmpError]]:
    for query, answer in zip(queries, answers):
        if isinstance(answer, DpcmpError):
            template.locate(answer)
            answer.place = answer.place or query
            yield query, answer
        else:
            yield query, Enclosure._of_query(answer, query)
