"""neighbours.jsonl: replaced records, groups, mixtures of shifts, histograms and public labels.

One step: the likelihood ratio of mixtures of shifted normal laws on the line increases, so that δ(u) = Q(x > t) − u·P(x > t) where the ratio is u; t by
bisection to 60 digits. Every row is computed a second time as ∫ (q − u·p)⁺ and the two must agree. Two steps: ∫ q(x)·δ(u/ratio(x)) dx. Randomised response and
compositions of it: exact fractions over all outcomes. Values are rounded outward at the 26th digit, far beyond what the routes differ by.
Independent of dpcmp's engine: no lattice of losses, no convolution. Needs mpmath.
"""
import json
from fractions import Fraction
from itertools import product

import mpmath as mp

mp.mp.dps = 60
DIGITS = 26
FAR = 26


def number(text):
    fraction = Fraction(text)
    return mp.mpf(fraction.numerator) / fraction.denominator


def tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


class Line:
    """P = Σ w·N(−s), Q = Σ w·N(+s), by lists of (s, w) with s in standard deviations."""

    def __init__(self, without, with_):
        self.without = [(-number(s), number(w)) for s, w in without]
        self.with_ = [(number(s), number(w)) for s, w in with_]

    def swapped(self):
        other = Line([], [])
        other.without = [(-s, w) for s, w in self.with_]
        other.with_ = [(-s, w) for s, w in self.without]
        return other

    def density(self, law, x):
        return sum(w * mp.npdf(x - s) for s, w in law)

    def ratio(self, x):
        return self.density(self.with_, x) / self.density(self.without, x)

    def cut(self, u):
        low, high = mp.mpf(-400), mp.mpf(400)
        logs = lambda law, x: [mp.log(w) + s * x - s * s / 2 for s, w in law]
        total = lambda logs: max(logs) + mp.log(sum(mp.exp(v - max(logs)) for v in logs))
        loss = lambda x: total(logs(self.with_, x)) - total(logs(self.without, x))
        goal = mp.log(u)
        if loss(low) > goal or loss(high) < goal:
            return -mp.inf if loss(low) > goal else mp.inf
        for _ in range(230):
            middle = (low + high) / 2
            low, high = (middle, high) if loss(middle) < goal else (low, middle)
        return low

    def delta(self, u):
        t = self.cut(u)
        above = lambda law: sum(w * (mp.mpf(t < 0) if mp.isinf(t) else tail(t - s)) for s, w in law)
        return max(above(self.with_) - u * above(self.without), 1 - u, mp.mpf(0))

    def by_quadrature(self, u):
        t = self.cut(u)
        if mp.isinf(t):
            return max(1 - u, mp.mpf(0))
        places = [t + i for i in range(0, FAR, 2)]
        return mp.quad(lambda x: self.density(self.with_, x) - u * self.density(self.without, x), places)

    def twice(self, u):
        places = range(-FAR, FAR + 1, 2)
        return mp.quad(lambda x: self.density(self.with_, x) * self.delta(u / self.ratio(x)), places)


def binomial(n, rate):
    return [(k, Fraction(mp.binomial(n, k).__int__()) * Fraction(rate) ** k * (1 - Fraction(rate)) ** (n - k)) for k in range(n + 1)]


def scaled(shifts, sigma):
    return [(Fraction(s) / Fraction(sigma), w) for s, w in shifts]


def rounded(value, up):
    if value == 0:
        return "0"
    exponent = int(mp.floor(mp.log10(abs(value)))) - DIGITS + 1
    mantissa = value / mp.mpf(10) ** exponent
    return f"{int(mp.ceil(mantissa) + 1 if up else mp.floor(mantissa) - 1)}e{exponent}"


ROWS = []


def row(mechanism, adjacency, query, value, how):
    truth = [str(value)] * 2 if isinstance(value, Fraction) else [rounded(value, False), rounded(value, True)]
    name = f"neighbours-{len(ROWS) + 1:03}"
    ROWS.append({"id": name, "mechanism": {**mechanism, "adjacency": adjacency}, "query": query, "truth": truth, "how": how})


