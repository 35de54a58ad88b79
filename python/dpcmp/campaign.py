"""Large work on many machines, with `Dask distributed <https://distributed.dask.org>`_: verifying a corpus, sweeping a grid, fuzzing an accountant.

The work is cut into pieces, whose size does not depend on who does them. A finished piece is a file of JSON lines in the folder of the campaign, written at once; a campaign that
is started again with the same folder does only what is missing. A worker that dies loses the piece that it has in hand, which another one does again. What is found does not depend
on the number of workers, as long as there is time for every question.

>>> import tempfile
>>> from dpcmp import campaign
>>> with tempfile.TemporaryDirectory() as folder:
...     found = campaign.sweep(folder, {"kind": "laplace"}, {"scale": [1, 2]}, ["max-loss"], progress=False)
...     [line["answers"][0]["upper"] for line in found]
['1', '0.5']

Give ``client=distributed.Client(…)`` to use a cluster, local or not; without one the work is done here. Progress is a bar, and Dask's own dashboard, whose address is said. From the
shell the same is ``--shard K/N`` of ``dpcmp verify``, ``bound --batch``, ``bound --sweep`` and ``fuzz-accountant``, for the arrays of Slurm and its kind.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Union

from . import _native, given
from .enclosure import Enclosure
from .errors import DpcmpError, InputError
from .files import claim_files
from .mechanism import Mechanism
from .numbers import Number, exact_text, precision_text, seconds_of
from .search import Template, grid
from .text import Written, key
from .verdict import Verdict, claim_file_of, is_text

__all__ = ["Results", "fuzz", "sweep", "verify"]

PathLike = Union[str, "os.PathLike[str]"]
_SCHEMA = "dpcmp.campaign/1"
#: The argument that says how much there is to do.
_NAMES = {"verify": "claims", "sweep": "over", "fuzz": "cases"}
#: A piece that workers died of so often is given up.
_RETRIES = 20


class Results(Sequence[dict[str, Any]]):
    """The lines of a campaign, in the order of its jobs, whoever did them."""

    def __init__(self, folder: PathLike) -> None:
        """Opens the folder of a campaign.

        Raises:
            InputError: if it is none, or not finished.
        """
        self.folder = Path(folder)
        self.about = _read_about(self.folder)
        if self.about is None:
            raise InputError(f"`{folder}` is no folder of a campaign", code="unreadable", place="folder", hint="give the folder that a campaign was started with")
        paths = [_path(self.folder, piece) for piece in range(_pieces(self.about))]
        missing = sum(not path.exists() for path in paths)
        if missing:
            raise InputError(f"{missing} of {len(paths)} pieces are missing", place="folder", hint="start the campaign again, to do what is missing")
        self._paths = paths

    def __len__(self) -> int:
        assert self.about is not None
        return int(self.about["jobs"])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for path in self._paths:
            with open(path, encoding="utf-8") as lines:
                yield from map(json.loads, lines)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return list(self)[place]
        number = range(len(self))[place]
        assert self.about is not None
        size = self.about["piece"]
        with open(self._paths[number // size], encoding="utf-8") as lines:
            return [json.loads(line) for line in lines][number % size]

    def save(self, path: PathLike) -> None:
        """Writes all lines to one file."""
        with open(path, "wb") as out:
            for part in self._paths:
                out.write(part.read_bytes())

    def __repr__(self) -> str:
        assert self.about is not None
        return f"<Results of a {self.about['kind']} campaign, {len(self)} lines in {self.folder}>"


def verify(
    folder: PathLike,
    claims: PathLike | Mapping[str, Any] | Iterable[PathLike | Mapping[str, Any]],
    *,
    client: Any = None,
    piece: int = 20,
    max_seconds: float | None = None,
    progress: bool = True,
) -> Results:
    """Decides the claims of a corpus: paths, folders, texts or dictionaries, as :func:`dpcmp.verify` takes them, one line for each claim file.

    What is skipped in folders is said by a :class:`dpcmp.errors.SkippedWarning`. Claim files are sent to the workers as texts; only one that names a matrix in another file must be readable there under the same path.
    """
    if isinstance(claims, (str, os.PathLike, Mapping)):
        claims = [claims]
    jobs: list[Any] = []
    for one in given.items(claims, "claims", "give a path, a text, a dictionary, or a list of these"):
        paths = _unread(one)
        jobs.extend(paths)
    options = {"seconds": seconds_of(max_seconds, 60.0)}
    return _run(folder, "verify", options, jobs, len(jobs), piece, client, progress)


def sweep(
    folder: PathLike,
    mechanism: Template,
    over: Mapping[str, Iterable[Number]],
    ask: str | Iterable[str],
    *,
    client: Any = None,
    piece: int = 500,
    precision: Number | None = None,
    absolute_precision: Number | None = None,
    max_seconds: float | None = None,
    progress: bool = True,
    **numbers: Any,
) -> Results:
    """Asks the same queries at all combinations of values of parameters, as :func:`dpcmp.sweep` does; a line for each, bounds rounded outwards."""
    template, axes = grid(mechanism, over, numbers)
    options = {
        "template": template.text,
        "axes": axes,
        "queries": given.texts(ask, "ask", given.QUERY),
        "width": precision_text(precision, absolute_precision),
        "seconds": seconds_of(max_seconds, 60.0),
    }
    count = math.prod(len(values) for _, values in axes)
    return _run(folder, "sweep", options, None, count, piece, client, progress)


def fuzz(
    folder: PathLike,
    accountant: Callable[..., float],
    cases: int,
    *,
    seed: int = 0,
    slack: Number = "1e-9",
    factor: Number = 2,
    client: Any = None,
    piece: int = 50,
    max_seconds: float | None = 10,
    progress: bool = True,
) -> Results:
    """Asks an accountant of DP-SGD random questions, and holds its answers against proved bounds.

    Args:
        accountant: called with ``noise_multiplier``, ``sample_rate``, ``steps`` and ``delta``; answers with an ε that is to be a guarantee. Workers must be able to import it.
        cases: how many questions; they depend on the seed and their number alone.
        slack: an ε is unsound if it is below the proved lower bound by more than this fraction.
        factor: an ε is loose if it is above the proved upper bound by this factor.

    A line has the ``case``, the ``answer``, the proved ``lower`` and ``upper`` bound, and a ``fault``: ``"unsound"``, ``"loose"``, ``"nonsense"``, ``"crash"`` or ``None``.
    """
    name = getattr(accountant, "__qualname__", type(accountant).__qualname__)
    options = {
        "seed": seed,
        "slack": exact_text(slack, "`slack`"),
        "factor": exact_text(factor, "`factor`"),
        "seconds": seconds_of(max_seconds, 10.0),
        "accountant": f"{getattr(accountant, '__module__', '')}.{name}",
    }
    return _run(folder, "fuzz", options, None, given.whole(cases, "cases", 1), piece, client, progress, accountant)


# Pieces of the work, as workers do them.


def _work(kind: str, options: Mapping[str, Any], jobs: Any, start: int, end: int, helper: Any) -> str:
    """The lines of jobs from `start` to `end`. No line has anything in it that depends on when or where it is made."""
    make = {"verify": _verify_one, "sweep": _sweep_one, "fuzz": _fuzz_one}[kind]
    lines = []
    for place, number in enumerate(range(start, end)):
        job = None if jobs is None else jobs[place]
        line = make(options, number, job, helper)
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def _failure(error: DpcmpError) -> dict[str, Any]:
    return {"code": error.code or type(error).__name__, "message": error.message, "place": error.place, "hint": error.hint}


def _bounds(enclosure: Enclosure) -> dict[str, Any]:
    low, high = enclosure.decimals()
    found: dict[str, Any] = {"lower": low, "upper": high}
    if enclosure.exact is not None:
        found["exact"] = str(enclosure.exact)
    if not enclosure.is_narrow:
        found["narrow"] = False
    return found


def _verify_one(options: Mapping[str, Any], number: int, job: Any, helper: Any) -> dict[str, Any]:
    name, text, line = job
    head: dict[str, Any] = {"job": number, "file": name}
    if line is not None:
        head["line"] = line
    try:
        try:
            of = _native.ClaimFile.from_text(text, line)
        except InputError as error:
            if error.code != "unreadable" or name is None:
                raise
            of = _native.ClaimFile.from_path(name)
        found = of.verify(options["seconds"])
        verdicts = [Verdict._of(one, mechanism=of.words, conditions=[], title=of.title).to_dict() for one in found]
        return {**head, "mechanism": of.words, "claims": verdicts, "conditions": of.conditions}
    except DpcmpError as error:
        return {**head, "error": _failure(error)}


def _sweep_one(options: Mapping[str, Any], number: int, job: Any, helper: Any) -> dict[str, Any]:
    parameters, rest = {}, number
    for name, values in reversed(options["axes"]):
        rest, place = divmod(rest, len(values))
        parameters[name] = values[place]
    parameters = dict(reversed(parameters.items()))
    line: dict[str, Any] = {"job": number, "parameters": parameters}
    try:
        of = _with_values(options["template"], parameters).call(lambda text: _native.Analysis(text, options["seconds"], 1))
    except DpcmpError as error:
        return {**line, "error": _failure(error)}
    answers = []
    for query in options["queries"]:
        try:
            answers.append(_bounds(Enclosure._of(of.bound(query, options["width"], options["seconds"]), query)))
        except DpcmpError as error:
            answers.append({"error": _failure(error)})
    return {**line, "answers": answers}


def _with_values(template: str, parameters: Mapping[str, str]) -> Written:
    spec = json.loads(template)
    table = spec if "kind" in spec else spec["mechanism"]
    table.update(parameters)
    return Written(spec)


def _case(seed: int, number: int) -> dict[str, Any]:
    """A question, by its number: log-uniform, with a lean towards the corners."""
    draw = random.Random(f"{seed}:{number}")
    noise = float(f"{10 ** draw.uniform(-0.4, 1.2):.3g}")
    rate = 1.0 if draw.random() < 0.1 else float(f"{10 ** draw.uniform(-3, 0):.3g}")
    steps = 1 if draw.random() < 0.1 else int(10 ** draw.uniform(0, 4))
    delta = float(f"{10 ** draw.uniform(-10, -1):.2g}")
    return {"noise_multiplier": noise, "sample_rate": rate, "steps": steps, "delta": delta}


def _fuzz_one(options: Mapping[str, Any], number: int, job: Any, accountant: Callable[..., float]) -> dict[str, Any]:
    case = _case(options["seed"], number)
    line: dict[str, Any] = {"job": number, "case": case, "answer": None, "fault": None}
    spec = {"kind": "dp-sgd", **{key(name): case[name] for name in ("noise_multiplier", "sample_rate", "steps")}}
    truth: Enclosure = Mechanism(spec, threads=1).epsilon(case["delta"], max_seconds=options["seconds"])
    line.update(_bounds(truth))
    try:
        answer = float(accountant(**case))
    except Exception as error:  # noqa: BLE001: whatever an accountant raises is what is looked for
        return {**line, "fault": "crash", "detail": f"{type(error).__name__}: {error}"[:300]}
    line["answer"] = repr(answer)
    if math.isnan(answer):
        line["fault"] = "nonsense"
    elif not math.isinf(answer):
        said = Fraction(exact_text(answer))
        # Accountants answer 0 where the least ε is negative.
        if truth.lower > 0 and said < truth.lower * (1 - Fraction(options["slack"])):
            line["fault"] = "unsound"
        elif said > max(truth.upper, Fraction(1, 10**6)) * Fraction(options["factor"]):
            line["fault"] = "loose"
    return line


# The work as a whole.


def _unread(one: Any) -> Iterator[tuple[str | None, str, int | None]]:
    """Claim files as (name, text, line), without looking into them."""
    if isinstance(one, Mapping):
        yield None, claim_file_of(one).text, None
        return
    if isinstance(one, str) and is_text(one):
        yield None, one, None
        return
    for found in claim_files(given.path(one, "claims"), level=3)[0]:
        if found.text is None:
            yield os.path.abspath(found.path), given.read(found.path)[1], None
        else:
            yield found.path, found.text, found.line


def _path(folder: Path, piece: int) -> Path:
    return folder / "pieces" / f"{piece:07}.jsonl"


def _pieces(about: Mapping[str, Any]) -> int:
    return -(-int(about["jobs"]) // int(about["piece"]))


def _read_about(folder: Path) -> dict[str, Any] | None:
    try:
        about = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return about if isinstance(about, dict) and about.get("schema") == _SCHEMA else None


def _write(path: Path, text: str) -> None:
    """At once, so that a file that is there is whole."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with open(part, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def _open(folder: Path, about: dict[str, Any]) -> None:
    known = _read_about(folder)
    if known is not None:
        if known != about:
            other = next(name for name in {**known, **about} if known.get(name) != about.get(name))
            raise InputError(f"`{folder}` has another campaign: its `{other}` is {known.get(other)!r}", code="conflict", place="folder", hint="give another folder")
        return
    (folder / "pieces").mkdir(parents=True, exist_ok=True)
    if any((folder / "pieces").iterdir()):
        raise InputError(f"`{folder}` has pieces, and no campaign that they belong to", code="conflict", place="folder", hint="give another folder")
    _write(folder / "campaign.json", json.dumps(about, indent=1) + "\n")


