"""Asks the extracted checker about certificates, with one proof after the other. Not proved."""
import pathlib
import subprocess
import threading

from planner import Planner, claim_words, subject_words
from question import OutOfScope, Rejected, question

TIME = 60
FINER = (0, 1, 2, 3, 5, 7)


class Slow(Exception):
    """The checker did not answer in time."""


class Checker:
    """The extracted program, which answers a line for each line."""

    def __init__(self, program=None, time=TIME):
        self.program, self.process, self.time = program or pathlib.Path(__file__).resolve().with_name("checker"), None, time

    def ask(self, line):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        timer = threading.Timer(self.time, self.process.kill)
        timer.start()
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            said = self.process.stdout.readline().strip()
        except BrokenPipeError:
            said = ""
        finally:
            timer.cancel()
        if not said:
            self.process.wait()
            self.process = None
            raise Slow
        if said.startswith("unreadable"):
            raise RuntimeError(said)
        return said


def check(path, checker, finer=FINER):
    """(exit code, what to print)"""
    try:
        asked = question(path)
    except OutOfScope as why:
        return 2, f"out of scope ({why})"
    except Rejected as why:
        return 1, f"rejected ({why})"
    except (OSError, ValueError) as why:
        return 2, f"cannot be read ({why})"
    try:
        return decide(asked, checker, finer)
    except Slow:
        return 1, "not accepted (no answer in time)"


def decide(asked, checker, finer=FINER):
    head = f"{asked.verdict} {asked.adjacency} {claim_words(asked.claim)} {subject_words(asked)}"
    for proof in Planner(asked, checker.ask).proofs(finer):
        if checker.ask(f"{head} {proof}") == "true":
            return 0, f"accepted: {asked.verdict}, {claim_words(asked.claim)}, {asked.adjacency} ({proof.split()[0]})"
    return 1, "not accepted"
