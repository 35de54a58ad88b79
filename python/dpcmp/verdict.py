"""Claims decided, and certificates that prove the decision again."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NoReturn

from . import _native, given
from .claims import Claim
from .enclosure import Enclosure
from .errors import InputError, OutOfTimeError, UnsupportedError
from .files import Found, claim_files
from .lists import Kept
from .numbers import decimal, of_fraction, seconds_of, short
from .text import Written, within_file

__all__ = ["Certificate", "Checked", "Verdict", "Verdicts", "verify"]

_USUAL_SECONDS = 60.0
_COLOURS = {"verified": "#1a7f37", "refuted": "#cf222e", "undecided": "#9a6700"}
_SIGNS = {"verified": "✓", "refuted": "✗", "undecided": "?"}


class Verdict:
    """What became of a claim.

    Attributes:
        outcome: ``"verified"``, ``"refuted"`` or ``"undecided"``.
        claim: what was claimed.
        enclosure: the quantity that the claim bounds.
        bound: the number by which it bounds it.
        margin: the certified distance from the bound as a decimal, rounded towards 0; not positive where the claim is false.
        statement: which reading was decided: ``"strict"``, ``"tolerance"``, ``"error-floor"`` or ``"exact"``.
        is_vacuous: is the claim true of every mechanism?
        is_within_rounding: is the miss within half a unit of the last digit that the claim prints?
        nearest_true: the nearest true claim to one that is false, rounded to the safe side.
        other_nearest_true: of (ε, δ)-DP, the one with the same ε.
        witness: where a false claim fails, as texts by name.
        reason: why it is undecided: ``"budget"``, ``"unsupported"`` or ``"does-not-follow"``.
        explanation: the same in words.
        mechanism: the mechanism, in words.
        conditions: what the verdict takes for granted.
        title, source: of the claim file.
    """

    __slots__ = (
        "outcome", "claim", "enclosure", "bound", "margin", "statement", "is_vacuous", "is_within_rounding", "nearest_true", "other_nearest_true",
        "witness", "reason", "explanation", "mechanism", "conditions", "title", "source", "_from_above", "_file", "_number",
    )  # fmt: skip

    outcome: str
    claim: Claim
    enclosure: Enclosure
    bound: Fraction
    margin: str | None
    statement: str
    is_vacuous: bool
    is_within_rounding: bool
    nearest_true: Claim | None
    other_nearest_true: Claim | None
    witness: dict[str, str]
    reason: str | None
    explanation: str | None
    mechanism: str
    conditions: list[str]
    title: str | None
    source: str | None
    _from_above: bool
    _file: tuple[str, int | None] | None
    _number: int

    @classmethod
    def _of(
        cls,
        found: Mapping[str, Any],
        *,
        mechanism: str,
        conditions: list[str],
        title: str | None = None,
        source: str | None = None,
        file: tuple[str, int | None] | None = None,
        number: int = 0,
    ) -> Verdict:
        self = cls()
        self.outcome = found["outcome"]
        self.claim = Claim._of(found["claim"])
        self.enclosure = Enclosure._of(found["enclosure"], found["query"])
        self.bound = of_fraction(found["bound"])
        self.margin = found["margin"]
        self.statement = found["statement"]
        self.is_vacuous = found["vacuous"]
        self.is_within_rounding = found["within_rounding"]
        self.nearest_true = None if found["nearest"] is None else Claim._of(found["nearest"])
        self.other_nearest_true = None if found["other_nearest"] is None else Claim._of(found["other_nearest"])
        self.witness = {name: short(value) for name, value in found["witness"]}
        self.reason = found["reason"]
        self.explanation = found["explanation"]
        self.mechanism = mechanism
        self.conditions = conditions
        self.title = title
        self.source = source
        self._from_above = found["from_above"]
        self._file = file
        self._number = number
        return self

    @property
    def is_verified(self) -> bool:
        """Is the claim true?"""
        return self.outcome == "verified"

    @property
    def is_refuted(self) -> bool:
        """Is the claim false?"""
        return self.outcome == "refuted"

    @property
    def is_undecided(self) -> bool:
        """Was neither shown?"""
        return self.outcome == "undecided"

    def certificate(self, *, max_seconds: float | None = None) -> Certificate:
        """A certificate, from which a separate small program proves the verdict again; it has been checked already.

        Raises:
            UnsupportedError: if the claim is undecided, was not read from a claim file, or certificates do not cover it.
        """
        if self._file is None:
            raise UnsupportedError("a certificate contains a claim file", hint="use dpcmp.verify(…) with a path, text or dictionary")
        text, line = self._file
        file = _native.ClaimFile.from_text(text, line)
        made = file.certificate(self._number, seconds_of(max_seconds, _USUAL_SECONDS))
        return Certificate(made)

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict is verified, refuted or undecided: use .is_verified, .is_refuted or .is_undecided")

    def to_dict(self) -> dict[str, Any]:
        """All of it, for tables and JSON; bounds as decimals, rounded outwards."""
        low, high = self.enclosure.decimals()
        return {
            "title": self.title,
            **self.claim.to_dict(),
            "verdict": self.outcome,
            "statement": self.statement,
            "quantity": self.enclosure.quantity,
            "lower": low,
            "upper": high,
            "bound": str(self.bound),
            "margin": self.margin,
            "vacuous": self.is_vacuous,
            "reason": self.reason,
            "explanation": self.explanation,
            "witness": self.witness or None,
            "nearest-true": None if self.nearest_true is None else self.nearest_true.to_dict(),
            "rounding-of-printed-digits": self.is_within_rounding,
        }

    def _details(self) -> str:
        text = self.enclosure._words()
        if self.margin is not None:
            text += f", margin {self.margin}" if self.is_verified else f", misses by {self.margin.lstrip('-')}"
        if self.nearest_true is not None:
            text += f"; nearest true: {self.nearest_true!r}"
        if self.is_undecided:
            text += f"; {self.reason}: {self.explanation}"
        return text

    def __repr__(self) -> str:
        return f"<{_SIGNS[self.outcome]} {self.outcome} {self.claim!r}: {self._details()}>"

    def _row(self) -> str:
        colour = _COLOURS[self.outcome]
        cells = [f"<b style='color:{colour}'>{_SIGNS[self.outcome]} {self.outcome}</b>", html.escape(repr(self.claim)), html.escape(self._details())]
        return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"

    def _repr_html_(self) -> str:
        return f"<table>{self._row()}</table>{_provided(self.conditions)}"


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict) else value


def _provided(conditions: list[str]) -> str:
    return f"<p><small>provided: {html.escape('; '.join(conditions))}</small></p>"


class Verdicts(Kept[Verdict]):
    """Verdicts in the order of the claims; a list that draws itself as a table. Slices and sums are of this kind.

    Attributes:
        skipped: what was not read in a folder, by its path, with the reason, such as ``"hidden"``; a :class:`dpcmp.errors.SkippedWarning` says it, too.
    """

    skipped: Mapping[str, str]

    def __init__(self, verdicts: Iterable[Verdict] = (), *, skipped: Mapping[str, str] | None = None) -> None:
        super().__init__(verdicts)
        self.skipped = {} if skipped is None else dict(skipped)

    def _like(self, items: Iterable[Verdict], *others: Any) -> Verdicts:
        skipped = {name: why for of in (self, *others) for name, why in getattr(of, "skipped", {}).items()}
        return type(self)(items, skipped=skipped)

    def columns(self) -> dict[str, list[Any]]:
        """Columns for ``pandas.DataFrame(…)`` or ``polars.DataFrame(…)``; numbers as texts, as nothing else holds them."""
        rows = [verdict.to_dict() for verdict in self]
        keys: dict[str, None] = {}
        for row in rows:
            keys.update(dict.fromkeys(row))
        return {name: [_flat(row.get(name)) for row in rows] for name in keys}

    def _repr_html_(self) -> str:
        parts, last = [], None
        for verdict in self:
            head = (verdict.title, verdict.mechanism)
            if head != last:
                title = f"{html.escape(verdict.title)}: " if verdict.title else ""
                parts.append(f"<tr><th colspan=3 style='text-align:left'>{title}{html.escape(verdict.mechanism)}</th></tr>")
                last = head
            parts.append(verdict._row())
        conditions = list(dict.fromkeys(condition for verdict in self for condition in verdict.conditions))
        skipped = f"<p><small>skipped: {html.escape(', '.join(self.skipped))}</small></p>" if self.skipped else ""
        return f"<table>{''.join(parts)}</table>{_provided(conditions)}{skipped}"


class Checked:
    """What the checker says of a certificate: ``is_accepted``, the ``verdict`` and the statement that it ``proved``, and all of it in ``words``."""

    __slots__ = ("is_accepted", "verdict", "proved", "words")

    def __init__(self, is_accepted: bool, verdict: str | None, proved: str | None, words: str) -> None:
        self.is_accepted, self.verdict, self.proved, self.words = is_accepted, verdict, proved, words

    def __repr__(self) -> str:
        return f"<{'accepted' if self.is_accepted else 'rejected'}: {self.proved or self.words}>"

    def __str__(self) -> str:
        return self.words


class Certificate:
    """A decided claim with hints, from which ``dpcmp-check``, which shares no code with the engine, proves the verdict again."""

    __slots__ = ("text",)

    text: str

    def __init__(self, text: str) -> None:
        self.text = given.text(text, "text", "Certificate.load(…) reads the file of one")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Reads one."""
        return cls(given.read(path)[1])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as it is."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.text)

    def check(self, claim_file: str | None = None, *, max_seconds: float | None = None) -> Checked:
        """Proves it again, with the separate checker; with the text of a claim file, also that it is about that one.

        Raises:
            OutOfTimeError: if the time ends before the checker has said anything.
        """
        claim = None if claim_file is None else given.text(claim_file, "claim_file", "give the text of the claim file, not its path").encode()
        seconds = seconds_of(max_seconds, _USUAL_SECONDS)
        found = _native.check_certificate(self.text.encode(), claim, seconds)
        if found is None:
            raise OutOfTimeError("the time ended before the certificate was checked", hint="give a larger max_seconds")
        return Checked(found["accepted"], found["verdict"], found["proved"], found["words"])

    def __repr__(self) -> str:
        return f"<Certificate of {len(self.text)} bytes>"