def _run(
    folder: PathLike,
    kind: str,
    options: Mapping[str, Any],
    jobs: list[Any] | None,
    count: int,
    size: int,
    client: Any,
    progress: bool,
    helper: Any = None,
) -> Results:
    given.whole(size, "piece", 1)
    if count < 1:
        raise InputError("a campaign has at least one job", code="range", place=_NAMES[kind], hint="give at least one")
    place = Path(given.path(folder, "folder"))
    digest = hashlib.sha256(json.dumps([options, jobs], sort_keys=True).encode()).hexdigest()
    about = {"schema": _SCHEMA, "version": _native.__version__, "kind": kind, "jobs": count, "piece": size, "sha256": digest}
    _open(place, about)
    missing = [piece for piece in range(_pieces(about)) if not _path(place, piece).exists()]
    bar = _Bar(count, size, _pieces(about) - len(missing), progress)

    def task(piece: int) -> tuple[Any, ...]:
        start, end = piece * size, min(count, (piece + 1) * size)
        return (kind, options, None if jobs is None else jobs[start:end], start, end, helper)

    if client is None:
        for piece in missing:
            _write(_path(place, piece), _work(*task(piece)))
            bar.step()
    else:

        def done(piece: int, text: str) -> None:
            _write(_path(place, piece), text)
            bar.step()

        _on_cluster(client, missing, task, done, progress)
    bar.end()
    return Results(place)


