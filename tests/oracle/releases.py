"""releases.jsonl: selection by score, thresholds, users behind a shuffler, Skellam noise, a random number of runs.

Every value by its definition, not by a dominating pair: the worst probability of one of two candidates; adaptive adversaries by the largest over their
first choice; sums over all outcomes, all other users, all numbers of runs. Independent of dpcmp's engine. Needs mpmath.
"""
from fractions import Fraction
from itertools import combinations_with_replacement, product

import mpmath as mp

from rows import Table, at, number, same

mp.mp.dps = 50
TABLE = Table("releases")


def largest(function, low, high, cells=64):
    """The best of equal cells, and the peak near it by golden sections."""
    ratio = (mp.sqrt(5) - 1) / 2
    places = [low + (high - low) * mp.mpf(i) / cells for i in range(cells + 1)]
    best = max(range(cells + 1), key=lambda i: function(places[i]))
    a, b = places[max(best - 1, 0)], places[min(best + 1, cells)]
    for _ in range(170):
        c, d = b - ratio * (b - a), a + ratio * (b - a)
        if function(c) > function(d):
            b = d
        else:
            a = c
    return function((a + b) / 2)


REACH = mp.mpf(16)


def logistic(x):
    return 1 / (1 + mp.exp(-x))


def odds(p, epsilon):
    """The probability whose odds are e^ε times those of p."""
    e = mp.exp(epsilon)
    return p * e / (1 - p + p * e)


def selected(u, epsilon, after):
    """The largest of q·V(u·p/q) + (1 − q)·V(u(1 − p)/(1 − q)) over p, where the first candidate gains e^ε of odds."""

    def value(p):
        q = odds(p, epsilon)
        return q * after(u * p / q) + (1 - q) * after(u * (1 - p) / (1 - q))

    return max(largest(lambda x: value(logistic(x)), -REACH, REACH), after(u))


def one_run(u, epsilon):
    return selected(u, epsilon, lambda v: max(1 - v, mp.mpf(0)))


def closed(u, epsilon):
    if u >= mp.exp(epsilon):
        return mp.mpf(0)
    if u <= mp.exp(-epsilon):
        return 1 - u
    return (mp.exp(epsilon / 2) - mp.sqrt(u)) ** 2 / (mp.exp(epsilon) - 1)


def scores():
    for eps in ["1", "1/4", "5"]:
        epsilon = number(eps)
        mechanism = {"kind": "exponential", "epsilon": eps}
        for at_epsilon in [Fraction(eps) / 2, Fraction(0), -Fraction(eps) / 3, Fraction(eps) * 9 / 10]:
            query, u = at(str(at_epsilon))
            value = same(one_run(u, epsilon), closed(u, epsilon))
            for adjacency in ["add-remove", "remove", "replace-one"]:
                TABLE.add(mechanism, adjacency, query, value, "largest over the probability of one of two candidates")
        TABLE.add(mechanism, "add-remove", {"kind": "advantage"}, same(mp.tanh(epsilon / 4), one_run(mp.mpf(1), epsilon)), "tanh(ε/4)")
        for order in ["2", "3/2", "7"]:
            t = number(order)
            moment = lambda p: odds(p, epsilon) ** t * p ** (1 - t) + (1 - odds(p, epsilon)) ** t * (1 - p) ** (1 - t)
            value = mp.log(largest(lambda x: moment(logistic(x)), -REACH, REACH)) / (t - 1)
            TABLE.add(mechanism, "add-remove", {"kind": "renyi", "order": order}, value, "largest over the probability of one of two candidates")
    for first, second, at_epsilon in [("1", "1", "1"), ("1", "1", "1/2"), ("1/2", "1/2", "1/10"), ("2", "2", "3")]:
        query, u = at(at_epsilon)
        value = selected(u, number(first), lambda v: closed(v, number(second)))
        mechanism = {"kind": "compose", "of": [{"kind": "exponential", "epsilon": first, "times": 2}]}
        TABLE.add(mechanism, "add-remove", query, value, "adaptive, largest over the first probability")
    query, u = at("1/2")
    orders = [selected(u, number(a), lambda v: closed(v, number(b))) for a, b in [("1", "1/2"), ("1/2", "1")]]
    mechanism = {"kind": "compose", "of": [{"kind": "exponential", "epsilon": "1", "times": 1}, {"kind": "exponential", "epsilon": "1/2", "times": 1}]}
    TABLE.add(mechanism, "add-remove", query, (min(orders), max(orders)), "adaptive, in the two orders")
    monotone = {"kind": "exponential", "eta": "1/2", "sensitivity": "2", "monotone": True}
    twice = {"kind": "exponential", "eta": "1/2", "sensitivity": "2"}
    query, u = at("1/2")
    TABLE.add(monotone, "add-remove", query, closed(u, mp.mpf(1)), "ε = ηs")
    TABLE.add(twice, "add-remove", query, closed(u, mp.mpf(2)), "ε = 2ηs")


