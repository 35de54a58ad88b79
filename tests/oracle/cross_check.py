"""Recompute the rows of another truth table with the code of this folder: cross_check.py TABLE.jsonl…

Prints every row whose enclosure does not meet the table's, and counts; rows outside the formulas of this folder are counted apart.
Claim rows are recomputed as the quantity their claim bounds.
"""
from collections import Counter
from fractions import Fraction
import json
import sys

from flint import arb

import curve
import smooth
from discrete_gaussian import equal_steps, near
from enclosure import ball, bottom, ends, normal_cdf, precision, probit, top
from finite_compositions import product
from gaussian import mixture, mu_of_gaussian
from laplace import in_epsilon, laplace_step, response_step, subsampled as subsampled_laplace
from outcomes import compose, curve_of, curve_of_subsampled, subsample
from randomized_response import LAWS
from subsampled_gaussian import Step, two_steps

CLAIMS = {  # claim kind -> query that decides it, key of the bound
    "approx-dp": (lambda c: {"kind": "delta", "epsilon": c["epsilon"]}, "delta"),
    "pure-dp": (lambda c: {"kind": "epsilon", "delta": "0"}, "epsilon"),
    "advantage": (lambda c: {"kind": "advantage"}, "at-most"),
    "trade-off": (lambda c: {"kind": "tradeoff", "alpha": c["alpha"]}, "beta"),
    "gdp": (lambda c: {"kind": "gdp-mu", **{k: c[k] for k in ("tolerance", "error-floor") if k in c}}, "mu"),
}


class Unknown(Exception):
    pass


def main():
    for path in sys.argv[1:]:
        count = Counter()
        for line in open(path):
            row = json.loads(line)
            result = check_claim(row) if "claim" in row else check_row(row)
            count[result] += 1
            if result == "DIFFERS":
                print(row["id"], "DIFFERS", flush=True)
        print(path, dict(count))


def check_row(row):
    try:
        mine = truth(row["mechanism"], row["query"])
    except Unknown:
        return "not covered"
    if "inf" in str(row["truth"][0]) or mine in ("inf", "-inf"):
        return "agrees" if mine == row["truth"][0] else "DIFFERS"
    low, high = (Fraction(t) for t in row["truth"])
    my_low, my_high = ends(mine)
    return "agrees" if my_low <= high and low <= my_high else "DIFFERS"


def check_claim(row):
    claim = row["claim"]
    if claim["kind"] not in CLAIMS:
        return "not covered"
    to_query, key = CLAIMS[claim["kind"]]
    try:
        mine = truth(row["mechanism"], to_query(claim))
    except Unknown:
        return "not covered"
    if mine == "inf":
        return "agrees" if row["verdict"] == "refuted" else "DIFFERS"
    low, high = ends(mine)
    bound = Fraction(claim[key])
    holds, fails = (low >= bound, high < bound) if key == "beta" else (high <= bound, low > bound)
    if not (holds or fails):
        return "on the boundary, within my ball"
    return "agrees" if holds == (row["verdict"] == "verified") else "DIFFERS"


def truth(mechanism, query):
    parts = [dict(part) for part in (mechanism["of"] if mechanism["kind"] == "compose" else [mechanism])]
    adjacency = mechanism.get("adjacency", "add-remove")
    if query["kind"] in ("regret", "delta-divergence", "delta-symmetric", "weighted-delta", "renyi", "zcdp-rho"):
        raise Unknown
    steps = sum(part.get("times", 1) for part in parts)
    with precision(3600 if 300 < steps <= 1000 and query["kind"] == "delta" else 420):
        return by_kind(parts, adjacency, query, steps)