def both_ways(line, u):
    return max(line.delta(u), line.swapped().delta(u))


def checked(line, u, direction):
    one = {"remove": [line], "add": [line.swapped()]}.get(direction, [line, line.swapped()])
    value = max(each.delta(u) for each in one)
    again = max(each.by_quadrature(u) for each in one)
    assert abs(value - again) < mp.mpf(10) ** -40, (value, again)
    return value


def at(epsilon):
    return {"kind": "delta", "epsilon": epsilon}, mp.exp(number(epsilon))


def replaced():
    for sigma, rate, epsilons in [("1", "1/10", ["-1/2", "0", "1/2", "3"]), ("3/5", "1/1000", ["1/100", "2"]), ("4", "1/2", ["1/10"]), ("1/2", "9/10", ["4"]), ("2", "1", ["1"])]:
        gaussian = {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}
        sampled = {"kind": "subsampled", "rate": rate, "of": gaussian}
        shifts = scaled([(0, 1 - Fraction(rate)), (1, Fraction(rate))], sigma)
        for epsilon in epsilons:
            query, u = at(epsilon)
            row(sampled, "replace-one", query, checked(Line(shifts, shifts), u, "both"), "one cut")
            row(sampled, "replace-special", query, checked(Line([(0, 1)], shifts), u, "both"), "one cut, larger order")
    for rate, epsilon in [("1/10", "1/2"), ("1/3", "1")]:
        shifts = scaled([(0, 1 - Fraction(rate)), (1, Fraction(rate))], "1")
        sampled = {"kind": "subsampled", "rate": rate, "of": {"kind": "gaussian", "noise-multiplier": "1"}, "times": 2}
        query, u = at(epsilon)
        row({"kind": "compose", "of": [sampled]}, "replace-one", query, Line(shifts, shifts).twice(u), "two steps, integral of the one-step profile")


