"""finite_compositions.jsonl: products of finite pairs, equal and unequal, plain and Poisson-subsampled.

Formula: the product pair is written out outcome by outcome (outcomes of equal likelihood ratio added together), then
answered from its Neyman-Pearson vertices in exact rationals.
Independent of dpcmp's engine: no lattice, no convolution of losses, no profile.
"""
from fractions import Fraction

from curve import answer, under, vertices
from enclosure import write_rows
from finite_pairs import query

A = ("finite", "1/2 3/10 1/5", "1/10 3/10 3/5")
B = ("finite", "1/5 3/10 1/2 0", "0 2/5 1/4 7/20")
C = ("finite", "2/5 3/5", "3/5 2/5")
D = ("finite", "9/10 1/10", "7/10 3/10")
E = ("finite", "0 1", "1/1000 999/1000")

CASES = [  # (parts as (pair, rate or None, times), adjacencies)
    ([(A, None, 2)], ["remove", "add-remove"]),
    ([(A, None, 6)], ["add", "add-remove"]),
    ([(B, None, 3)], ["remove", "add", "add-remove"]),
    ([(C, None, 5)], ["remove"]),
    ([(A, None, 1), (D, None, 2)], ["remove", "add", "add-remove"]),
    ([(C, None, 2), (D, None, 3), (E, None, 1)], ["remove", "add-remove"]),
    ([(A, "1/10", 3)], ["remove", "add", "add-remove"]),
    ([(B, "1/4", 2), (D, "2/3", 2)], ["remove", "add"]),
    ([(D, "1/1000", 6)], ["add-remove"]),
]
QUERIES = [
    query("delta", exp_epsilon="11/10"), query("delta", exp_epsilon="1/2"), query("tradeoff", alpha="1/20"), query("advantage"),
    query("minimax-risk"), query("epsilon", delta="1/1000"), query("gdp-mu", tolerance="1e-4"), query("bayes-error", prior="1/4"),
    query("delta", epsilon="0.7"), query("gdp-mu"), query("gdp-mu", error_floor="1/1000"),
]


def main():
    write_rows("finite_compositions.jsonl", list(rows()))


def rows():
    turn = 0
    for parts, adjacencies in CASES:
        points = vertices(*product(parts))
        for adjacency in adjacencies:
            mechanism = describe(parts, adjacency)
            for _ in range(2):
                asked = QUERIES[turn % len(QUERIES)]
                turn += 1
                yield mechanism, asked, answer(under(points, adjacency), asked), "product written out, exact Neyman-Pearson vertices"


def product(parts):
    """The product pair, outcomes of equal likelihood ratio merged (None stands for an infinite ratio)."""
    law = {Fraction(1): (Fraction(1), Fraction(1))}
    for (_, p, q), rate, times in parts:
        p, q = [Fraction(x) for x in p.split()], [Fraction(x) for x in q.split()]
        if rate:
            q = [(1 - Fraction(rate)) * x + Fraction(rate) * y for x, y in zip(p, q)]
        for _ in range(times):
            bigger = {}
            for x1, y1 in law.values():
                for x2, y2 in zip(p, q):
                    x, y = x1 * x2, y1 * y2
                    if x or y:
                        ratio = y / x if x else None
                        before = bigger.get(ratio, (0, 0))
                        bigger[ratio] = (before[0] + x, before[1] + y)
            law = bigger
    return [x for x, _ in law.values()], [y for _, y in law.values()]


def describe(parts, adjacency):
    of = []
    for (kind, p, q), rate, times in parts:
        part = {"kind": kind, "p": p.split(), "q": q.split()}
        if rate:
            part = {"kind": "subsampled", "rate": rate, "of": part}
        of.append({**part, "times": times} if times > 1 else part)
    return {"kind": "compose", "of": of, "adjacency": adjacency}


if __name__ == "__main__":
    main()
