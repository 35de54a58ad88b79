"""discrete_gaussian.jsonl: discrete Gaussians alone, composed (equal and unequal σ), and Poisson-subsampled.

Formula: masses e^(−x²/2σ²)/θ with a rigorous bound on what lies beyond the table; for equal steps the sum of the outputs decides the
likelihood ratio, so its law is a power of one polynomial with ball coefficients; unequal steps merge on exact rational losses.
Every event is {sum ≥ n}; answers come from its two error probabilities.
Independent of dpcmp's engine: exact losses, arb sums, no lattice rounding.
"""
from fractions import Fraction

from flint import arb, arb_poly

from curve import answer, under
from enclosure import ball, write_rows
from finite_pairs import query

BEYOND = 40  # the tables reach 40 σ: what is left out is below e^(−800)


def masses(sigma):
    """(reach, unnormalised masses at −reach…reach, θ, bound on the relative mass left out)."""
    sigma = Fraction(sigma)
    reach = int(BEYOND * sigma) + 2
    rate = ball(1 / (2 * sigma**2))
    table = [(-rate * x * x).exp() for x in range(-reach, reach + 1)]
    outside = 2 * (-rate * (reach + 1) ** 2).exp() / (1 - (-rate * (2 * reach + 3)).exp())
    theta = sum(table, arb(0)) + arb(0).union(outside)
    return reach, table, theta, outside / theta


def tails(law, left_out):
    """(P(S ≥ n), P(S < n)) for every cut n of a law listed in increasing order, covering the mass left out."""
    slack = arb(0).union(left_out)
    below = [arb(0)]
    for mass in law:
        below.append(below[-1] + mass)
    above = [arb(0)]
    for mass in reversed(law):
        above.append(above[-1] + mass)
    return [(up + slack, down + slack) for up, down in zip(above[::-1], below)]


def equal_steps(sigma, sensitivity, times, rate=None):
    """Vertices of f for `times` equal steps: S under P, S + times·sensitivity under Q."""
    reach, table, theta, outside = masses(sigma)
    power = (arb_poly(table) ** times).coeffs()
    law = [mass / theta**times for mass in power]
    cuts = tails(law, times * outside)
    shift = times * sensitivity
    points = [(cuts[n + shift][0], cuts[n][1]) for n in range(len(cuts) - shift)]  # reject when S ≥ n + shift
    if rate:  # one step: the ratio is still increasing, so the events stay, with Q replaced by the mixture
        points = [(cuts[n + shift][0], (1 - ball(rate)) * cuts[n + shift][1] + ball(rate) * cuts[n][1]) for n in range(len(cuts) - shift)]
    return [(arb(0), arb(1)), *points[::-1], (arb(1), arb(0))]


def unequal_steps(steps):
    """Vertices of f for steps (σ, sensitivity) with different σ: outcomes merged on their exact losses."""
    merged, left_out = {Fraction(0): (arb(1), arb(1))}, arb(0)
    for sigma, s in steps:
        reach, table, theta, outside = masses(sigma)
        left_out += 2 * outside
        mass = {x: table[x + reach] / theta for x in range(-reach, reach + 1)}
        bigger = {}
        for x in range(-reach + s, reach + 1):
            loss = Fraction(2 * x * s - s * s) / (2 * Fraction(sigma) ** 2)
            for before, (p, q) in merged.items():
                old_p, old_q = bigger.get(before + loss, (arb(0), arb(0)))
                bigger[before + loss] = (old_p + p * mass[x], old_q + q * mass[x - s])
        merged = bigger
        left_out += (-ball(1 / (2 * Fraction(sigma) ** 2)) * (reach - s) ** 2).exp() * s  # outputs one table has and the other lacks
    order = [merged[loss] for loss in sorted(merged)]
    p_tails, q_tails = tails([p for p, _ in order], left_out), tails([q for _, q in order], left_out)
    points = [(p[0], q[1]) for p, q in zip(p_tails, q_tails)]
    return [(arb(0), arb(1)), *points[::-1], (arb(1), arb(0))]


def near(points, asked):
    """For a trade-off, the neighbours of alpha are enough: the chord of the two next to it is the curve."""
    if asked["kind"] != "tradeoff":
        return points
    alpha = ball(asked["alpha"])
    index = next(i for i, (fpr, _) in enumerate(points) if fpr > alpha)
    return points[max(0, index - 4) : index + 4]


