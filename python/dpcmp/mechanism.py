"""A mechanism, and what can be asked of it."""

from __future__ import annotations

import html
import json
import os
import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

from . import _native, given
from .curve import Curve
from .enclosure import Enclosure
from .errors import InputError
from .numbers import Number, exact_text, precision_text, seconds_of
from .text import Written, as_dict, ask, key, plain, within_file

if TYPE_CHECKING:
    from .claims import Claim
    from .comparison import Comparison
    from .report import Report
    from .search import Calibration
    from .verdict import Verdicts

__all__ = ["Mechanism"]

_USUAL_SECONDS = 60.0

#: Densities on the prior by which a comparison weights, as on the command line.
USUAL_PRIORS = ("jeffreys", "uquadratic")


class Mechanism:
    """A mechanism under a neighbouring relation.

    The functions of this package, such as :func:`dpcmp.dp_sgd`, make one; so does this class of the dictionary or the text of a mechanism file, with all kinds
    and keys (``docs/claims.md``), an Opacus accountant state, or a dp_accounting ``DpEvent``.

    Every question takes ``precision`` (the width relative to the number, 1e-4 and far less where there is a closed form), ``absolute_precision``, and
    ``max_seconds`` (60): when the time ends, the best bounds so far are the answer. ``estimate=True`` gives a fast float **without any guarantee**.

    >>> import dpcmp
    >>> run = dpcmp.Mechanism({"kind": "dp-sgd", "noise-multiplier": "9.4", "sample-rate": "16384/50000", "steps": 2000})
    >>> 7.4243 < float(run.epsilon(delta="1e-5")) < 7.4249
    True

    Raises:
        InputError: if it is no mechanism, with its place and a hint.
    """

    __slots__ = ("_spec", "_text", "_words", "_native", "_threads", "_lock")

    def __init__(self, what: Mapping[str, Any] | str | Mechanism, *, threads: int | None = None) -> None:
        """Of a dictionary, or a text in TOML or JSON; no result depends on the number of threads."""
        if isinstance(what, Mechanism):
            what = what._spec if what._spec is not None else what._text
        self._threads = given.threads(threads)
        self._text: str
        self._native: _native.Analysis | None = None
        self._lock = threading.Lock()
        if isinstance(what, os.PathLike) or isinstance(what, str) and given.is_file_name(what):
            name = os.fspath(what)
            raise InputError(
                f"{name!r} is the name of a file, not a mechanism",
                code="wrong-type",
                place="what",
                hint=f"dpcmp.Mechanism.from_file({name!r}) reads its mechanism, dpcmp.verify({name!r}) its claims",
            )
        if isinstance(what, str):
            self._spec: Mapping[str, Any] | None = as_dict(what)
            self._text = what
            self._words = _native.Analysis.read(what)
        elif isinstance(what, Mapping):
            written = Written(what)
            self._text = written.text
            self._words = written.call(_native.Analysis.read)
            self._spec = json.loads(self._text)
        else:
            raise InputError(
                f"a mechanism is a dictionary or a text, not a {type(what).__name__}",
                code="wrong-type",
                place="what",
                hint='for instance dpcmp.gaussian(sigma=1), or {"kind": "gaussian", "sigma": 1}',
            )

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Mechanism:
        """The mechanism of a mechanism or claim file."""
        name, text = given.read(path)
        with within_file(name):
            return cls(text)

    @classmethod
    def from_opacus(cls, state: Any) -> Mechanism:
        """The mechanism of an Opacus accountant, its state or its history of (noise multiplier, sample rate, steps), or of a checkpoint that a
        ``PrivacyEngine`` has saved, as ``torch.load`` reads it.

        Raises:
            InputError: if it is none of these.
        """
        if hasattr(state, "state_dict"):
            state = state.state_dict()
        if isinstance(state, Mapping):
            state = state.get("privacy_accountant_state_dict", state)
        history: Any = state.get("history") if isinstance(state, Mapping) else state
        try:
            phases = [list(phase) for phase in history]
        except TypeError:
            what = f"a dictionary with {', '.join(map(repr, state))}" if isinstance(state, Mapping) and state else f"something of type {type(state).__name__}"
            raise InputError(
                f"this is no state of an Opacus accountant, but {what}",
                code="wrong-type",
                place="state",
                hint="a state has `history`: give privacy_engine.accountant, its state_dict(), or what torch.load(checkpoint) gives",
            ) from None
        return cls({"history": phases})

    @classmethod
    def from_dp_event(cls, event: Any, neighboring_relation: Any = "ADD_OR_REMOVE_ONE") -> Mechanism:
        """The mechanism of a dp_accounting ``DpEvent``, or its ``to_named_tuple()``."""
        if hasattr(event, "to_named_tuple"):
            event = event.to_named_tuple()
        relation = getattr(neighboring_relation, "name", neighboring_relation)
        return cls({"event": plain(event), "neighboring-relation": relation})

    @classmethod
    def from_pld(cls, pld: Any) -> Mechanism:
        """What a ``PrivacyLossDistribution`` of dp_accounting says: every answer is proved if that is an upper bound.

        Raises:
            InputError: if it is an optimistic estimate.
        """
        from .pld import mechanism_of_pld

        return mechanism_of_pld(pld)

    def _ask(self) -> _native.Analysis:
        with self._lock:
            if self._native is None:
                self._native = _native.Analysis(self._text, _USUAL_SECONDS, self._threads)
            return self._native

    @property
    def words(self) -> str:
        """The mechanism in a few words."""
        return self._words

    @property
    def adjacency(self) -> str:
        """The neighbouring relation, ``"add-remove"`` unless said otherwise."""
        return self._ask().adjacency

    @property
    def conditions(self) -> list[str]:
        """What every answer takes for granted, in words."""
        return self._ask().conditions

    @property
    def notes(self) -> list[str]:
        """What dpcmp worked out while it read the mechanism, such as the number of steps from epochs."""
        return self._ask().notes

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as a dictionary, numbers as exact texts.

        Raises:
            InputError: if it was given as TOML and this Python has no ``tomllib``.
        """
        if self._spec is None:
            raise InputError("this mechanism was given as TOML, which Python reads from 3.11 on", place="what", hint="give it as JSON")
        copy: dict[str, Any] = json.loads(json.dumps(self._spec))
        return copy

    # What is asked most.

    @overload
    def bound(
        self, query: str, *, precision: Number | None = ..., absolute_precision: Number | None = ...,
        max_seconds: float | None = ..., estimate: Literal[False] = ...,
    ) -> Enclosure: ...
    @overload
    def bound(
        self, query: str, *, precision: Number | None = ..., absolute_precision: Number | None = ...,
        max_seconds: float | None = ..., estimate: bool,
    ) -> Enclosure | float: ...
    def bound(
        self,
        query: str,
        *,
        precision: Number | None = None,
        absolute_precision: Number | None = None,
        max_seconds: float | None = None,
        estimate: bool = False,
    ) -> Enclosure | float:
        """Any query as the command line has it: ``"advantage"``, ``"epsilon:delta=1e-5"``, ``"gdp-mu:tolerance=1e-10"``.

        >>> import dpcmp
        >>> dpcmp.gaussian(sigma=2).bound("gdp-mu")
        Enclosure(gdp-mu = 1/2)

        Raises:
            InputError, UnsupportedError, OutOfTimeError
        """
        given.text(query, "query", given.QUERY)
        seconds = seconds_of(max_seconds, _USUAL_SECONDS)
        width = precision_text(precision, absolute_precision)
        of = self._ask()
        if estimate:
            return of.estimate(query, seconds)
        return Enclosure._of_query(of.bound(query, width, seconds), query)

    @overload
    def epsilon(self, delta: Number, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def epsilon(self, delta: Number, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def epsilon(self, delta: Number, **options: Any) -> Any:
        """The least ε with δ(ε) ≤ delta."""
        return ask("epsilon", {"delta": delta}, lambda query: self.bound(query, **options))

    @overload
    def delta(self, epsilon: Number | None = ..., *, exp_epsilon: Number | None = ..., estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def delta(self, epsilon: Number | None = ..., *, exp_epsilon: Number | None = ..., estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def delta(self, epsilon: Number | None = None, *, exp_epsilon: Number | None = None, **options: Any) -> Any:
        """The privacy profile δ(ε); ``exp_epsilon`` gives e^ε exactly instead."""
        if (epsilon is None) == (exp_epsilon is None):
            raise InputError("give either `epsilon` or `exp_epsilon`", code="conflict", place="epsilon", hint="for instance delta(1) or delta(exp_epsilon=2)")
        numbers = {"epsilon": epsilon} if exp_epsilon is None else {"exp-epsilon": exp_epsilon}
        return ask("delta", numbers, lambda query: self.bound(query, **options))

    @overload
    def tradeoff(self, alpha: Number, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def tradeoff(self, alpha: Number, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def tradeoff(self, alpha: Number, **options: Any) -> Any:
        """The trade-off function f(alpha): the least false-negative rate of attacks with this false-positive rate."""
        return ask("tradeoff", {"alpha": alpha}, lambda query: self.bound(query, **options))

    @overload
    def advantage(self, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def advantage(self, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def advantage(self, **options: Any) -> Any:
        """δ(0): the largest advantage of a membership attack."""
        return self.bound("advantage", **options)

    @overload
    def bayes_error(self, prior: Number = ..., *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def bayes_error(self, prior: Number = ..., *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def bayes_error(self, prior: Number = "1/2", **options: Any) -> Any:
        """The least average error of attacks, where the record is **absent** with this prior; under the relation ``add``, where it is there with it."""
        return ask("bayes-error", {"prior": prior}, lambda query: self.bound(query, **options))

    @overload
    def minimax_risk(self, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def minimax_risk(self, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def minimax_risk(self, **options: Any) -> Any:
        """The largest Bayes error over all priors."""
        return self.bound("minimax-risk", **options)

    @overload
    def mu(self, *, tolerance: Number | None = ..., error_floor: Number | None = ..., estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def mu(self, *, tolerance: Number | None = ..., error_floor: Number | None = ..., estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def mu(self, *, tolerance: Number | None = None, error_floor: Number | None = None, **options: Any) -> Any:
        """The least μ of Gaussian DP: strict, up to a tolerance, or wherever both errors are at least ``error_floor``."""
        given = {"tolerance": tolerance, "error-floor": error_floor}
        return ask("gdp-mu", {name: n for name, n in given.items() if n is not None}, lambda query: self.bound(query, **options))

    @overload
    def regret(self, mu: Number | None = ..., *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def regret(self, mu: Number | None = ..., *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def regret(self, mu: Number | None = None, **options: Any) -> Any:
        """Δ(M‖G_μ): by how much the error of an attack is under-reported when μ-GDP is reported; without ``mu``, of the least strict μ."""
        return ask("regret", {"mu": "mu_star" if mu is None else mu}, lambda query: self.bound(query, **options))

    @overload
    def renyi(self, order: Number, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def renyi(self, order: Number, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def renyi(self, order: Number, **options: Any) -> Any:
        """The Rényi divergence of this order: any number above 0, or ``"inf"``."""
        infinite = isinstance(order, float) and order == float("inf")
        return ask("renyi", {"order": "inf" if infinite else order}, lambda query: self.bound(query, **options))

    @overload
    def zcdp_rho(self, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def zcdp_rho(self, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def zcdp_rho(self, **options: Any) -> Any:
        """The least ρ of zCDP."""
        return self.bound("zcdp-rho", **options)

    @overload
    def max_loss(self, *, estimate: Literal[True], **options: Any) -> float: ...
    @overload
    def max_loss(self, *, estimate: Literal[False] = ..., **options: Any) -> Enclosure: ...
    def max_loss(self, **options: Any) -> Any:
        """The largest privacy loss: the least ε of pure ε-DP, or infinity."""
        return self.bound("max-loss", **options)

    # Two mechanisms.

    def divergence(
        self,
        other: Mechanism,
        *,
        symmetric: bool = False,
        prior: str | None = None,
        precision: Number | None = None,
        absolute_precision: Number | None = None,
        max_seconds: float | None = None,
    ) -> Enclosure:
        """Δ(self‖other): the regret of choosing ``other`` instead; ``symmetric`` for the larger of both; ``prior`` weights it (``"jeffreys"``, …)."""
        if symmetric and prior is not None:
            raise InputError("`symmetric` and `prior` exclude each other", code="conflict", place="prior")
        seconds = seconds_of(max_seconds, _USUAL_SECONDS)
        width = precision_text(precision, absolute_precision)
        if prior is not None:
            given.text(prior, "prior", given.PRIORS)
        found = self._ask().divergence(_other(other)._ask(), prior, symmetric, width, seconds)
        return Enclosure._of(found, "delta-symmetric" if symmetric else "delta-divergence")

    def compare(
        self,
        other: Mechanism,
        *,
        priors: Iterable[str] = USUAL_PRIORS,
        tolerance: Number | None = None,
        max_seconds: float | None = None,
    ) -> Comparison:
        """Both divergences, plain and weighted by each of the priors, which of the two is the more private everywhere, if either, where the curves
        cross, and of compositions from how many steps on Δ(self‖other) is proved to be at most ``tolerance`` (Kaissis et al. 2024)."""
        from .comparison import Comparison

        texts = given.texts(priors, "priors", given.PRIORS)
        most = None if tolerance is None else exact_text(tolerance, "`tolerance`")
        with given.at("other", single="priors" if isinstance(priors, str) else None):
            found = self._ask().compare(_other(other)._ask(), texts, most, seconds_of(max_seconds, _USUAL_SECONDS))
        return Comparison._of(found, self, other, texts)

    # More than one number.

    def report(self, deltas: Iterable[Number] = (), *, max_seconds: float | None = None) -> Report:
        """Every short statement that is true of it, each with its regret (Gomez et al. 2025)."""
        from .report import Report

        texts = [exact_text(delta, f"`deltas[{place}]`") for place, delta in enumerate(given.items(deltas, "deltas"))]
        return Report._of(self._ask().report(texts, seconds_of(max_seconds, _USUAL_SECONDS)), self)

    def verify(self, *claims: Claim | str, max_seconds: float | None = None) -> Verdicts:
        """Decides claims: :mod:`dpcmp.claims` makes them, or a text does, ``"approx-dp:epsilon=8,delta=1e-5"``."""
        from .claims import Claim
        from .verdict import Verdict, Verdicts

        if not claims:
            raise InputError("there is no claim to verify", place="claims", hint='for instance "approx-dp:epsilon=8,delta=1e-5"; report() says what is true')
        seconds = seconds_of(max_seconds, _USUAL_SECONDS)
        of, verdicts = self._ask(), Verdicts()
        for claim in claims:

            def decide(text: str) -> Any:
                return of.verify(text, seconds)

            found = ask(claim.kind, claim.numbers, decide) if isinstance(claim, Claim) else decide(given.text(claim, "claims", given.CLAIM))
            verdicts.append(Verdict._of(found, mechanism=self.words, conditions=of.conditions))
        return verdicts

    def calibrate(self, solve: str, target: Claim | str | Iterable[Claim | str], **options: Any) -> Calibration:
        """Solves for one of its parameters, whatever that is now, so that claims are provably met: :func:`dpcmp.calibrate`.

        >>> import dpcmp
        >>> run = dpcmp.dp_sgd(noise_multiplier=1, sample_rate="1/100", steps=100)
        >>> found = run.calibrate("noise_multiplier", "approx-dp:epsilon=1,delta=1e-5")
        >>> float(found.mechanism.epsilon(delta="1e-5")) <= 1
        True
        """
        from .search import calibrate

        return calibrate(self, solve, target, **options)

    def curve(
        self,
        kind: Literal["privacy-profile", "trade-off", "bayes-error"] = "trade-off",
        places: Iterable[Number] | None = None,
        *,
        max_seconds: float | None = None,
    ) -> Curve:
        """A curve at these places, all of which share the time: ε, false-positive rates, or priors."""
        kinds = f"one of {', '.join(Curve.KINDS)}"
        if given.text(kind, "kind", kinds) not in Curve.KINDS:
            raise InputError(f"there is no curve `{kind}`", code="unknown-kind", place="kind", hint=kinds)
        if places is None:
            places = Curve.usual_places(kind)
        texts = [exact_text(at, f"`places[{number}]`") for number, at in enumerate(given.items(places, "places"))]
        with given.at("places"):
            found = self._ask().curve(kind, texts, seconds_of(max_seconds, _USUAL_SECONDS))
        return Curve._of(kind, found, self.words, self.conditions)

    # Compositions.

    def __add__(self, other: object) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return Mechanism({"kind": "compose", "of": [self._inner(), other._inner()], **self._relation(other)})

    def __mul__(self, times: object) -> Mechanism:
        if not isinstance(times, int) or isinstance(times, bool):
            return NotImplemented
        return Mechanism({"kind": "compose", "of": [{**self._inner(), "times": times}], **self._relation(self)})

    __rmul__ = __mul__

    def _stated(self) -> dict[str, Any]:
        stated = self.to_dict()
        if "kind" not in stated:
            raise InputError(
                "only a mechanism with `kind` can be part of another one", code="wrong-type", place="of", hint="state it as one of dpcmp.kinds, such as dpcmp.dp_sgd"
            )
        return stated

    def _inner(self) -> dict[str, Any]:
        return {name: value for name, value in self._stated().items() if name != "adjacency"}

    def _relation(self, other: Mechanism) -> dict[str, str]:
        mine, theirs = (m.to_dict().get("adjacency", "add-remove") for m in (self, other))
        if mine != theirs:
            raise InputError(f"{mine} and {theirs} are different neighbouring relations", code="conflict", place="adjacency", hint="state both under the same one")
        return {} if mine == "add-remove" else {"adjacency": mine}

    # Python's own.

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return (self._spec or self._text) == (other._spec or other._text)

    def __hash__(self) -> int:
        return hash(self._words)

    def __reduce__(self) -> tuple[object, ...]:
        return (Mechanism, (self._spec if self._spec is not None else self._text,))

    def __repr__(self) -> str:
        return f"<Mechanism {self._words}>"

    def __str__(self) -> str:
        return self._words

    def _repr_html_(self) -> str:
        rows = ""
        if isinstance(self._spec, dict):
            shown = {name: value for name, value in self._spec.items() if not isinstance(value, (dict, list))}
            rows = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in shown.items())
        return f"<div><strong>{html.escape(self._words)}</strong><table>{rows}</table></div>"


def _other(what: Any) -> Mechanism:
    if isinstance(what, Mechanism):
        return what
    raise InputError(
        f"a mechanism is compared with another one, not with something of type {type(what).__name__}",
        code="wrong-type",
        place="other",
        hint="dpcmp.Mechanism(…) makes one of a dictionary or a text",
    )


def of_keywords(kind: str, numbers: Mapping[str, Any]) -> Mechanism:
    """The mechanism of this kind; keywords that are ``None`` are left out."""
    spec: dict[str, Any] = {"kind": kind}
    for name, value in numbers.items():
        if value is not None:
            spec[key(name)] = _part(value, numbers.get("adjacency")) if name == "of" else value
    return Mechanism(spec)


def _part(of: Any, relation: Any) -> Any:
    """A mechanism within another one of this neighbouring relation: itself, a dictionary, or a list of these, where a pair is (mechanism, times)."""
    if isinstance(of, Mechanism):
        stated = of.to_dict().get("adjacency", "add-remove")
        if stated not in ("add-remove", relation):
            raise InputError(
                f"a part is stated under {stated}, and the whole under {relation or 'add-remove'}",
                code="conflict",
                place="adjacency",
                hint=f'state the whole under it, too: adjacency="{stated}"',
            )
        return of._inner()
    if isinstance(of, (list, tuple)):
        parts: list[Any] = []
        for item in of:
            if isinstance(item, tuple) and len(item) == 2:
                part = _part(item[0], relation)
                if not isinstance(part, Mapping):
                    raise InputError(
                        f"a pair is (mechanism, times), and this is one of {type(item[0]).__name__} and {type(item[1]).__name__}", code="wrong-type",
                        place=f"of[{len(parts)}]", hint='a part of a mixture has a weight: {"weight": "1/3", **mechanism.to_dict()}',
                    )  # fmt: skip
                parts.append({**part, "times": item[1]})
            else:
                parts.append(_part(item, relation))
        return parts
    return of