def permute_and_flip():
    """Two candidates with exponential noise of scale 1: the second wins with probability ½e^{−gap}, or 1 − ½e^{gap}."""
    wins = lambda gap: mp.exp(-gap) / 2 if gap >= 0 else 1 - mp.exp(gap) / 2
    for eps, at_epsilon in [("1", "1/2"), ("1", "0"), ("2", "-1/2"), ("1/3", "3/10")]:
        epsilon = number(eps)
        query, u = at(at_epsilon)
        gain = lambda gap: wins(gap - epsilon) - u * wins(gap)
        places = [mp.mpf(i) * epsilon / 40 for i in range(-200, 240)]
        best = max(places, key=gain)
        value = max(largest(gain, best - epsilon / 20, best + epsilon / 20), gain(mp.mpf(0)), gain(epsilon), 1 - u)
        TABLE.add({"kind": "permute-and-flip", "epsilon": eps}, "add-remove", query, value, "largest over the gap of two candidates")


def skellam_law(mean, reach):
    return {k: mp.exp(-2 * mean) * mp.besseli(abs(k), 2 * mean) for k in range(-reach, reach + 1)}


def profile(p, q, u):
    return mp.fsum(max(q.get(k, 0) - u * p.get(k, 0), 0) for k in set(p) | set(q))


def shifted(law, by):
    return {k + by: v for k, v in law.items()}


def mixed(parts):
    total = {}
    for weight, law in parts:
        for k, v in law.items():
            total[k] = total.get(k, 0) + weight * v
    return total


def skellam():
    for mean, shift, epsilons in [("4", 1, ["0", "1/2", "2"]), ("1/2", 1, ["1"]), ("20", 3, ["1/10", "3/2"]), ("300", 2, ["1/5"])]:
        reach = int(60 + 16 * mp.sqrt(2 * number(mean)))
        law = skellam_law(number(mean), reach)
        mechanism = {"kind": "skellam", "mean": mean, "sensitivity": shift}
        for epsilon in epsilons:
            query, u = at(epsilon)
            TABLE.add(mechanism, "add-remove", query, profile(law, shifted(law, shift), u), "sum of positive parts, Bessel functions")
    law = skellam_law(mp.mpf(4), 110)
    other = shifted(law, 1)
    losses = sorted(law)
    query, u = at("1/2")
    total = mp.mpf(0)
    for k in losses:
        if k in other and law[k] > 0:
            total += other[k] * profile(law, other, u * law[k] / other[k])
    two = {"kind": "compose", "of": [{"kind": "skellam", "mean": "4", "sensitivity": 1, "times": 2}]}
    TABLE.add(two, "add-remove", query, total, "sum over the first outcome")
    for rate in ["1/10"]:
        q = number(rate)
        sampled = {"kind": "subsampled", "rate": rate, "of": {"kind": "skellam", "mean": "4", "sensitivity": 1}}
        with_record = mixed([(1 - q, law), (q, other)])
        TABLE.add(sampled, "remove", query, profile(law, with_record, u), "sum of positive parts")
        query_low, v = at("-1/20")
        TABLE.add(sampled, "add", query_low, profile(with_record, law, v), "sum of positive parts")


def laplace_tail(x):
    return mp.exp(-x) / 2 if x >= 0 else 1 - mp.exp(x) / 2


def laplace_profile(u, epsilon):
    e = mp.log(u)
    return mp.mpf(0) if e >= epsilon else max(1 - mp.exp((e - epsilon) / 2), 1 - u)


def gaussian_profile(u, mu):
    e = mp.log(u)
    return mp.ncdf(mu / 2 - e / mu) - u * mp.ncdf(-mu / 2 - e / mu)


def geometric_law(scale, reach):
    r = mp.exp(-1 / scale)
    return {k: (1 - r) / (1 + r) * r ** abs(k) for k in range(-reach, reach + 1)}