def verify(what: str | os.PathLike[str] | Mapping[str, Any], *, max_seconds: float | None = None) -> Verdicts:
    """Decides the claims of a claim file.

    Args:
        what: a path of a claim file, of a ``.jsonl`` file with one a line, or of a folder; a text in TOML or JSON, which has a line break or starts
            with ``{``; or a dictionary with ``mechanism`` and ``claim``. A folder stands for the claim files in it and in its folders, as for ``dpcmp verify``: what is
            hidden, certificates, results of dpcmp, links to folders and files with other endings are skipped. ``skipped`` of the verdicts has them, and a
            :class:`dpcmp.errors.SkippedWarning` says so.
        max_seconds: for each claim.

    >>> import dpcmp
    >>> dpcmp.verify({"mechanism": {"kind": "laplace", "scale": 2}, "claim": {"kind": "pure-dp", "epsilon": 0.4}})[0].outcome
    'refuted'

    Raises:
        InputError: if it is no claim file, with the place in it and a hint; of a folder, if one of its files is none, before any claim is decided.
    """
    seconds = seconds_of(max_seconds, _USUAL_SECONDS)
    files, skipped = _files(what)
    verdicts = Verdicts(skipped=skipped)
    for of, line, path in files:
        with within_file(path):
            found = of.verify(seconds)
        for number, one in enumerate(found):
            verdicts.append(
                Verdict._of(
                    one, mechanism=of.words, conditions=of.conditions, title=of.title, source=of.source, file=(of.text, line), number=number
                )
            )
    return verdicts


