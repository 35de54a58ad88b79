"""randomized_response.jsonl: compositions of randomised response (k = 2 and more), pure-dp, approx-dp, discrete Laplace,
equal and unequal, and Poisson-subsampled ones.

Formula: multinomial masses written out with exact rational losses (outcomes.py), then Neyman-Pearson vertices (curve.py).
Independent of dpcmp's engine: losses are exact rationals, masses arb balls, answers come from trade-off vertices.
"""
from curve import answer, under, vertices
from enclosure import write_rows
from finite_pairs import query
from outcomes import approx_dp, compose, curve_of, curve_of_subsampled, discrete_laplace, randomized_response, subsample

LAWS = {
    "randomized-response": lambda m: randomized_response(m["epsilon"], m.get("k", 2)),
    "pure-dp": lambda m: randomized_response(m["epsilon"]),
    "approx-dp": lambda m: approx_dp(m["epsilon"], m["delta"]),
    "discrete-laplace": lambda m: discrete_laplace(m["scale"], m.get("sensitivity", 1)),
}


def rr(epsilon, k=None, **more):
    return {"kind": "randomized-response", "epsilon": epsilon, **({"k": k} if k else {}), **more}


def sampled(rate, base, **more):
    return {"kind": "subsampled", "rate": rate, "of": base, **more}


def laplace(scale, sensitivity, **more):
    return {"kind": "discrete-laplace", "scale": scale, "sensitivity": sensitivity, **more}


def pure(epsilon, **more):
    return {"kind": "pure-dp", "epsilon": epsilon, **more}


def approx(epsilon, delta, **more):
    return {"kind": "approx-dp", "epsilon": epsilon, "delta": delta, **more}


def d(epsilon):
    return query("delta", epsilon=epsilon)


CASES = [  # (parts, [(adjacency, queries)])
    ([rr("1", 3, times=5)], [("remove", [d("1.5"), d("4"), query("tradeoff", alpha="0.03"), query("gdp-mu"), query("minimax-risk")])]),
    ([rr("2", 10, times=4)], [("add-remove", [d("3.3"), d("-2"), query("epsilon", delta="1e-3"), query("gdp-mu", tolerance="1e-6"), query("bayes-error", prior="0.3")])]),
    ([rr("0.5", times=3), rr("1.25", times=2), rr("2", 5)], [("remove", [d("2"), query("tradeoff", alpha="1e-3"), query("advantage")]), ("add-remove", [query("epsilon", delta="1e-2"), query("gdp-mu"), query("gdp-mu", error_floor="1e-4")])]),
    ([rr("1/3", times=40), rr("3", times=2)], [("add", [d("5"), d("15"), query("tradeoff", alpha="0.2"), query("gdp-mu")])]),
    ([pure("0.7", times=3), pure("0.1", times=10)], [("add-remove", [d("1"), d("3.05"), query("tradeoff", alpha="0.1"), query("minimax-risk")])]),
    ([approx("0.5", "1e-6", times=4), approx("1", "1e-3", times=2), pure("2")], [("add-remove", [d("2.5"), d("5.9"), d("7"), query("epsilon", delta="1e-2"), query("tradeoff", alpha="0"), query("tradeoff", alpha="0.05"), query("gdp-mu", tolerance="1e-2"), query("gdp-mu", error_floor="1e-2"), query("gdp-mu")])]),
    ([laplace("1", 2, times=3)], [("remove", [d("1"), d("5.5"), query("tradeoff", alpha="0.01"), query("gdp-mu")])]),
    ([laplace("3", 3, times=5)], [("add-remove", [d("0.5"), d("-1.25"), query("epsilon", delta="1e-6"), query("advantage")])]),
    ([laplace("7/2", 2), laplace("2", 3, times=2), rr("0.4")], [("add-remove", [d("1.9"), query("minimax-risk"), query("bayes-error", prior="0.8"), query("gdp-mu", tolerance="1e-3")])]),
    ([sampled("1/10", rr("1"), times=20)], [("remove", [d("0.5"), query("tradeoff", alpha="0.01"), query("minimax-risk")]), ("add", [d("0.5"), d("1"), query("minimax-risk")]), ("add-remove", [d("-0.3"), query("tradeoff", alpha="0.5"), query("gdp-mu"), query("epsilon", delta="1e-4")])]),
    ([sampled("0.3", rr("2", 4), times=6)], [("remove", [d("1"), query("advantage")]), ("add", [d("1"), query("tradeoff", alpha="0.2")]), ("add-remove", [d("2.5"), query("tradeoff", alpha="0.2"), query("gdp-mu", tolerance="1e-5"), query("gdp-mu", error_floor="1e-2")])]),
    ([sampled("1/100", rr("3"), times=10), sampled("1/2", rr("0.5", 3), times=3)], [("remove", [d("0.4"), query("gdp-mu")]), ("add-remove", [d("0.8"), query("bayes-error", prior="0.55")])]),
    ([sampled("1/1000", approx("1", "1e-3"))], [("remove", [d("1e-3"), query("tradeoff", alpha="1e-3")]), ("add", [d("1e-3"), query("epsilon", delta="0")]), ("add-remove", [query("epsilon", delta="1e-5"), query("gdp-mu", tolerance="1e-4")])]),
]


def main():
    write_rows("randomized_response.jsonl", list(rows()))


def rows():
    for parts, asked in CASES:
        points = curve(parts)
        for adjacency, queries in asked:
            for each in queries:
                yield mechanism(parts, adjacency), each, answer(under(points, adjacency), each), "multinomial masses, Neyman-Pearson vertices"


def mechanism(parts, adjacency):
    whole = dict(parts[0]) if len(parts) == 1 and "times" not in parts[0] else {"kind": "compose", "of": parts}
    return {**whole, "adjacency": adjacency}


def curve(parts):
    if all(part["kind"] != "subsampled" for part in parts):
        return curve_of(compose([(law(part), part.get("times", 1)) for part in parts]))
    if len(parts) == 1 and "times" not in parts[0] and parts[0]["of"]["kind"] == "approx-dp":
        return single_with_top(parts[0])
    return curve_of_subsampled([(subsample(law(part["of"]), part["rate"]), part.get("times", 1)) for part in parts])


def single_with_top(part):
    """One subsampled law that has an outcome only Q gives: it comes first, the rest keep the order of the base losses."""
    outcomes = law(part["of"])
    order = sorted(range(len(outcomes)), key=lambda i: {"only q": 1e9, "only p": -1e9}.get(outcomes[i][0]) or float(outcomes[i][0]), reverse=True)
    mixed = subsample(outcomes, part["rate"])
    return vertices([mixed[i][0] for i in order], [mixed[i][1] for i in order])


def law(part):
    return LAWS[part["kind"]](part)


if __name__ == "__main__":
    main()
