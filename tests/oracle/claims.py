"""claims.jsonl: claims with known verdicts, many of them on the boundary (claims are non-strict) or a relative 1e-6 from it.

Boundaries are exact rationals wherever there are any: losses of Laplace and randomised-response products add up, trade-offs and
advantages of finite pairs are rational, Gaussian μ adds in squares, and strict μ of subsampled Gaussians is sqrt(Σ 1/σ²).
Other boundaries are the truths of the sibling scripts. Independent of dpcmp's engine for the reasons given there.
"""
from fractions import Fraction
import json

from curve import answer as curve_answer, under, vertices
from discrete_gaussian import equal_steps
from enclosure import ball, decimal, ends, precision
from finite_compositions import A, B, D, describe, product
from finite_pairs import query
from laplace import laplace_step
from outcomes import compose, curve_of
from smooth import Direction, answer
from randomized_response import approx, curve as response_curve, law as discrete_law, mechanism as response_mechanism, pure, rr, sampled as sampled_response
from subsampled_gaussian import Step, two_steps

VERIFIED, REFUTED = "verified", "refuted"


def main():
    rows = [*pure_dp(), *finite(), *gaussians(), *subsampled_gaussians(), *near_truths(), *empty()]
    with open("claims.jsonl", "w", encoding="utf-8") as out:
        for number, (mechanism, claim, verdict, note) in enumerate(rows, 1):
            out.write(json.dumps({"id": f"claims-{number:03}", "mechanism": mechanism, "claim": claim, "verdict": verdict, "note": note}) + "\n")
    print("claims.jsonl", len(rows), "rows")


def boundary(mechanism, kind, key, value, step, note, **fixed):
    """The claim at an exact least true value (verified) and just below it (refuted)."""
    value = Fraction(value)
    yield mechanism, {"kind": kind, **fixed, key: str(value)}, VERIFIED, "exact boundary: " + note
    yield mechanism, {"kind": kind, **fixed, key: str(value - Fraction(step))}, REFUTED, f"{step} below: " + note


def around(mechanism, kind, key, value, note, share=Fraction(1, 10**6), **fixed):
    """The claim a relative 1e-6 above and below an enclosed least true value."""
    low, high = ends(value)
    above, below = decimal(high * (1 + share), down=False), decimal(low * (1 - share), down=True)
    yield mechanism, {"kind": kind, **fixed, key: above}, VERIFIED, "just above: " + note
    yield mechanism, {"kind": kind, **fixed, key: below}, REFUTED, "just below: " + note


def whole(parts, adjacency="add-remove"):
    return {"kind": "compose", "of": parts, "adjacency": adjacency}


def lap(scale, **more):
    return {"kind": "laplace", "scale": scale, **more}


def gauss(sigma, **more):
    return {"kind": "gaussian", "sigma": sigma, **more}


def pure_dp():
    yield from boundary(whole([lap("2", times=3), lap("1", sensitivity="1/3")]), "pure-dp", "epsilon", "11/6", "1e-12", "losses add up")
    yield from boundary(whole([rr("0.5", times=3), rr("1.25", times=2), rr("2", 5)]), "pure-dp", "epsilon", "6", "1e-9", "losses add up")
    yield from boundary(whole([pure("0.7", times=3), lap("10"), rr("0.1", times=9)], "remove"), "pure-dp", "epsilon", "31/10", "1e-15", "losses add up")
    yield from boundary(whole([{"kind": "discrete-laplace", "scale": "3/2", "sensitivity": 3, "times": 2}], "add"), "pure-dp", "epsilon", "4", "1e-10", "losses add up")
    yield from boundary(whole([lap("3", times=3)]), "approx-dp", "epsilon", "1", "1e-8", "δ(1) = 0", delta="0")
    half = {"kind": "finite", "p": ["1/2", "1/2"], "q": ["1/3", "2/3"]}
    for adjacency, ratio in (("remove", Fraction(4, 3)), ("add", Fraction(3, 2)), ("add-remove", Fraction(3, 2))):
        yield from around({**half, "adjacency": adjacency}, "pure-dp", "epsilon", ball(ratio).log(), f"log of the largest ratio {ratio}", share=Fraction(1, 10**12))
    q = ball("1/10")
    sampled = sampled_response("1/10", rr("1"))
    yield from around(whole([{**sampled, "times": 5}], "remove"), "pure-dp", "epsilon", 5 * (1 - q + q * ball(1).exp()).log(), "5 log(1 - q + q e)")
    yield from around(whole([{**sampled, "times": 5}], "add"), "pure-dp", "epsilon", -5 * (1 - q + q * ball(-1).exp()).log(), "-5 log(1 - q + q/e)")
    yield {"kind": "finite", "p": ["1/7", "6/7"], "q": ["1/7", "6/7"]}, {"kind": "pure-dp", "epsilon": "0"}, VERIFIED, "equal pair"
    yield {"kind": "finite", "p": ["1", "0"], "q": ["0", "1"]}, {"kind": "pure-dp", "epsilon": "1000"}, REFUTED, "disjoint pair"
    yield {"kind": "finite", "p": ["1/2", "1/2"], "q": ["0", "1"], "adjacency": "remove"}, {"kind": "pure-dp", "epsilon": "0.7"}, VERIFIED, "log 2, one direction"
    yield {"kind": "finite", "p": ["1/2", "1/2"], "q": ["0", "1"], "adjacency": "add"}, {"kind": "pure-dp", "epsilon": "700"}, REFUTED, "infinite loss in the other direction"
    yield gauss("100"), {"kind": "pure-dp", "epsilon": "10"}, REFUTED, "unbounded loss"
    yield approx("1", "1e-9"), {"kind": "pure-dp", "epsilon": "50"}, REFUTED, "δ stays 1e-9"


