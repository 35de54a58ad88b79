"""A grid of DP-SGD settings on a local cluster, a worker and then everything killed, resumed, compared, and projected onto many workers."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dpcmp
from dpcmp import campaign

QUERY = "epsilon:delta=1e-5"
#: Noise, rate and steps: so many values of each.
SMALL, FULL = (20, 10, 10), (50, 40, 50)
CLUSTER = {"threads_per_worker": 1, "dashboard_address": None}


def grid(shape: tuple[int, int, int]) -> dict[str, list]:
    """Noise from 0.8 to 8, rates from 0.001 to 0.3, from 100 to 10,000 steps, evenly on a logarithmic scale."""

    def places(low: float, high: float, count: int, digits: int) -> list[str]:
        return [f"{low * (high / low) ** (n / max(1, count - 1)):.{digits}g}" for n in range(count)]

    noise, rates, steps = shape
    return {
        "noise_multiplier": places(0.8, 8, noise, 4),
        "sample_rate": places(0.001, 0.3, rates, 4),
        "steps": [round(float(text)) for text in places(100, 10_000, steps, 4)],
    }


def swept(folder: Path, options: argparse.Namespace, client=None) -> campaign.Results:
    return campaign.sweep(folder, dpcmp.dp_sgd, grid(options.shape), QUERY, client=client, piece=options.piece)


# The process that has the cluster.


def drive(options: argparse.Namespace) -> None:
    """Sweeps on a cluster of its own, and says in JSON lines what workers there are and what they did."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=options.workers, **CLUSTER) as cluster, Client(cluster) as client:
        client.run(_imported)
        say(workers=list(client.run(os.getpid).values()))
        client.get_task_stream()
        start = time.time()
        swept(options.folder, options, client)
        wall = time.time() - start
        tasks = client.get_task_stream(start=start)
        computed = [
            (task["worker"], one["start"], one["stop"])
            for task in tasks
            for one in task["startstops"]
            if one["action"] == "compute" and task["status"] == "OK"
        ]
        say(wall=wall, computed=computed)


def _imported() -> None:
    import dpcmp.campaign  # noqa: F401


def overheads(options: argparse.Namespace) -> None:
    """What a piece takes beside its questions, and what a worker takes to start."""
    from distributed import Client, LocalCluster

    text = (options.folder / "pieces" / "0000000.jsonl").read_text(encoding="utf-8")
    count = 400
    began = time.perf_counter()
    with LocalCluster(n_workers=1, **CLUSTER) as cluster, Client(cluster) as client:
        client.run(_imported)
        start_up = time.perf_counter() - began
        cluster.scale(options.workers)
        client.wait_for_workers(options.workers)
        # The same road with the same text, and no question: handing out, transport, coming back, writing.
        folder = options.folder.parent / "empty"
        folder.mkdir()

        def task(piece: int):
            arguments = _arguments(options)
            return ("sweep", arguments, None, 0, 0, text)

        work, campaign._work = campaign._work, _echo
        client.run(_imported)
        began = time.perf_counter()
        campaign._on_cluster(client, list(range(count)), task, lambda piece, found: campaign._write(folder / f"{piece:07}.jsonl", found), False)
        serial = (time.perf_counter() - began) / count
        campaign._work = work
        began = time.perf_counter()
        for piece in range(count):
            campaign._write(folder / f"{piece:07}.jsonl", text)
        written = (time.perf_counter() - began) / count
    say(start_up=start_up, serial=serial, written=written, bytes=len(text))


def _echo(kind, options, jobs, start, end, helper):
    return helper


def _arguments(options: argparse.Namespace) -> dict:
    """What a piece is sent with, as `campaign.sweep` makes it."""
    axes = [(name.replace("_", "-"), [str(value) for value in values]) for name, values in grid(options.shape).items()]
    return {"template": json.dumps({"kind": "dp-sgd"}), "axes": axes, "queries": [QUERY], "width": None, "seconds": 60.0}


def say(**words) -> None:
    print(json.dumps(words), flush=True)


# The process that kills, resumes, compares and counts.


def child(options: argparse.Namespace, role: str) -> subprocess.Popen:
    shape = "x".join(map(str, options.shape))
    command = [sys.executable, "-B", __file__, "--role", role, "--folder", str(options.folder), "--shape", shape]
    command += ["--workers", str(options.workers), "--piece", str(options.piece)]
    # A group of its own, so that all of it can be killed at once.
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)


def finished(options: argparse.Namespace) -> int:
    return len(list((options.folder / "pieces").glob("[0-9]*.jsonl")))


def until(process: subprocess.Popen, options: argparse.Namespace, pieces: int) -> None:
    while finished(options) < pieces:
        if process.poll() is not None:
            sys.exit("the campaign ended before it was killed: give more settings, or smaller pieces")
        time.sleep(0.01)


def ends_well(process: subprocess.Popen) -> None:
    if process.wait() != 0:
        sys.exit(f"the campaign ended with {process.returncode}")