def _on_cluster(client: Any, missing: list[int], task: Callable[[int], tuple[Any, ...]], done: Callable[[int, str], Any], progress: bool) -> None:
    """Hands out pieces, so many at a time that workers never wait, and keeps what comes back."""
    from distributed import KilledWorker, as_completed

    if progress and getattr(client, "dashboard_link", None):
        print(f"dashboard: {client.dashboard_link}", file=sys.stderr)
    waiting = iter(missing)
    pieces: dict[Any, int] = {}
    killed: dict[int, int] = {}

    def hand_out(piece: int) -> Any:
        future = client.submit(_work, *task(piece), pure=False, retries=_RETRIES)
        pieces[future] = piece
        return future

    ahead = 4 * max(1, sum(client.nthreads().values()))
    first = [hand_out(piece) for _, piece in zip(range(ahead), waiting)]
    running = as_completed(first)
    try:
        for future in running:
            piece = pieces.pop(future)
            try:
                text = future.result()
            except KilledWorker:
                killed[piece] = killed.get(piece, 0) + 1
                if killed[piece] > _RETRIES:
                    raise
                running.add(hand_out(piece))
                continue
            done(piece, text)
            future.release()
            following = next(waiting, None)
            if following is not None:
                running.add(hand_out(following))
    finally:
        client.cancel(list(pieces))


class _Bar:
    """Progress, on standard error where it is a terminal or a notebook, and never often."""

    def __init__(self, jobs: int, size: int, done: int, shown: bool) -> None:
        self._jobs, self._size, self._done, self._before = jobs, size, done, done
        self._shown = shown and (sys.stderr.isatty() or "ipykernel" in sys.modules)
        self._start = self._last = time.monotonic()

    def step(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._shown and now - self._last > 0.2:
            self._last = now
            self._show(now)

    def _show(self, now: float) -> None:
        done = min(self._jobs, self._done * self._size)
        rate = (self._done - self._before) * self._size / max(now - self._start, 1e-9)
        left = (self._jobs - done) / rate if rate else math.inf
        full = 30 * done // self._jobs
        print(f"\r[{'#' * full}{'.' * (30 - full)}] {done}/{self._jobs}, {rate:.0f}/s, {left:.0f} s left   ", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._shown:
            self._show(time.monotonic())
            print(file=sys.stderr)
