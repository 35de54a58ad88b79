"""finite_pairs.jsonl: single finite pairs, mostly asymmetric, under all three adjacencies.

Formula: Neyman-Pearson enumeration (curve.py); add-remove by the explicit lower convex hull of the vertices of f and f⁻¹.
Independent of dpcmp's engine: works on trade-off vertices, never on a privacy profile or a loss distribution, in exact
rationals (probits and logarithms as arb balls).
"""
from fractions import Fraction
import random

from curve import answer, under, vertices
from enclosure import write_rows

ADJACENCIES = ("remove", "add", "add-remove")


def main():
    write_rows("finite_pairs.jsonl", [row for pair in pairs() for row in rows_of(*pair)])


def pairs():
    """(name, p, q, queries); the named ones sit on an edge case, the rest are random with a fixed seed."""
    yield "f = max(0, 1-2a)", "1/2 1/2", "0 1", EVERYTHING
    yield "q without p and p without q", "1/5 3/10 1/2 0", "0 2/5 1/4 7/20", MANY
    yield "infinite loss of mass 1e-9", "3/10 7/10 0", "1/2 499999999/1000000000 1/1000000000", SMALL_TOP
    yield "equal", "1/7 2/7 4/7", "1/7 2/7 4/7", EDGES
    yield "disjoint", "1 0 0", "0 1/3 2/3", EDGES
    yield "an outcome nobody gives", "1/3 0 2/3", "1/2 0 1/2", EDGES
    yield "ties in the ratio", "1/8 1/4 1/8 1/2", "1/4 1/2 1/16 3/16", SOME
    yield "very skewed", "999999/1000000 1/1000000", "9/10 1/10", SOME
    random.seed(20260101)
    for atoms in (3, 4, 5, 7):
        yield f"random, {atoms} outcomes", random_law(atoms), random_law(atoms), SOME


def random_law(atoms):
    weights = [random.randint(1, 40) for _ in range(atoms)]
    return " ".join(f"{Fraction(w, sum(weights))}" for w in weights)


def rows_of(name, p, q, queries):
    p, q = p.split(), q.split()
    points = vertices([Fraction(x) for x in p], [Fraction(x) for x in q])
    for index, adjacency in enumerate(ADJACENCIES):
        mechanism = {"kind": "finite", "p": p, "q": q}
        if not (adjacency == "add-remove" and name.startswith("f =")):  # the default adjacency is add-remove
            mechanism["adjacency"] = adjacency
        for number, query in enumerate(queries):
            if queries is not EVERYTHING and (number + index) % 3:
                continue  # each adjacency takes every third query, another third each time
            how = "Neyman-Pearson vertices" + (", hull of f and its inverse" if adjacency == "add-remove" else "")
            yield mechanism, query, answer(under(points, adjacency), query), f"{how}; {name}"


def query(kind, **keys):
    return {"kind": kind, **{key.replace("_", "-"): value for key, value in keys.items()}}


EVERYTHING = [
    query("delta", exp_epsilon="3/2"), query("delta", exp_epsilon="2/3"), query("delta", epsilon="-0.3"),
    query("epsilon", delta="0"), query("epsilon", delta="9/20"), query("epsilon", delta="1"), query("tradeoff", alpha="1/3"),
    query("tradeoff", alpha="0"), query("advantage"), query("bayes-error", prior="1/3"), query("minimax-risk"),
    query("gdp-mu"), query("gdp-mu", tolerance="1/50"), query("gdp-mu", error_floor="1/100"), query("gdp-mu", error_floor="3/10"),
]
MANY = EVERYTHING[:]  # asked of every adjacency in turn
SMALL_TOP = [
    query("delta", epsilon="5"), query("epsilon", delta="1e-9"), query("epsilon", delta="9.99e-10"), query("gdp-mu"),
    query("gdp-mu", tolerance="1e-10"), query("gdp-mu", error_floor="1e-12"), query("gdp-mu", error_floor="1e-3"),
]
EDGES = [query("delta", epsilon="0"), query("epsilon", delta="0"), query("minimax-risk"), query("gdp-mu")]
SOME = [
    query("delta", exp_epsilon="7/5"), query("delta", epsilon="0.25"), query("epsilon", delta="1/100"),
    query("tradeoff", alpha="1/10"), query("advantage"), query("bayes-error", prior="3/5"),
    query("minimax-risk"), query("gdp-mu"), query("gdp-mu", tolerance="1e-6"), query("gdp-mu", error_floor="1/20"),
]

if __name__ == "__main__":
    main()