def gauss(sigma, sensitivity=1, **more):
    return {"kind": "discrete-gaussian", "sigma": sigma, **({"sensitivity": sensitivity} if sensitivity != 1 else {}), **more}


def d(epsilon):
    return query("delta", epsilon=epsilon)


EQUAL = [  # (sigma, sensitivity, times, adjacency, queries)
    ("1/2", 1, 1, "remove", [d("1.5"), d("9"), query("tradeoff", alpha="0.01"), query("advantage")]),
    ("1", 3, 1, "add-remove", [d("4"), d("-2"), query("epsilon", delta="1e-6"), query("tradeoff", alpha="1e-5"), query("gdp-mu", tolerance="1e-3")]),
    ("3", 2, 1, "add", [d("0.5"), d("3"), query("bayes-error", prior="0.7"), query("tradeoff", alpha="0.9")]),
    ("30", 1, 1, "add-remove", [d("0.01"), d("0.4"), query("epsilon", delta="1e-20"), query("gdp-mu", tolerance="1e-6")]),
    ("1/2", 1, 20, "remove", [d("40"), d("120"), query("tradeoff", alpha="1e-3"), query("advantage")]),
    ("2", 1, 5, "add-remove", [d("1"), d("15"), query("epsilon", delta="1e-40"), query("tradeoff", alpha="0.2"), query("gdp-mu", tolerance="1e-9")]),
    ("5", 3, 8, "remove", [d("2"), d("24"), query("tradeoff", alpha="1e-12"), query("bayes-error", prior="0.1")]),
    ("30", 2, 20, "add-remove", [d("0.2"), d("4.4"), query("tradeoff", alpha="0.5"), query("epsilon", delta="1e-5")]),
]
UNEQUAL = [
    ([("1", 1), ("2", 1)], "add-remove", [d("1"), d("12"), query("tradeoff", alpha="0.05"), query("advantage")]),
    ([("1/2", 1), ("3/2", 2), ("2", 3)], "remove", [d("4"), d("-3"), query("epsilon", delta="1e-10")]),
]
SAMPLED = [
    ("1", 1, "1/10", [("remove", [d("0.4"), query("tradeoff", alpha="0.05")]), ("add", [d("0.05"), query("tradeoff", alpha="0.3")]), ("add-remove", [d("-0.1"), query("epsilon", delta="1e-6"), query("bayes-error", prior="0.48"), query("gdp-mu", tolerance="1e-4")])]),
    ("4", 2, "0.01", [("remove", [d("1"), query("epsilon", delta="1e-9")]), ("add", [d("0.005")]), ("add-remove", [query("advantage"), query("minimax-risk")])]),
]


def main():
    write_rows("discrete_gaussian.jsonl", list(rows()))


def rows():
    for sigma, s, times, adjacency, queries in EQUAL:
        points = equal_steps(sigma, s, times)
        mechanism = {**gauss(sigma, s), "adjacency": adjacency} if times == 1 else {"kind": "compose", "of": [gauss(sigma, s, times=times)], "adjacency": adjacency}
        for each in queries:
            yield mechanism, each, answer(near(points, each), each), "theta sums, power of one polynomial; symmetric pair"
    for steps, adjacency, queries in UNEQUAL:
        points = unequal_steps(steps)
        mechanism = {"kind": "compose", "of": [gauss(sigma, s) for sigma, s in steps], "adjacency": adjacency}
        for each in queries:
            yield mechanism, each, answer(near(points, each), each), "theta sums merged on exact losses; symmetric pair"
    for sigma, s, rate, asked in SAMPLED:
        points = [(fpr, fnr) for fpr, fnr in equal_steps(sigma, s, 1, rate) if not fnr < 1e-100 and not fpr < 1e-100 or fpr == 0 or fnr == 0]
        for adjacency, queries in asked:
            mechanism = {"kind": "subsampled", "rate": rate, "of": gauss(sigma, s), "adjacency": adjacency}
            for each in queries:
                symmetrised = adjacency == "add-remove" and each["kind"] == "minimax-risk"
                value = (1 - answer(points, query("advantage"))) / 2 if symmetrised else answer(under(points, adjacency), each)
                yield mechanism, each, value, "theta sums, half-line events of the mixture"


if __name__ == "__main__":
    main()