def is_text(what: str) -> bool:
    """Is this a claim file itself, not the path of one?"""
    return "\n" in what or what.lstrip().startswith("{")


#: A claim file, its line where it is one of several in a file, and the path of that file.
_Found = tuple[_native.ClaimFile, int | None, str | None]


def _files(what: Any) -> tuple[list[_Found], Mapping[str, str]]:
    """All of them, read, and what was skipped in folders."""
    if isinstance(what, Mapping):
        return [(claim_file_of(what), None, None)], {}
    if isinstance(what, str) and is_text(what):
        return [(_native.ClaimFile.from_text(what, None), None, None)], {}
    if not isinstance(what, (str, os.PathLike)):
        raise InputError(
            f"claims are a path, a text or a dictionary, not a {type(what).__name__}",
            code="wrong-type",
            place="what",
            hint="call dpcmp.verify once for each; of a mechanism at hand, mechanism.verify(…) decides claims",
        )
    found, skipped = claim_files(given.path(what, "what"), level=3)
    return list(map(_read, found)), skipped


def _read(found: Found) -> _Found:
    path, line, text = found
    with within_file(path):
        return (_native.ClaimFile.from_path(path) if text is None else _native.ClaimFile.from_text(text, line)), line, path


def claim_file_of(what: Mapping[str, Any]) -> _native.ClaimFile:
    """A claim file that is given as a dictionary."""
    written = Written({name: _claims(item) if name == "claim" else item for name, item in what.items()})
    return written.call(lambda text: _native.ClaimFile.from_text(text, None))


def _claims(claims: Any) -> Any:
    if isinstance(claims, Claim):
        return claims.to_dict()
    if isinstance(claims, (list, tuple)):
        return [_claims(claim) for claim in claims]
    return claims