def thresholds():
    """A new key: never released against released with probability d; an old one: the noise pair."""

    def both(old, d, u, direction):
        new = max(d, 1 - u) if direction == "remove" else max(1 - u * (1 - d), mp.mpf(0))
        # Q: released with probability d, where P never is; otherwise not: (1 − d) against 1.
        if direction == "remove":
            new = d + max(1 - d - u, mp.mpf(0))
        return max(new, old(u))

    for scale, threshold, bound, epsilons in [("1", "10", "1", ["1/2", "1", "9/10"]), ("2", "3", "1", ["1/4", "1/2"]), ("1", "2", "2", ["1", "-1/2"])]:
        b, t, c = number(scale), number(threshold), number(bound)
        d = laplace_tail((t - c) / b)
        for sign in [">", ">="]:
            mechanism = {"kind": "noise-threshold", "noise": "laplace", "scale": scale, "threshold": threshold, "release-if": sign, "record-bound": bound}
            for epsilon in epsilons:
                query, u = at(epsilon)
                old = lambda u: laplace_profile(u, c / b)
                values = [both(old, d, u, direction) for direction in ["remove", "add"]]
                for adjacency, value in zip(["remove", "add", "add-remove"], values + [max(values)]):
                    TABLE.add(mechanism, adjacency, query, value, "larger of a new and of an old key")
    for sigma, threshold, epsilons in [("1", "3", ["1", "2"]), ("2", "12", ["1/2"])]:
        s, t = number(sigma), number(threshold)
        d = mp.erfc((t - 1) / s / mp.sqrt(2)) / 2
        mechanism = {"kind": "noise-threshold", "noise": "gaussian", "sigma": sigma, "threshold": threshold, "release-if": ">", "record-bound": "1"}
        for epsilon in epsilons:
            query, u = at(epsilon)
            old = lambda u: gaussian_profile(u, 1 / s)
            TABLE.add(mechanism, "remove", query, both(old, d, u, "remove"), "larger of a new and of an old key")
            TABLE.add(mechanism, "add-remove", query, max(both(old, d, u, way) for way in ["remove", "add"]), "larger of a new and of an old key")
    law = geometric_law(mp.mpf(1), 200)
    for sign, threshold in [(">", 5), (">=", 5), (">=", 6), (">", 1)]:
        passes = lambda value: value > threshold if sign == ">" else value >= threshold
        d = mp.fsum(v for k, v in law.items() if passes(k + 1))
        mechanism = {"kind": "noise-threshold", "noise": "discrete-laplace", "scale": "1", "threshold": str(threshold), "release-if": sign, "record-bound": "1"}
        for epsilon in ["1", "1/2", "2"]:
            query, u = at(epsilon)
            old = lambda u: profile(law, shifted(law, 1), u)
            TABLE.add(mechanism, "remove", query, both(old, d, u, "remove"), "larger of a new and of an old key, sums")
    # Two keys: both old, one of each, both new.
    b, t = mp.mpf(1), mp.mpf(6)
    d = laplace_tail(t - 1)
    mechanism = {"kind": "noise-threshold", "noise": "laplace", "scale": "1", "threshold": "6", "release-if": ">", "record-bound": "1", "keys": 2}
    for epsilon in ["1/2", "3/2", "199/100"]:
        query, u = at(epsilon)
        # Losses of Laplace(0) against Laplace(1): −1 with ½e^{−1} under Q, 1 with ½, between with density ½e^{(y−1)/2}/2.
        inner = lambda y: mp.exp((y - 1) / 2) / 4 * laplace_profile(u * mp.exp(-y), mp.mpf(1))
        e = mp.log(u)
        places = sorted({mp.mpf(-1), mp.mpf(1)} | {x for x in [e - 1, e + 1] if -1 < x < 1})
        old = mp.exp(-1) / 2 * laplace_profile(u * mp.e, mp.mpf(1)) + laplace_profile(u / mp.e, mp.mpf(1)) / 2 + mp.quad(inner, places)
        mixed_keys = d + (1 - d) * laplace_profile(u / (1 - d), mp.mpf(1))
        none = 1 - (1 - d) ** 2
        new = none + max((1 - d) ** 2 - u, mp.mpf(0))
        TABLE.add(mechanism, "remove", query, max(old, mixed_keys, new), "largest over the number of new keys")


def counts(users):
    """The law of how often each answer comes, as a sum over all answers of all users."""
    law = {tuple([0] * len(users[0])): Fraction(1)}
    for user in users:
        following = {}
        for count, mass in law.items():
            for answer, chance in enumerate(user):
                key = tuple(n + (i == answer) for i, n in enumerate(count))
                following[key] = following.get(key, Fraction(0)) + mass * chance
        law = following
    return law


