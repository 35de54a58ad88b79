"""Asks the extracted checker about certificates, with one proof after the other. Not proved."""
import pathlib
import resource
import subprocess
import threading

from planner import Planner, claim_words, subject_words
from question import OutOfScope, Rejected, question

TIME = 60
FINER = (0, 1, 2, 3, 5, 7)
STACK = 1 << 30


class Unanswered(Exception):
    """The checker gave no answer, for the reason that is said."""


def allow_deep_recursion():
    """Extracted functions recurse once for each cell of a law, for which the usual 8 MiB of stack are too little."""
    most = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (STACK if most == resource.RLIM_INFINITY else min(STACK, most), most))


class Checker:
    """The extracted program, which answers a line for each line."""

    def __init__(self, program=None, time=TIME):
        self.program, self.process, self.time = program or pathlib.Path(__file__).resolve().with_name("checker"), None, time

    def ask(self, line):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=allow_deep_recursion)
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
            raise Unanswered("no answer in time")
        if said == "too deep":
            raise Unanswered("too large for the stack")
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
    except Unanswered as why:
        return 1, f"not accepted ({why})"


def decide(asked, checker, finer=FINER):
    head = f"{asked.verdict} {asked.adjacency} {claim_words(asked.claim)} {subject_words(asked)}"
    for proof in Planner(asked, checker.ask).proofs(finer):
        if checker.ask(f"{head} {proof}") == "true":
            return 0, f"accepted: {asked.verdict}, {claim_words(asked.claim)}, {asked.adjacency} ({proof.split()[0]})"
    return 1, "not accepted"