def main() -> None:
    options = arguments()
    if options.role:
        (drive if options.role == "drive" else overheads)(options)
        return
    count = options.shape[0] * options.shape[1] * options.shape[2]
    pieces = -(-count // options.piece)
    home = None
    if options.folder is None:
        home = Path(tempfile.mkdtemp(prefix="dpcmp-cluster-"))
        options.folder = home / "cluster"
    else:
        options.folder = options.folder / "cluster"
    if options.folder.exists():
        sys.exit(f"{options.folder} is there already: give another --folder")
    print(f"{count} settings of DP-SGD, {QUERY}, {pieces} pieces of {options.piece}, {options.workers} workers", flush=True)

    begin = time.time()
    process = child(options, "drive")
    victim = json.loads(process.stdout.readline())["workers"][0]
    until(process, options, max(1, pieces // 5))
    os.kill(victim, signal.SIGKILL)
    print(f"killed a worker after {finished(options)} pieces", flush=True)
    until(process, options, max(2, pieces // 2))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = finished(options)
    first = time.time() - begin
    print(f"killed everything after {before} pieces and {first:.0f} s", flush=True)

    begin = time.time()
    process = child(options, "drive")
    process.stdout.readline()
    # Every line is about one piece, and there is room for all of them in no pipe: read until the end.
    found = json.loads(process.stdout.read())
    ends_well(process)
    second = time.time() - begin
    again = pieces - before
    print(f"resumed and finished: the other {again} pieces in {second:.0f} s", flush=True)

    chosen = range(0, pieces, max(1, round(pieces * options.piece / options.sample)))
    begin, used = time.perf_counter(), time.process_time()
    settings = compared(options, chosen, count)
    here, used = time.perf_counter() - begin, time.process_time() - used
    print(f"the same bytes as of one process without a cluster: {len(chosen)} pieces, {settings} settings", flush=True)

    process = child(options, "overheads")
    beside = json.loads(process.stdout.read())
    ends_well(process)
    report(options, count, pieces, again, found, beside, here / settings, used / settings)
    if home:
        shutil.rmtree(home)


def compared(options: argparse.Namespace, chosen: range, count: int) -> int:
    settings = 0
    arguments = _arguments(options)
    for piece in chosen:
        start, end = piece * options.piece, min(count, (piece + 1) * options.piece)
        expected = campaign._work("sweep", arguments, None, start, end, None)
        if (options.folder / "pieces" / f"{piece:07}.jsonl").read_text(encoding="utf-8") != expected:
            sys.exit(f"piece {piece} differs from what one process finds")
        settings += end - start
    return settings


def report(options, count, pieces, again, found, beside, here, used) -> None:
    computed = found["computed"]
    each = [stop - start for _, start, stop in computed]
    gaps = []
    for worker in {worker for worker, _, _ in computed}:
        mine = sorted((start, stop) for name, start, stop in computed if name == worker)
        gaps += [max(0.0, after[0] - before[1]) for before, after in zip(mine, mine[1:])]
    gap = statistics.mean(gaps) if gaps else 0.0
    done = len(each) * options.piece
    setting, longest = sum(each) / max(1, done), max(each)
    busy = sum(each) / (options.workers * found["wall"])
    print()
    print(f"engine, a setting            {1e3 * setting:.2f} ms on a worker; {1e3 * here:.2f} ms, {1e3 * used:.2f} ms of them CPU time, in one process")
    print(f"a piece                      {statistics.mean(each):.2f} s on average, {longest:.2f} s the longest, of {len(each)} recorded")
    print(f"between pieces, on a worker  {1e3 * gap:.1f} ms; workers were busy {100 * busy:.1f} % of the time")
    print(f"a piece for the one process that hands out: {1e3 * beside['serial']:.1f} ms, {1e3 * beside['written']:.1f} ms of them writing {beside['bytes']} bytes")
    print(f"start of a cluster and a worker that has imported the package: {beside['start_up']:.1f} s")
    print()
    print("T(W) = start + max(pieces × serial, settings × engine ÷ W + pieces × between ÷ W) + longest piece")
    for workers in (options.workers, 10, 100):
        serial = pieces * beside["serial"]
        parallel = count * setting / workers + pieces * gap / workers
        whole = beside["start_up"] + max(serial, parallel) + longest
        print(f"T({workers}) = {beside['start_up']:.1f} + max({serial:.1f}, {parallel:.1f}) + {longest:.1f} = {whole:.1f} s")
    if pieces < 100:
        print(f"{pieces} pieces leave some of 100 workers without any; pieces of {max(1, count // 1000)} settings would not")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="100,000 settings instead of 2,000")
    parser.add_argument("--shape", type=_shape, help="values of noise, rate and steps, such as 50x40x50")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--piece", type=int, help="settings of a piece: 10 of 2,000, 100 of 100,000, unless said otherwise")
    parser.add_argument("--sample", type=int, default=2000, help="about so many settings are asked again in one process")
    parser.add_argument("--folder", type=Path, help="keep the pieces here")
    parser.add_argument("--role", choices=("drive", "overheads"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.shape = options.shape or (FULL if options.full else SMALL)
    if options.piece is None:
        options.piece = max(10, options.shape[0] * options.shape[1] * options.shape[2] // 1000)
    return options


def _shape(text: str) -> tuple[int, int, int]:
    noise, rates, steps = map(int, text.split("x"))
    return noise, rates, steps


if __name__ == "__main__":
    main()