def shuffled_profile(users, k, t, u):
    """The largest over all inputs of the others and both inputs of one user."""
    stay = Fraction(t) / (Fraction(t) + k - 1)
    lie = (1 - stay) / (k - 1)
    answer = lambda x: [stay if i == x else lie for i in range(k)]
    best = Fraction(0)
    for others in combinations_with_replacement(range(k), users - 1):
        rest = [answer(x) for x in others]
        laws = [counts(rest + [answer(x)]) for x in range(k)]
        for a, b in product(range(k), repeat=2):
            if a != b:
                best = max(best, sum(max(laws[a][key] - u * laws[b][key], Fraction(0)) for key in laws[a]))
    return best


def clones(users, t, u):
    """Feldman, McMillan and Talwar 2021, Theorem 3.1, over all (A, C)."""
    t = Fraction(t)
    p, q = {}, {}
    for c in range(users):
        chance = Fraction(mp.binomial(users - 1, c).__int__()) / t**c * (1 - 1 / t) ** (users - 1 - c)
        for a in range(c + 1):
            mass = chance * Fraction(mp.binomial(c, a).__int__(), 2**c)
            for delta, weight in [(1, t / (t + 1)), (0, 1 / (t + 1))]:
                one, two = (a + delta, c - a + 1 - delta), (a + 1 - delta, c - a + delta)
                p[one] = p.get(one, Fraction(0)) + mass * weight
                q[two] = q.get(two, Fraction(0)) + mass * weight
    return sum(max(q.get(key, Fraction(0)) - u * p.get(key, Fraction(0)), Fraction(0)) for key in set(p) | set(q))


def shuffler():
    for users, t, k, us in [(2, "3", 2, ["2", "3/2"]), (10, "9", 2, ["3/2", "1/2"]), (25, "2", 2, ["11/10"]), (40, "20", 2, ["3/2"]), (4, "4", 3, ["3/2", "1"]), (3, "3", 4, ["2"])]:
        mechanism = {"kind": "shuffled", "users": users, "of": {"kind": "randomized-response", "exp-epsilon": t, "k": k}}
        for u in us:
            query = {"kind": "delta", "exp-epsilon": u}
            TABLE.add(mechanism, "replace-one", query, shuffled_profile(users, k, t, Fraction(u)), "all inputs")
    for users, t, u in [(2, "3", "2"), (5, "3", "6/5"), (20, "8", "3/2"), (60, "2", "11/10")]:
        member = shuffled_profile(users, 2, t, Fraction(u))
        mechanism = {"kind": "shuffled", "users": users, "of": {"kind": "pure-dp", "exp-epsilon": t}}
        value = (member, clones(users, t, Fraction(u)))
        TABLE.add(mechanism, "replace-one", {"kind": "delta", "exp-epsilon": u}, value, "randomised response below, clones above")


def selection():
    def chosen(law, order, runs):
        """The law of the best of a random number of runs, over all numbers of runs; `runs` yields probabilities of 1, 2, …"""
        result = {}
        worse = mp.mpf(1)
        for outcome in order:
            least = worse - number(law[outcome])
            result[outcome] = mp.fsum(chance * (worse**k - least**k) for k, chance in runs)
            worse = least
        return result

    p, q = ["1/2", "3/10", "1/5"], ["1/10", "3/10", "3/5"]
    laws = {
        "geometric": lambda mean: [(k, (1 - 1 / mean) ** (k - 1) / mean) for k in range(1, 6000)],
    }
    for mean in ["20", "3"]:
        for order in [[1, 2, 0], [2, 1, 0], [0, 1, 2]]:
            mechanism = {"kind": "private-selection", "runs": {"kind": "geometric", "mean": mean}, "of": {"kind": "finite", "p": p, "q": q}, "best-first": order}
            runs = laws["geometric"](number(mean))
            without, with_record = chosen(p, order, runs), chosen(q, order, runs)
            for u in ["3/2", "1/2", "4"]:
                query = {"kind": "delta", "exp-epsilon": u}
                TABLE.add(mechanism, "remove", query, profile(without, with_record, number(u)), "sum over the number of runs")
                TABLE.add(mechanism, "add", query, profile(with_record, without, number(u)), "sum over the number of runs")


if __name__ == "__main__":
    scores()
    permute_and_flip()
    skellam()
    thresholds()
    shuffler()
    selection()
    TABLE.write()
