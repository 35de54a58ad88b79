"""dpcmp itself: the safe end of each enclosure of `dpcmp bound --batch`. Nothing should be found in it.

`honest.py further` is asked about the kinds that must be named as well, `honest.py quick` about those that take a few milliseconds, so that very many cases can be asked. `rounded` (alone, or after one of these)
rounds every parameter to a double first, as accountants do, and is as narrow as it can be: what it answers is exactly true of a neighbouring case, and nothing should be found in that either.
"""

import json
import os
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

from dpcmp_adapter import FIRST, FURTHER, Unsupported, serve

DPCMP = os.environ.get("DPCMP", "dpcmp")
ROUNDED = "rounded" in sys.argv[1:]
OPTIONS = ["--max-seconds", "3", "--jobs", "1", "--precision", "1e-11" if ROUNDED else "1e-3", "--quiet"]
BATCH = subprocess.Popen([DPCMP, "bound", "--batch", "-", *OPTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
QUICK = ["gaussian", "laplace", "randomized-response", "approx-dp", "finite", "discrete-gaussian", "discrete-laplace", "pure-dp"]
QUICK += ["permute-and-flip", "skellam", "tree-aggregation", "matrix-factorization", "group", "gaussian-mixture", "mixture"]
BELOW = ("tradeoff", "bayes-error")


def doubles(value):
    """Numbers as the doubles that they were read as, exactly."""
    if isinstance(value, dict):
        return {key: doubles(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [doubles(inner) for inner in value]
    if isinstance(value, float):
        return format(Decimal(value), "f") if abs(value) > 1e-40 else str(Fraction(value))
    return value


def answer(mechanism, query):
    question = {"id": 0, "mechanism": mechanism, "query": query}
    print(json.dumps(doubles(question) if ROUNDED else question), file=BATCH.stdin, flush=True)
    said = json.loads(BATCH.stdout.readline())
    if "error" in said:
        raise Unsupported(said["error"]["message"])
    safe = said["lower" if query["kind"] in BELOW else "upper"]
    # A bound that did not become narrow in time is true, and would be called loose.
    lower, upper = float(said["lower"]), float(said["upper"])
    if upper - lower > 0.01 * abs(upper):
        raise Unsupported("not narrow in time")
    # From decimal to double, to the safe side.
    return float(safe) * (1 - 1e-12) if query["kind"] in BELOW else float(safe) + abs(float(safe)) * 1e-12


if __name__ == "__main__":
    named = FIRST + FURTHER if "further" in sys.argv[1:] else QUICK if "quick" in sys.argv[1:] else None
    serve("dpcmp, honestly", [], answer, named, None, relations=("add-remove", "replace-one", "replace-special"))
