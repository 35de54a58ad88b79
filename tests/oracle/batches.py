"""batches.jsonl: batches of a fixed size, of a limited size, by random allocation, by shuffling.

One step by ∫(q − u·p)⁺ between the signs of the integrand, over every choice of the other records from −1, 0, 1 and every pair of records; an adaptive
adversary by the integral of what the best second choice gains; allocation over all places of the record. Independent of dpcmp's engine. Needs mpmath.
"""
from fractions import Fraction
from itertools import combinations, product

import mpmath as mp

from rows import Table, at, number, same

mp.mp.dps = 34
TABLE = Table("batches")
FAR = 22


def density(law, x):
    return sum(w * mp.npdf(x - s) for s, w in law)


def tail(law, x):
    return sum(w * mp.erfc((x - s) / mp.sqrt(2)) / 2 for s, w in law)


def roots(function, low, high, cells=4000):
    """Where the sign changes, by cells and bisection."""
    found = []
    places = [low + (high - low) * mp.mpf(i) / cells for i in range(cells + 1)]
    signs = [function(x) > 0 for x in places]
    for i in range(cells):
        if signs[i] != signs[i + 1]:
            a, b = places[i], places[i + 1]
            for _ in range(110):
                c = (a + b) / 2
                a, b = (c, b) if (function(c) > 0) == signs[i] else (a, c)
            found.append((a, signs[i]))
    return found, signs[0]


def profile(p, q, u, low=-FAR, high=FAR):
    """Q(A) − u·P(A) of the set where q > u·p: tails between the changes of sign."""
    changes, positive = roots(lambda x: density(q, x) - u * density(p, x), mp.mpf(low), mp.mpf(high))
    gain = lambda x: tail(q, x) - u * tail(p, x)
    total = 1 - u if positive else mp.mpf(0)
    for place, was_positive in changes:
        total += -gain(place) if was_positive else gain(place)
    return max(total, 1 - u, mp.mpf(0))


def pair(rate, others, old, new, sigma):
    """Batches with the record and without it, where all other records are the same."""
    mixture = lambda x: [(mp.mpf(others) / sigma, 1 - rate), (mp.mpf(x) / sigma, rate)]
    return mixture(old), mixture(new)


def worst(rate, sigma, u, relation):
    choices = [(y, a, b) for y, a, b in product([-1, 0, 1], repeat=3) if a != b and (relation == "replace-one" or 0 in (a, b))]
    return max(profile(*pair(rate, y, a, b, sigma), u) for y, a, b in choices)


