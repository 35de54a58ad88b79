"""hostile.jsonl: extreme values: δ = 1e-300, ε = 1e4, σ = 0.05 and 1e6, rate 1e-12, a thousand steps, tails of 1e-570.

Formulas: the closed forms of the other scripts, at 2600 bits and more.
Independent of dpcmp's engine: closed forms and exact multinomials only.
"""
from fractions import Fraction


from curve import answer as curve_answer, under, vertices
from discrete_gaussian import near
from enclosure import ball, normal_cdf, precision, probit, write_rows
from finite_pairs import query
from gaussian import gaussian_delta, gaussian_tail
from laplace import laplace_step
from outcomes import approx_dp, compose, curve_of, randomized_response
from smooth import Direction, answer
from subsampled_gaussian import Step


def d(epsilon):
    return query("delta", epsilon=epsilon)


def gauss(sigma, **more):
    return {"kind": "gaussian", "sigma": sigma, **more}


def steps(base, times):
    return {"kind": "compose", "of": [{**base, "times": times}]}


GAUSSIANS = [  # (mechanism, μ², queries)
    (gauss("1"), Fraction(1), [query("epsilon", delta="1e-300"), query("tradeoff", alpha="1e-300"), query("tradeoff", alpha="0.99999999999999999999"), query("bayes-error", prior="1e-12"), query("bayes-error", prior="0.999999999999"), query("delta", exp_epsilon="1e30"), query("delta", exp_epsilon="1e-30"), query("gdp-mu", tolerance="1e-300")]),
    (gauss("0.05"), Fraction(400), [d("1000"), d("-300"), query("epsilon", delta="1e-300"), query("epsilon", delta="0.999999"), query("tradeoff", alpha="0.5"), query("minimax-risk"), query("advantage")]),
    (steps(gauss("0.05"), 50), Fraction(20000), [d("10000"), query("epsilon", delta="1e-10")]),
    (gauss("1e6"), Fraction(1, 10**12), [d("0"), d("1e-7"), d("-1e-9"), d("2e-5"), query("epsilon", delta="1e-10"), query("tradeoff", alpha="0.5"), query("minimax-risk")]),
    (steps(gauss("1000"), 1000000), Fraction(1), [d("0.5"), query("gdp-mu")]),
    (steps(gauss("1e6"), 1000000000000), Fraction(1), [d("2"), query("tradeoff", alpha="1e-9")]),
]
SAMPLED = [  # (sigma, rate, [(adjacency, queries)])
    ("1", "1e-12", [("remove", [d("1e-12"), d("0.01"), query("epsilon", delta="1e-15")]), ("add", [d("1e-13"), query("epsilon", delta="1e-14")]), ("add-remove", [d("-1e-13"), query("advantage"), query("minimax-risk")])]),
    ("0.05", "1e-12", [("remove", [d("20"), query("epsilon", delta="1e-13"), query("advantage")]), ("add", [query("minimax-risk")])]),
    ("1e6", "0.999999", [("remove", [d("1e-7")]), ("add", [d("1e-7")])]),
]
DISCRETE = [  # (mechanism, law builder, adjacency, queries)
    (steps({"kind": "randomized-response", "epsilon": "1"}, 1000), lambda: compose([(randomized_response("1"), 1000)]), "remove", [d("999.5"), d("-700"), query("advantage"), query("tradeoff", alpha="1e-120")]),
    (steps({"kind": "randomized-response", "epsilon": "3"}, 1000), lambda: compose([(randomized_response("3"), 1000)]), "remove", [query("tradeoff", alpha="1e-9"), query("epsilon", delta="1e-15"), d("2999.9")]),
    (steps({"kind": "randomized-response", "epsilon": "0.001"}, 1000), lambda: compose([(randomized_response("0.001"), 1000)]), "add-remove", [d("0.9985"), d("0.05"), query("minimax-risk")]),
    (steps({"kind": "randomized-response", "epsilon": "1/10", "k": 4}, 1000), lambda: compose([(randomized_response("1/10", 4), 1000)]), "add-remove", [d("99.95"), d("1.5")]),
    (steps({"kind": "randomized-response", "epsilon": "1e-9"}, 10), lambda: compose([(randomized_response("1e-9"), 10)]), "remove", [d("5e-9"), query("advantage"), query("gdp-mu")]),
    ({"kind": "randomized-response", "epsilon": "700"}, lambda: compose([(randomized_response("700"), 1)]), "remove", [d("699"), query("tradeoff", alpha="1e-290"), query("gdp-mu")]),
    ({"kind": "pure-dp", "epsilon": "1e4"}, lambda: compose([(randomized_response("1e4"), 1)]), "add-remove", [d("9999.5"), query("epsilon", delta="1e-300"), query("advantage")]),
    (steps({"kind": "approx-dp", "epsilon": "0.1", "delta": "1e-300"}, 3), lambda: compose([(approx_dp("0.1", "1e-300"), 3)]), "add-remove", [d("0.3"), d("0.25"), query("epsilon", delta="1e-300"), query("gdp-mu")]),
]
LAPLACE = [
    ({"kind": "laplace", "scale": "1e-3"}, "1e-3", 1, [d("999"), d("-1000.5"), query("epsilon", delta="1e-300"), query("tradeoff", alpha="0.5"), query("minimax-risk")]),
    (steps({"kind": "laplace", "scale": "1e6"}, 3), "1e6", 3, [d("1e-6"), d("2.9999999e-6"), query("advantage"), query("epsilon", delta="1e-12")]),
]
ATOM = Fraction(1, 10**200)


