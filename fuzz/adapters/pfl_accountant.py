"""pfl-research: its accountant `pld`, `prv` or `rdp`, named by the argument, with every option as it comes."""

import sys

from dpcmp_adapter import Unsupported, number, parts, serve
from pfl.privacy import privacy_accountant as pfl

WHICH = sys.argv[1]
ACCOUNTANT = {"pld": pfl.PLDPrivacyAccountant, "prv": pfl.PRVPrivacyAccountant, "rdp": pfl.RDPPrivacyAccountant}[WHICH]


def answer(mechanism, query):
    found = parts(mechanism)
    if len(found) > 1 or found[0][0]["kind"] not in ("gaussian", "laplace"):
        raise Unsupported("one kind of step, Gaussian or Laplace")
    [(step, rate, times)] = found
    if WHICH == "rdp" and step["kind"] == "laplace" and rate < 1:
        raise Unsupported("sampled Laplace noise")
    noise = number(step.get("sigma", step.get("scale")))
    known = {key: number(query[key]) for key in ("epsilon", "delta") if key in query}
    if known.get("epsilon", 1) <= 0:
        raise Unsupported("ε > 0 is asked for")
    try:
        accountant = ACCOUNTANT(times, rate, step["kind"], noise_parameter=noise, **known)
    except ValueError as reason:
        if "Floating point errors will dominate" in str(reason):  # A refusal.
            raise Unsupported(str(reason)) from reason
        raise
    # An ε below 0 is no more than (0, δ)-DP to its authors.
    return max(0.0, accountant.epsilon) if query["kind"] == "epsilon" else accountant.delta


serve(f"pfl {WHICH}", ["pfl"], answer, ["dp-sgd", "gaussian", "laplace", "compose", "subsampled"], ["epsilon", "delta"])
