"""Puts the questions to the programs, each in a process of its own, and reads what they say."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import measure
from installation import HERE, ROOT
from tasks import Earlier, FirstVerdict, Job, Ours, Peer, Question

VERDICTS = tuple(word.encode() for word in ("verified", "refuted", "undecided"))


@dataclass(frozen=True)
class Answer:
    """What a program said: one value, or both ends; or why there is none. CPU is without start-up."""

    cpu: float
    megabytes: float
    value: Decimal | None = None
    lower: Decimal | None = None
    upper: Decimal | None = None
    first_verdict: float | None = None
    failure: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class StartUp:
    name: str
    cpu: float
    megabytes: float


class Programs:
    """The peers' interpreter and our program, at given limits. A question already measured is not put again."""

    def __init__(self, python: Path, ours: Path, repeat: int, limits: measure.Limits):
        self.python, self.ours, self.repeat, self.limits = python, ours, repeat, limits
        # One thread for the peers' linear algebra: they do not use it, and its idle threads would be charged to them.
        self.environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.known: dict = {}
        # No child can be seen to use less memory than the process it was forked from.
        self.floor = self._run([str(python), "-S", "-c", ""]).megabytes
        self.own_start_up = self._run([str(ours), "--version"]).cpu

    def _run(self, argv, watch: tuple[bytes, ...] = ()) -> measure.Run:
        return measure.median(measure.repeated(self.repeat, argv, self.limits, self.environment, watch))

    def start_ups(self, peers: list[Peer]) -> list[StartUp]:
        adapters = {peer.adapter: peer.name.split()[0] for peer in peers}
        found = []
        for adapter, name in adapters.items():
            run = self._run([str(self.python), str(HERE / "ask.py"), adapter])
            found.append(StartUp(f"python, import {name}", run.cpu, run.megabytes))
        run = self._run([str(self.ours), "--version"])
        return [*found, StartUp("dpcmp --version", run.cpu, run.megabytes)]

    def ask(self, whom: Peer | Ours, question: Question) -> Answer:
        key = (whom, question)
        if key not in self.known:
            self.known[key] = self._ask_ours(whom, question) if isinstance(whom, Ours) else self._ask_peer(whom, question)
        return self.known[key]

    def ask_against(self, against: Peer | Earlier, question: Question) -> Answer:
        if isinstance(against, Earlier):
            return self.ask(against.ours, against.question)
        return self.ask(against, question)

    def _ask_peer(self, peer: Peer, question: Question) -> Answer:
        argv = [str(self.python), str(HERE / "ask.py"), peer.adapter, peer.question(question)]
        runs = measure.repeated(self.repeat, argv, self.limits, self.environment)
        run, reports = measure.median(runs), []
        for each in runs:
            lines = each.output.strip().splitlines()
            reports.append(json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {})
        last = reports[-1]
        if run.timed_out or "cpu" not in last:
            return self._failed(run)
        cpu = sorted(report["cpu"] for report in reports)[len(reports) // 2]
        if "error" in last:
            failure = f"> {self.limits.gigabytes:g} GB" if last.get("out_of_memory") else "raises"
            return Answer(cpu, run.megabytes, failure=failure, message=last["error"])
        return Answer(cpu, run.megabytes, value=Decimal(last["answer"]))

    def _ask_ours(self, ours: Ours, question: Question) -> Answer:
        options = ["--format", "json", "--precision", ours.precision, "--max-seconds", str(ours.max_seconds)]
        options += ["--engine", ours.engine, "--quiet"]
        mechanism = question.of.mechanism()
        if target := question.target():
            command = ["calibrate", mechanism, "--solve", "noise-multiplier", "--target", target]
        else:
            command = ["bound", mechanism, question.query()]
        run = self._run([str(self.ours), *command, *options])
        try:
            said = json.loads(run.output)
            ends = ("not-reachable-beyond", "value") if command[0] == "calibrate" else ("lower", "upper")
            lower, upper = (Decimal(said[end]) for end in ends) if "estimate" not in said else (None, None)
            value = Decimal(said["estimate"]) if lower is None else None
        except (ValueError, ArithmeticError, KeyError):
            return self._failed(run)
        return Answer(self._without_start_up(run), run.megabytes, value, lower, upper)

    def first_verdict(self, question: FirstVerdict) -> Answer:
        text = (ROOT / question.file).read_text()
        if question.claims is not None:
            text = "[[claim]]".join(text.split("[[claim]]")[: question.claims + 1])
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as claims:
            claims.write(text)
            claims.flush()
            argv = [str(self.ours), "verify", claims.name]
            # Exit code 1 says that a claim was refuted, as it should.
            runs = [measure.run(argv, self.limits, self.environment, VERDICTS) for _ in range(self.repeat)]
        run = measure.median(runs)
        if run.first_match is None:
            return self._failed(run)
        return Answer(self._without_start_up(run), run.megabytes, first_verdict=run.first_match)

    def job(self, job: Job) -> Answer:
        command = [str(ROOT / word) if word.startswith("examples/") else word for word in job.command]
        run = self._run([str(self.ours), *command, "--format", "json", "--quiet"])
        # Exit code 3 says that the time ended before all was as narrow as asked.
        if run.timed_out or run.status not in (0, 3):
            return self._failed(run)
        return Answer(self._without_start_up(run), run.megabytes, message="not as narrow as asked" if run.status else None)

    def _without_start_up(self, run: measure.Run) -> float:
        return max(run.cpu - self.own_start_up, 0.001)

    def _failed(self, run: measure.Run) -> Answer:
        lines = [line for line in run.errors.strip().splitlines() if line.strip()]
        if run.timed_out:
            failure, message = f"> {self.limits.seconds:g} s", "stopped at the time limit"
        elif any("rror: unrecognized" in line for line in lines):
            failure, message = "not built", lines[0]
        elif run.status < 0:
            failure, message = "killed", f"ended by signal {-run.status}"
        else:
            failure, message = "fails", lines[-1] if lines else f"exit code {run.status}"
        return Answer(run.cpu, run.megabytes, failure=failure, message=message)