def main():
    with precision(2600):
        rows = [*gaussians(), *sampled(), *finite()]
    with precision(3600):
        rows += [*discrete(), *laplace()]
    write_rows("hostile.jsonl", rows)


def gaussians():
    for mechanism, square, queries in GAUSSIANS:
        mu = ball(square).sqrt()
        one = Direction(lambda e: gaussian_delta(mu, ball(e)), lambda e: gaussian_tail(mu, ball(e)))
        for each in queries:
            if each["kind"] == "tradeoff":
                value = normal_cdf(-probit(ball(each["alpha"])) - mu)
            elif each["kind"] == "minimax-risk":
                value = normal_cdf(-mu / 2)
            elif each["kind"] == "gdp-mu":
                value = -2 * probit(normal_cdf(-mu / 2) + ball(each["tolerance"])) if "tolerance" in each else Fraction(1)
            else:
                value = answer([one], each, low=-1, high=30000)
            yield {**mechanism, "adjacency": "add-remove"}, each, value, "closed form"


def sampled():
    for sigma, rate, asked in SAMPLED:
        for adjacency, queries in asked:
            directions = Step(sigma, rate).directions(adjacency)
            for each in queries:
                mechanism = {"kind": "subsampled", "rate": rate, "of": gauss(sigma), "adjacency": adjacency}
                yield mechanism, each, answer(directions, each, high=1000), "half-line events, closed form"


def finite():
    p, q = [1 - ATOM, ATOM], [Fraction(1, 2), Fraction(1, 2)]
    texts = [["1" if x == 1 else str(x) for x in vector] for vector in (p, q)]
    for adjacency in ("remove", "add", "add-remove"):
        mechanism = {"kind": "finite", "p": texts[0], "q": texts[1], "adjacency": adjacency}
        for each in (query("epsilon", delta="0"), query("gdp-mu"), query("tradeoff", alpha="1e-201"), query("delta", exp_epsilon="1e199")):
            yield mechanism, each, curve_answer(under(vertices(p, q), adjacency), each), "exact rational, an outcome of mass 1e-200"


def discrete():
    for mechanism, law, adjacency, queries in DISCRETE:
        points = curve_of(law())
        for each in queries:
            if each["kind"] == "minimax-risk":  # symmetric pairs
                value = (1 - curve_answer(points, query("advantage"))) / 2
            else:
                value = curve_answer(near(points, each), each)
            yield {**mechanism, "adjacency": adjacency}, each, value, "exact multinomial; symmetric pair"


def laplace():
    for mechanism, scale, times, queries in LAPLACE:
        law = laplace_step(scale)
        for _ in range(times - 1):
            law = law * laplace_step(scale)
        for each in queries:
            if each["kind"] == "minimax-risk":
                value = (-ball(500)).exp() / 2
            else:
                value = answer([Direction(law.delta, law.tail)], each, low=-2000, high=2000)
            yield {**mechanism, "adjacency": "remove"}, each, value, "exact truncated powers"


if __name__ == "__main__":
    main()
