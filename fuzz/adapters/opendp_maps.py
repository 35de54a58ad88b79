"""OpenDP: its privacy maps, composed, and its conversion from zCDP to (ε, δ)."""

from functools import lru_cache

import opendp.prelude as dp
from dpcmp_adapter import Unsupported, number, parts, serve

dp.enable_features("contrib", "honest-but-curious")
REALS = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
INTEGERS = dp.atom_domain(T=int), dp.absolute_distance(T=int)
NOISE = {
    "gaussian": (dp.m.make_gaussian, REALS, "sigma"),
    "laplace": (dp.m.make_laplace, REALS, "scale"),
    "discrete-gaussian": (dp.m.make_gaussian, INTEGERS, "sigma"),
    "discrete-laplace": (dp.m.make_laplace, INTEGERS, "scale"),
}


@lru_cache(maxsize=2)
def measured(found):
    """The composition, and the distance of neighbours."""
    if len({kind.endswith("gaussian") for kind, _, _ in found}) > 1 or len({NOISE[kind][1] is REALS for kind, _, _ in found}) > 1:
        raise Unsupported("one measure of privacy and one domain at a time")
    all_steps = []
    for kind, scale, times in found:
        make, (domain, metric), _ = NOISE[kind]
        all_steps += [make(domain, metric, scale=scale)] * times
    moved = 1.0 if NOISE[found[0][0]][1] is REALS else 1
    return (all_steps[0] if len(all_steps) == 1 else dp.c.make_composition(all_steps)), moved


def answer(mechanism, query):
    found = parts(mechanism)
    if any(step["kind"] not in NOISE or rate < 1 for step, rate, _ in found) or sum(times for _, _, times in found) > 2_000:
        raise Unsupported("noise that is not sampled, at most 2,000 times")
    known = tuple((step["kind"], number(step[NOISE[step["kind"]][2]]), times) for step, _, times in found)
    measurement, moved = measured(known)
    if not known[0][0].endswith("gaussian"):
        return measurement.map(moved)
    profile = dp.c.make_zCDP_to_approxDP(measurement).map(moved)
    return profile.epsilon(number(query["delta"])) if query["kind"] == "epsilon" else profile.delta(number(query["epsilon"]))


def promised(mechanism, query):
    """Of pure DP an ε holds at every δ; no δ is said of another ε. None is said of an ε below 0."""
    if query["kind"] == "delta" and number(query["epsilon"]) < 0:
        raise Unsupported("ε below 0")
    if query["kind"] == "delta" and not any(step["kind"].endswith("gaussian") for step, _, _ in parts(mechanism)):
        raise Unsupported("δ of pure DP")
    return answer(mechanism, query)


serve("OpenDP", ["opendp"], promised, ["compose", "mixed", *NOISE], ["epsilon", "delta"])