def finite():
    products = [([(A, None, 1)], "remove"), ([(B, None, 2)], "add"), ([(A, None, 1), (D, None, 2)], "add-remove")]
    for parts, adjacency in products:
        points = under(vertices(*product(parts)), adjacency)
        mechanism = describe(parts, adjacency)
        alpha = "1/9"
        beta = curve_answer(points, query("tradeoff", alpha=alpha))
        yield mechanism, {"kind": "trade-off", "alpha": alpha, "beta": str(beta)}, VERIFIED, "exact boundary: f(1/9)"
        yield mechanism, {"kind": "trade-off", "alpha": alpha, "beta": str(beta + Fraction(1, 10**30))}, REFUTED, "1e-30 above f(1/9)"
        advantage = curve_answer(points, query("advantage"))
        yield from boundary(mechanism, "advantage", "at-most", advantage, "1e-40", "exact advantage")
        yield from boundary(mechanism, "approx-dp", "delta", advantage, "1e-40", "δ(0)", epsilon="0")
    skew = {"kind": "finite", "p": ["1/2", "1/2"], "q": ["0", "1"]}
    yield skew, {"kind": "trade-off", "alpha": "1/4", "beta": "1/4"}, VERIFIED, "hull of f and its inverse: f(1/4) = 1/4"
    yield skew, {"kind": "trade-off", "alpha": "1/4", "beta": "1/3"}, REFUTED, "true of f, false of the hull"
    yield {**skew, "adjacency": "remove"}, {"kind": "trade-off", "alpha": "1/4", "beta": "1/2"}, VERIFIED, "f = 1 - 2α"
    top_heavy = vertices([Fraction(3, 10), Fraction(7, 10), Fraction(0)], [Fraction(1, 2), Fraction(499999999, 10**9), Fraction(1, 10**9)])
    mechanism = {"kind": "finite", "p": ["3/10", "7/10", "0"], "q": ["1/2", "499999999/1000000000", "1/1000000000"], "adjacency": "remove"}
    yield mechanism, {"kind": "gdp", "mu": "100"}, REFUTED, "f(0) < 1: no finite μ"
    for keys in ({"tolerance": "1e-8"}, {"tolerance": "1e-12"}, {"error-floor": "1e-6"}):
        yield from around(mechanism, "gdp", "mu", curve_answer(top_heavy, {"kind": "gdp-mu", **keys}), "vertices", **keys)


def gaussians():
    yield from boundary(whole([gauss("1/3"), gauss("1/4")]), "gdp", "mu", "5", "1e-20", "3-4-5")
    yield from boundary(whole([gauss("2", times=36)], "remove"), "gdp", "mu", "3", "1e-12", "sqrt(T)/σ")
    yield from boundary(whole([{"kind": "gdp", "mu": "0.6"}, {"kind": "gdp", "mu": "0.8"}]), "gdp", "mu", "1", "1e-9", "squares add up")
    yield from boundary(whole([gauss("1000", times=1000000)]), "gdp", "mu", "1", "1e-15", "a million steps")
    yield from boundary(whole([gauss("2", times=10)]), "zcdp", "rho", "5/4", "1e-10", "T/(2σ²)")
    yield from boundary(whole([gauss("2", times=10)], "add"), "rdp", "epsilon", "15/4", "1e-10", "order·T/(2σ²)", order="3")