def fixed():
    for size, batch, sigma, epsilon in [(1000, 100, "1", "1/2"), (1000, 100, "2", "-1/20"), (50, 10, "3/2", "1/10"), (60000, 600, "1/2", "2"), (10, 5, "4", "0")]:
        rate = mp.mpf(batch) / size
        query, u = at(epsilon)
        mechanism = {"kind": "subsampled", "sampling": "without-replacement", "dataset-size": size, "batch-size": batch, "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}}
        for relation in ["replace-one", "replace-special"]:
            TABLE.add(mechanism, relation, query, worst(rate, number(sigma), u, relation), "largest over others, old and new record")


def adaptive():
    """Two steps: after each answer the adversary picks the other records again. Lower ends only: the upper one is no amplification."""
    for sigma, epsilon in [("2", "1/10"), ("2", "1/2"), ("1", "1")]:
        s, rate = number(sigma), mp.mpf(1) / 10
        query, u = at(epsilon)
        add, remove = pair(rate, 1, -1, 1, s), pair(rate, -1, -1, 1, s)
        second = lambda v: max(single(add, v), single(remove, v))
        best = mp.mpf(0)
        for p, q in [add, remove]:
            inner = lambda x: density(q, x) * second(u * density(p, x) / density(q, x))
            best = max(best, mp.quad(inner, range(-14, 15, 2), maxdegree=5))
        mechanism = {"kind": "subsampled", "sampling": "without-replacement", "dataset-size": 1000, "batch-size": 100, "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}, "times": 2}
        whole = 2 * mp.sqrt(2) / s
        e = number(epsilon)
        top = mp.ncdf(whole / 2 - e / whole) - u * mp.ncdf(-whole / 2 - e / whole)
        TABLE.add({"kind": "compose", "of": [mechanism]}, "replace-one", query, (best * (1 - mp.mpf(10) ** -9), top), "adaptive adversary below, no sampling above")


def single(laws, u):
    """One cut: the ratio of both laws is monotone in x."""
    p, q = laws
    low, high = mp.mpf(-60), mp.mpf(60)
    rises = density(q, mp.mpf(2)) / density(p, mp.mpf(2)) > density(q, mp.mpf(-2)) / density(p, mp.mpf(-2))
    assert rises
    ratio = lambda x: density(q, x) / density(p, x)
    if ratio(mp.mpf(30)) < u:
        return max(1 - u, mp.mpf(0))
    if ratio(mp.mpf(-30)) > u:
        return 1 - u
    low, high = mp.mpf(-30), mp.mpf(30)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if ratio(middle) < u else (low, middle)
    return max(tail(q, low) - u * tail(p, low), 1 - u, mp.mpf(0))


def truncated():
    """The larger dataset has n records; all others contribute 0, or the label says whether the others fill the batch."""
    for size, rate, most, sigma, epsilons in [(30, "1/10", 5, "1", ["1/10", "1"]), (8, "1/2", 4, "2", ["1/5"]), (200, "1/20", 14, "1/2", ["1"])]:
        q = Fraction(rate)
        chance = lambda k: Fraction(mp.binomial(size - 1, k).__int__()) * q**k * (1 - q) ** (size - 1 - k)
        full = sum(chance(k) for k in range(most, size))
        # In the batch, though the others alone fill it.
        squeezed = sum(chance(k) * q * Fraction(most, k + 1) for k in range(most, size)) / full
        mean = (1 - full) * q + full * squeezed
        s = number(sigma)
        mechanism = {"kind": "subsampled", "sampling": "truncated-poisson", "rate": rate, "dataset-size": size, "max-batch": most, "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}}
        for epsilon in epsilons:
            query, u = at(epsilon)
            def both(law_p, law_q):
                return max(profile(law_p, law_q, u), profile(law_q, law_p, u))
            mixture = lambda r, x: [(mp.mpf(0), 1 - number(str(r))), (x / s, number(str(r)))]
            lower = both([(mp.mpf(0), mp.mpf(1))], mixture(mean, mp.mpf(1)))
            one = lambda way: profile(*way([(mp.mpf(0), mp.mpf(1))], mixture(q, mp.mpf(1))), u)
            displaced = lambda way: profile(*way([(mp.mpf(-1) / s, number(str(squeezed))), (mp.mpf(0), 1 - number(str(squeezed)))], mixture(squeezed, mp.mpf(1))), u)
            ways = [lambda a, b: (a, b), lambda a, b: (b, a)]
            upper = max(number(str(1 - full)) * one(way) + number(str(full)) * displaced(way) for way in ways)
            # The displaced record and the one that displaces it may be anywhere: the symmetric pair is no worse than no amplification at the same weight.
            whole = 2 / s
            e = number(epsilon)
            anywhere = mp.ncdf(whole / 2 - e / whole) - u * mp.ncdf(-whole / 2 - e / whole)
            upper = max(upper, max(number(str(1 - full)) * one(way) for way in ways) + number(str(full)) * anywhere)
            TABLE.add(mechanism, "add-remove", query, (lower, upper), "others at 0 below; label and no amplification above")


def allocation():
    """t places of one record in t steps of Gaussian noise: E over the other steps in closed form for two, by an integral for three."""
    for sigma, epsilons in [("1", ["1/2", "-1/2", "3/2"]), ("1/2", ["1", "4"]), ("3", ["1/20"])]:
        m = 1 / number(sigma)
        ratio = lambda x: mp.exp(m * x - m * m / 2)
        for epsilon in epsilons:
            query, u = at(epsilon)

            def call(level, x):
                """E(mean − level)⁺ over the second step, the first ratio x known, of X̄ = (x + X)/2."""
                rest = 2 * level - x
                if rest <= 0:
                    return ((x + 1) / 2) - level
                y = mp.log(rest) / m + m / 2
                return (mp.ncdf(m - y) - rest * mp.ncdf(-y)) / 2

            bend = mp.log(2 * u) / m + m / 2
            places = sorted(set([mp.mpf(i) for i in range(-18, 19, 2)] + [bend]))
            remove = mp.quad(lambda z: mp.npdf(z) * call(u, ratio(z)), places)
            # δ_add(u) = 1 − u + u·E(X̄ − 1/u)⁺.
            bend = mp.log(2 / u) / m + m / 2
            places = sorted(set([mp.mpf(i) for i in range(-18, 19, 2)] + [bend]))
            add = 1 - u + u * mp.quad(lambda z: mp.npdf(z) * call(1 / u, ratio(z)), places)
            mechanism = {"kind": "random-allocation", "steps": 2, "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}}
            TABLE.add(mechanism, "remove", query, max(remove, 1 - u), "integral over the first step")
            TABLE.add(mechanism, "add", query, max(add, mp.mpf(0)), "integral over the first step")


def allocation_of_responses():
    for steps, selected, odds in [(2, 1, "4"), (5, 1, "9"), (6, 2, "4"), (7, 3, "2"), (10, 1, "9")]:
        o = Fraction(odds)
        truth, lie = o / (1 + o), 1 / (1 + o)
        without, with_record = {}, {}
        for outcome in product([0, 1], repeat=steps):
            # An answer is 1 with probability `lie` without the record and `truth` with it.
            chance = lambda chosen: mp_product((truth if bit else lie) if i in chosen else (lie if bit else truth) for i, bit in enumerate(outcome))
            choices = list(combinations(range(steps), selected))
            without[outcome] = chance(())
            with_record[outcome] = sum(chance(c) for c in choices) / len(choices)
        profile_of = lambda p, q, u: sum(max(q[o] - u * p[o], Fraction(0)) for o in p)
        mechanism = {"kind": "random-allocation", "steps": steps, "of": {"kind": "randomized-response", "exp-epsilon": odds}}
        if selected > 1:
            mechanism["selected"] = selected
        for u in ["3/2", "2/3", "5"]:
            query = {"kind": "delta", "exp-epsilon": u}
            TABLE.add(mechanism, "remove", query, profile_of(without, with_record, Fraction(u)), "all outcomes")
            TABLE.add(mechanism, "add", query, profile_of(with_record, without, Fraction(u)), "all outcomes")


def mp_product(factors):
    result = Fraction(1)
    for factor in factors:
        result *= factor
    return result


def shuffled():
    """Some step above a level: others −x and x; above, the batch of the record is known."""
    for sigma, steps, epsilon in [("1/2", 100, "1"), ("7/10", 1000, "4"), ("1", 10, "1/2"), ("2", 50, "1/5")]:
        s = number(sigma)
        query, u = at(epsilon)
        below = lambda place, high: mp.ncdf((place - high) / s) * mp.ncdf(place / s) ** (steps - 1)

        def gain(place):
            return (1 - below(place, 2)) - u * (1 - below(place, 1))

        def gain_of_zeros(place):
            return (1 - below(place, 1)) - u * (1 - mp.ncdf(place / s) ** steps)

        lower = max(max(g(mp.mpf(i) / 200) for i in range(-400, 2400)) for g in [gain, gain_of_zeros])
        mu = 1 / s
        e = number(epsilon)
        upper = mp.ncdf(mu / 2 - e / mu) - u * mp.ncdf(-mu / 2 - e / mu)
        mechanism = {"kind": "dp-sgd", "noise-multiplier": sigma, "steps": steps, "epochs": 1, "sampling": "shuffled"}
        TABLE.add(mechanism, "replace-special", query, (max(lower, mp.mpf(0)), upper), "one level below, no amplification above")


if __name__ == "__main__":
    fixed()
    adaptive()
    truncated()
    allocation()
    allocation_of_responses()
    shuffled()
    TABLE.write()
