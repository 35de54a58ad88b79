"""The protocol of fuzz/PROTOCOL.md, for adapters in Python: beside this file, or after `pip install fuzz/adapters` anywhere.

An adapter calls `serve` with one function, which gets the mechanism and the query of a question and returns a number, a pair
(lower, upper), or raises `Unsupported`. Whatever else is raised is answered as an error, and counts as a crash of the accountant.

    from dpcmp_adapter import DPSGD, gaussians, number, serve
    from mine import epsilon                                     # the accountant

    def answer(mechanism, query):
        [(noise_multiplier, rate, steps)] = gaussians(mechanism)
        return epsilon(noise_multiplier, rate, steps, delta=number(query["delta"]))

    serve("mine", ["mine"], answer, DPSGD, ["epsilon"])

and `dpcmp fuzz-accountant "python adapter.py"` asks it.
"""

import json
import os
import sys
import warnings
from fractions import Fraction
from importlib.metadata import version

try:
    import resource
except ImportError:  # Not on Windows: memory is not bounded there.
    resource = None

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")


class Unsupported(Exception):
    """The accountant does not treat this."""


def number(value):
    """A JSON number, or a text such as "16384/50000", as a double."""
    return float(Fraction(value)) if isinstance(value, str) else float(value)


def parts(mechanism):
    """A mechanism as [(step, Poisson rate, times)]; the rate is 1 where nothing is sampled."""
    kind = mechanism["kind"]
    if kind == "dp-sgd":
        phases = mechanism.get("phases", [mechanism])
        noise = [{"kind": "gaussian", "sigma": number(phase["noise-multiplier"])} for phase in phases]
        return [(step, number(p["sample-rate"]), int(p["steps"])) for step, p in zip(noise, phases)]
    if kind == "compose":
        runs = [(part, int(part.get("times", 1))) for part in mechanism["of"]]
        return [(step, rate, times * count) for part, times in runs for step, rate, count in parts(part)]
    if kind == "subsampled" and mechanism.get("sampling", "poisson") == "poisson":
        [(step, rate, times)] = parts(mechanism["of"])
        return [(step, rate * number(mechanism["rate"]), times)]
    return [(mechanism, 1.0, 1)]


def gaussians(mechanism):
    """[(noise multiplier, rate, steps)] of DP-SGD, or of Gaussians that are not sampled."""
    found = parts(mechanism)
    if any(step["kind"] != "gaussian" for step, _, _ in found):
        raise Unsupported("only Gaussian noise")
    return [(number(step["sigma"]), rate, times) for step, rate, times in found]


def relation_of(mechanism):
    """What happens to a record: "add-remove", "replace-one" or "replace-special"."""
    return mechanism.get("adjacency", "add-remove")


# What must be named in the greeting to be asked about.
FURTHER = ["exponential", "gaussian-mixture", "group", "matrix-factorization", "mixture", "noise-threshold", "permute-and-flip"]
FURTHER += ["private-selection", "pure-dp", "random-allocation", "shuffled", "shuffled-batches", "skellam", "top-k"]
FURTHER += ["tree-aggregation", "truncated-poisson", "without-replacement"]
# What is asked about without a name.
FIRST = ["approx-dp", "compose", "discrete-gaussian", "discrete-laplace", "dp-sgd", "finite", "gaussian", "laplace", "mixed"]
FIRST += ["phases", "randomized-response", "subsampled"]


def serve(name, packages, answer, mechanisms, queries, gigabytes=4, relations=("add-remove",)):
    """Answers questions until there are no more.

    `packages` are the distributions whose versions are told, `mechanisms` the kinds that are understood, `queries` the kinds of
    questions (None: all), `gigabytes` the memory that the process may use, `relations` what may happen to a record.
    """
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
    warnings.simplefilter("ignore")
    # Whatever a library prints goes to standard error; standard output is for answers.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    for line in sys.stdin:
        question = json.loads(line)
        if "hello" in question:
            said = {"accountant": name, "version": versions, "mechanisms": mechanisms, "queries": queries}
            said["relations"] = list(relations)
            print(json.dumps(said), file=out)
            continue
        try:
            if relation_of(question["mechanism"]) not in relations:
                raise Unsupported(relation_of(question["mechanism"]))
            if queries is not None and question["query"]["kind"] not in queries:
                raise Unsupported(question["query"]["kind"])
            value = answer(question["mechanism"], question["query"])
            ends = dict(zip(("lower", "upper"), value)) if isinstance(value, tuple) else {"value": value}
            said = {key: repr(float(end)) for key, end in ends.items()}
        except Unsupported as reason:
            said = {"error": {"code": "unsupported", "message": str(reason)}}
        except Exception as error:  # Whatever an accountant raises is its answer.
            said = {"error": {"code": "raised", "message": f"{type(error).__name__}: {error}"}}
        print(json.dumps({"id": question["id"], **said}), file=out)


DPSGD = ["dp-sgd", "phases", "gaussian", "compose"]