def by_kind(parts, adjacency, query, steps):
    kinds = {part["kind"] for part in parts}
    inner = {part["of"]["kind"] for part in parts if part["kind"] == "subsampled"}
    if kinds == {"finite"}:
        return curve.answer(curve.under(curve.vertices(*product([((0, " ".join(p["p"]), " ".join(p["q"])), None, p.get("times", 1)) for p in parts])), adjacency), query)
    if kinds <= set(LAWS) and steps <= (300 if query["kind"] == "gdp-mu" else 1000):
        points = curve_of(compose([(LAWS[p["kind"]](p), p.get("times", 1)) for p in parts]))
        return curve.answer(near(points, query), query)
    if kinds == {"discrete-gaussian"} and len(parts) == 1 and query["kind"] != "minimax-risk":
        points = equal_steps(parts[0]["sigma"], int(parts[0].get("sensitivity", 1)), steps)
        if query["kind"] == "gdp-mu" and "tolerance" not in query:
            raise Unknown
        return curve.answer(near(points, query), query)
    if kinds == {"gaussian"}:
        return gaussian(parts, query)
    if kinds <= {"laplace", "randomized-response", "pure-dp"}:
        return laplace(parts, query)
    if kinds == {"subsampled"} and inner <= {"randomized-response", "pure-dp"} and steps <= 30:
        points = curve_of_subsampled([(subsample(LAWS[p["of"]["kind"]](p["of"]), p["rate"]), p.get("times", 1)) for p in parts])
        return curve.answer(curve.under(points, adjacency), query)
    if kinds == {"subsampled"} and inner == {"gaussian"}:
        return subsampled_gaussian(parts, adjacency, query, steps)
    if kinds == {"subsampled"} and inner == {"laplace"} and steps == 1 and query["kind"] not in ("tradeoff", "minimax-risk", "gdp-mu"):
        both = {a: smooth.Direction(in_epsilon(subsampled_laplace(parts[0]["of"]["scale"], parts[0]["rate"], a))) for a in ("remove", "add")}
        return smooth.answer([both[a] for a in both if adjacency in (a, "add-remove")], query)
    raise Unknown


def gaussian(parts, query):
    square = sum((Fraction(p.get("sensitivity", 1)) / Fraction(p["sigma"])) ** 2 * p.get("times", 1) for p in parts)
    mu = ball(square).sqrt()
    if query["kind"] == "gdp-mu":
        value = mu_of_gaussian(square, query)
        return value if isinstance(value, Fraction) else top([arb(0), value])
    if query["kind"] == "minimax-risk":
        return normal_cdf(-mu / 2)
    if query["kind"] == "tradeoff":
        return normal_cdf(-probit(ball(query["alpha"])) - mu)
    return smooth.answer([mixture(mu, [(Fraction(0), ball(1), ball(1))])], query, low=-1000, high=200000)


def laplace(parts, query):
    steps = [step for p in parts for step in [laplace_step(p["scale"], p.get("sensitivity", "1")) if p["kind"] == "laplace" else response_step(p["epsilon"])] * p.get("times", 1)]
    if query["kind"] == "gdp-mu" and len(steps) == 1 and "error-floor" not in query:
        c = (-1 / (2 * ball(parts[0]["scale"]))).exp() / 2
        return top([arb(0), -2 * probit(bottom([c + ball(query.get("tolerance", "0")), ball("1/2")]))])
    if query["kind"] == "gdp-mu" or len(steps) > 20:
        raise Unknown
    law = steps[0]
    for step in steps[1:]:
        law = law * step
    return smooth.answer([smooth.Direction(law.delta, law.tail)], query)


def subsampled_gaussian(parts, adjacency, query, steps):
    if query["kind"] == "gdp-mu":
        if "tolerance" not in query and "error-floor" not in query:
            return ball(sum(p.get("times", 1) / Fraction(p["of"]["sigma"]) ** 2 for p in parts)).sqrt()
        if steps > 1:
            raise Unknown
        step = Step(parts[0]["of"]["sigma"], parts[0]["rate"])
        with precision(250):
            return step.mu_with_tolerance(query["tolerance"]) if "tolerance" in query else step.mu_at_floor(query["error-floor"])
    listed = [Step(p["of"]["sigma"], p["rate"], p["of"].get("sensitivity", "1")) for p in parts for _ in range(min(p.get("times", 1), 3))]
    if len(listed) == 1:
        return smooth.answer(listed[0].directions(adjacency), query)
    if len(listed) == 2 and query["kind"] in ("delta", "advantage"):
        u = ball(query.get("epsilon", "0")).exp()
        return top(two_steps(*listed, a, u) for a in ("remove", "add") if adjacency in (a, "add-remove"))
    raise Unknown


if __name__ == "__main__":
    main()
