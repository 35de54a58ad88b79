"""Runs a program as a child process and says what it took: CPU time (user + system), wall clock, peak memory."""

from __future__ import annotations

import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace

# A child slower than this is not run again for the sake of a median.
SLOW_SECONDS = 10.0


@dataclass(frozen=True)
class Limits:
    seconds: float
    gigabytes: float


@dataclass(frozen=True)
class Run:
    """`status` is that of the shell: an exit code, or minus a signal. Times in seconds, memory in MB."""

    status: int
    cpu: float
    wall: float
    first_match: float | None
    megabytes: float
    output: str
    errors: str
    timed_out: bool = False


def run(argv, limits: Limits, environment=None, watch: tuple[bytes, ...] = ()) -> Run:
    """Runs `argv` once. `first_match` is the wall clock at which one of `watch` had appeared on standard output."""
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(
            argv, stdin=nothing, stdout=subprocess.PIPE, stderr=errors, env=environment, start_new_session=True,
            preexec_fn=lambda: _limit_memory(limits.gigabytes),
        )  # fmt: skip
        output, first_match, timed_out, reaped = bytearray(), None, False, None
        try:
            with _Alarm(limits.seconds):
                while chunk := os.read(child.stdout.fileno(), 1 << 16):
                    output += chunk
                    if first_match is None and any(word in output for word in watch):
                        first_match = time.perf_counter() - start
                reaped = os.wait4(child.pid, 0)
        except TimeoutError:
            timed_out = reaped is None
        finally:
            # At the limit, and also when the runner itself is interrupted.
            if reaped is None:
                os.killpg(child.pid, signal.SIGKILL)
                reaped = os.wait4(child.pid, 0)
        _, status, usage = reaped
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        errors.seek(0)
        return Run(
            child.returncode, usage.ru_utime + usage.ru_stime, wall, first_match, _megabytes(usage.ru_maxrss),
            output.decode(errors="replace"), errors.read().decode(errors="replace"), timed_out,
        )  # fmt: skip


def repeated(times: int, argv, limits: Limits, environment=None, watch: tuple[bytes, ...] = ()) -> list[Run]:
    """Up to `times` runs; a run that fails or is slow is the last."""
    runs: list[Run] = []
    while len(runs) < times:
        runs.append(run(argv, limits, environment, watch))
        if runs[-1].timed_out or runs[-1].status != 0 or runs[-1].wall > SLOW_SECONDS:
            break
    return runs


def median(runs: list[Run]) -> Run:
    """The last run with the medians of all in its numbers."""
    matches = [each.first_match for each in runs if each.first_match is not None]
    return replace(
        runs[-1],
        cpu=statistics.median(each.cpu for each in runs),
        wall=statistics.median(each.wall for each in runs),
        megabytes=statistics.median(each.megabytes for each in runs),
        first_match=statistics.median(matches) if matches else None,
    )


class _Alarm:
    """Raises TimeoutError in the body after so many seconds."""

    def __init__(self, seconds: float):
        self.seconds = seconds

    def __enter__(self):
        def ring(*_):
            raise TimeoutError

        self.before = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)


def _limit_memory(gigabytes: float) -> None:
    size = int(gigabytes * 2**30)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    except (ValueError, OSError):
        pass  # Not every system can; the time limit still holds.


def _megabytes(maxrss: int) -> float:
    """Linux counts kilobytes, macOS bytes."""
    return maxrss / (1e6 if sys.platform == "darwin" else 1e6 / 1024)