def subsampled_gaussians():
    def sampled(sigma, rate, **more):
        return {"kind": "subsampled", "rate": rate, "of": gauss(sigma), **more}

    yield from boundary(whole([sampled("4", "0.01", times=4)]), "gdp", "mu", "1/2", "1e-7", "strict μ* = sqrt(T)/σ")
    yield from boundary(whole([sampled("2", "1e-9", times=100)], "add"), "gdp", "mu", "5", "1e-6", "strict μ* = sqrt(T)/σ, whatever the rate")
    yield from boundary(whole([sampled("3/4", "0.2", times=9), sampled("1/2", "0.9", times=5)], "remove"), "gdp", "mu", "6", "1e-9", "sqrt(Σ 1/σ²)")
    yield from boundary({**sampled("0.8", "0.01"), "adjacency": "remove"}, "gdp", "mu", "5/4", "1e-12", "strict μ* = 1/σ")
    yield {"kind": "dp-sgd", "noise-multiplier": "2", "sample-rate": "0.001", "steps": 1600}, {"kind": "gdp", "mu": "20"}, VERIFIED, "exact boundary sqrt(T)/σ"
    yield {"kind": "dp-sgd", "noise-multiplier": "2", "sample-rate": "0.001", "steps": 1600}, {"kind": "gdp", "mu": "19.9"}, REFUTED, "below sqrt(T)/σ"
    yield {"kind": "dp-sgd", "noise-multiplier": "1", "sample-rate": "0.01", "steps": 10000}, {"kind": "zcdp", "rho": "5000"}, VERIFIED, "ρ* = T/(2σ²)"
    with precision(250):
        for sigma, rate, keys, adjacency in [("1", "0.1", {"tolerance": "1e-4"}, "remove"), ("2", "0.5", {"error-floor": "0.01"}, "add")]:
            step = Step(sigma, rate)
            value = step.mu_with_tolerance(keys["tolerance"]) if "tolerance" in keys else step.mu_at_floor(keys["error-floor"])
            yield from around({**sampled(sigma, rate), "adjacency": adjacency}, "gdp", "mu", value, "certified maximum", **keys)
    for adjacency in ("remove", "add"):
        step = Step("2", "0.3")
        value = two_steps(step, step, adjacency, ball("0.4").exp())
        yield from around(whole([sampled("2", "0.3", times=2)], adjacency), "approx-dp", "delta", value, "rigorous integral", epsilon="0.4")


def near_truths():
    cube = laplace_step("1") * laplace_step("1") * laplace_step("1")
    one = [Direction(cube.delta, cube.tail)]
    mechanism = whole([lap("1", times=3)])
    yield from around(mechanism, "approx-dp", "delta", cube.delta(Fraction(2)), "exact truncated powers", epsilon="2")
    yield from around(mechanism, "advantage", "at-most", cube.delta(Fraction(0)), "exact truncated powers")
    f = answer(one, query("tradeoff", alpha="0.1"))
    yield mechanism, {"kind": "trade-off", "alpha": "0.1", "beta": decimal(ends(f)[0] * (1 - Fraction(1, 10**6)), down=True)}, VERIFIED, "just below f(0.1)"
    yield mechanism, {"kind": "trade-off", "alpha": "0.1", "beta": decimal(ends(f)[1] * (1 + Fraction(1, 10**6)), down=False)}, REFUTED, "just above f(0.1)"
    parts = [rr("1", 3, times=5)]
    points = curve_of(compose([(discrete_law(parts[0]), 5)]))
    for keys in ({}, {"tolerance": "1e-3"}, {"error-floor": "1e-3"}):
        yield from around(response_mechanism(parts, "add-remove"), "gdp", "mu", curve_answer(points, {"kind": "gdp-mu", **keys}), "vertices", **keys)
    parts = [sampled_response("0.3", rr("2", 4), times=6)]
    points = response_curve(parts)
    for adjacency in ("remove", "add"):
        yield from around(response_mechanism(parts, adjacency), "approx-dp", "delta", curve_answer(under(points, adjacency), query("delta", epsilon="1")), "vertices", epsilon="1")
    points = equal_steps("5", 3, 8)
    yield from around(whole([{"kind": "discrete-gaussian", "sigma": "5", "sensitivity": 3, "times": 8}]), "approx-dp", "delta", curve_answer(points, query("delta", epsilon="24")), "theta sums, δ about 1e-41", epsilon="24")


def empty():
    """True claims that say nothing."""
    anything = whole([gauss("0.1", times=100)])
    yield anything, {"kind": "approx-dp", "epsilon": "0", "delta": "1"}, VERIFIED, "vacuous: δ ≥ 1"
    yield anything, {"kind": "trade-off", "alpha": "0.3", "beta": "0"}, VERIFIED, "vacuous: β = 0"
    yield anything, {"kind": "gdp", "mu": "13", "tolerance": "1e-10"}, VERIFIED, "vacuous: μ ≥ -2Φ⁻¹(τ)"
    yield {"kind": "finite", "p": ["1", "0"], "q": ["0", "1"]}, {"kind": "gdp", "mu": "13", "tolerance": "1e-10"}, VERIFIED, "vacuous: μ ≥ -2Φ⁻¹(τ)"
    yield {"kind": "finite", "p": ["1", "0"], "q": ["0", "1"]}, {"kind": "gdp", "mu": "12", "tolerance": "1e-10"}, REFUTED, "disjoint: μ*(τ) = -2Φ⁻¹(τ) = 12.72"
    yield {"kind": "finite", "p": ["1", "0"], "q": ["0", "1"]}, {"kind": "advantage", "at-most": "1"}, VERIFIED, "vacuous"


if __name__ == "__main__":
    main()