def groups_and_mixtures():
    for records, sigma, rate in [(2, "1", "1/10"), (4, "2", "1/3")]:
        of = {"kind": "subsampled", "rate": rate, "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}}
        shifts = scaled(binomial(records, rate), sigma)
        group = {"kind": "group", "records": records, "of": of}
        for epsilon in ["-1/5", "3/10", "2"]:
            query, u = at(epsilon)
            for direction in ["remove", "add"]:
                row(group, direction, query, checked(Line([(0, 1)], shifts), u, direction), "binomial shifts")
            row(group, "replace-one", query, checked(Line(shifts, shifts), u, "both"), "binomial shifts on both sides")
    shifts, weights = ["0", "1/2", "2"], ["1/2", "1/3", "1/6"]
    mixture = {"kind": "gaussian-mixture", "sigma": "3/2", "shifts": shifts, "weights": weights}
    for epsilon in ["0", "1/4", "5/2"]:
        query, u = at(epsilon)
        for direction in ["remove", "add"]:
            line = Line([(0, 1)], scaled(zip(map(Fraction, shifts), map(Fraction, weights)), "3/2"))
            row(mixture, direction, query, checked(line, u, direction), "one cut")
    sigmas = ["1", "3"]
    labelled = {"kind": "mixture", "of": [{"kind": "gaussian", "sigma": s, "weight": w} for s, w in zip(sigmas, ["1/4", "3/4"])]}
    query, u = at("1/2")
    parts = [Line([(0, 1)], scaled([(1, 1)], s)).delta(u) for s in sigmas]
    row(labelled, "remove", query, parts[0] / 4 + parts[1] * 3 / 4, "average of two profiles")


def histograms():
    for sigma, epsilon in [("2", "1/2"), ("1", "2")]:
        query, u = at(epsilon)
        moved = Line([(0, 1)], [(0, 1)])
        moved.with_ = [(mp.sqrt(2) / number(sigma), mp.mpf(1))]
        histogram = {"kind": "histogram", "of": {"kind": "gaussian", "sigma": sigma, "record-bound": "1"}}
        row(histogram, "replace-one", query, moved.delta(u), "two cells are a shift of √2")
        row(histogram, "add-remove", query, Line([(0, 1)], scaled([(1, 1)], sigma)).delta(u), "one cell")


def responses():
    def profile(p, q, times, u):
        total = Fraction(0)
        for outcome in product(range(len(p)), repeat=times):
            a, b = Fraction(1), Fraction(1)
            for i in outcome:
                a, b = a * q[i], b * p[i]
            total += max(a - u * b, Fraction(0))
        return total

    for noise, k, times, u in [("1/10", 3, 1, "5"), ("1/2", 4, 2, "2"), ("3/4", 2, 3, "6/5")]:
        lie = Fraction(noise) / k
        answer = [1 - Fraction(noise) + lie] + [lie] * (k - 1)
        other = [answer[1], answer[0]] + answer[2:]
        uniform = [Fraction(1, k)] * k
        response = {"kind": "randomized-response", "noise": noise, "k": k}
        mechanism = response if times == 1 else {"kind": "compose", "of": [{**response, "times": times}]}
        query = {"kind": "delta", "exp-epsilon": u}
        row(mechanism, "replace-one", query, profile(other, answer, times, Fraction(u)), "all outcomes")
        both = [profile(uniform, answer, times, Fraction(u)), profile(answer, uniform, times, Fraction(u))]
        row(mechanism, "replace-special", query, max(both), "all outcomes, larger order")


NOISES = {
    "laplace": ({"scale": "2"}, lambda x: mp.exp(-abs(x) / 2) / 4),
    "discrete-laplace": ({"scale": "2"}, lambda k: mp.exp(-mp.mpf(abs(k)) / 2) * mp.tanh(mp.mpf(1) / 4)),
    "discrete-gaussian": ({"sigma": "3/2"}, lambda k: mp.exp(-mp.mpf(k) ** 2 / mp.mpf("4.5")) / THETA),
    "skellam": ({"mean": "3"}, lambda k: mp.exp(-6) * mp.besseli(abs(k), 6)),
}
THETA = mp.nsum(lambda k: mp.exp(-mp.mpf(k) ** 2 / mp.mpf("4.5")), [-mp.inf, mp.inf])


def divergence(kind, without, with_, order):
    """D_t of Σ w·N(+s) from Σ w·N(−s): a sum over the integers, or an integral between the peaks."""
    noise = NOISES[kind][1]
    if kind != "laplace":
        known = {k: noise(k) for k in range(-420, 421)}
        noise = known.__getitem__
    law = lambda list_, sign, x: mp.fsum(number(str(w)) * noise(x - sign * s) for s, w in list_)
    t = number(order)
    term = lambda x: law(with_, 1, x) ** t * law(without, -1, x) ** (1 - t)
    if kind == "laplace":
        whole = mp.quad(term, [-400, -100, -30, -8, -4, -2, -1, 0, 1, 2, 4, 8, 30, 100, 400])
    else:
        whole = mp.fsum(term(k) for k in range(-400, 401))
    return mp.log(whole) / (t - 1)


def divergences():
    for kind, (numbers, _) in NOISES.items():
        noise = {"kind": kind, **numbers, "record-bound": 1}
        for rate, order in [("1/10", "3/2"), ("1/2", "2"), ("1/100", "7/2")]:
            sampled = {"kind": "subsampled", "rate": rate, "of": noise}
            one = binomial(1, rate)
            query = {"kind": "renyi", "order": order}
            how = "integral between the peaks" if kind == "laplace" else "sum over the integers"
            row(sampled, "replace-one", query, divergence(kind, one, one, order), how)
            both = [(binomial(0, rate), binomial(2, rate)), (binomial(2, rate), binomial(0, rate))]
            for direction, (without, with_) in zip(["remove", "add"], both):
                row({"kind": "group", "records": 2, "of": sampled}, direction, query, divergence(kind, without, with_, order), how)


if __name__ == "__main__":
    replaced()
    groups_and_mixtures()
    histograms()
    responses()
    divergences()
    with open("neighbours.jsonl", "w") as file:
        file.writelines(json.dumps(each, ensure_ascii=False) + "\n" for each in ROWS)
