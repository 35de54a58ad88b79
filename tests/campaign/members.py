"""Random datasets by enumeration where only bounds of the worst one are known, or where an adversary picks them after each answer.

Each function draws a mechanism and one dataset of it, and gives the mechanism, its neighbouring relation, the outcomes of that dataset as pairs (mass without the record, mass with it), and a number
that δ at u = e^ε does not exceed, where one is known. No dataset reveals more than the program's worse end; nothing here uses dpcmp.
"""
import math
from itertools import permutations

from exact import Fraction, finite, fraction, joined, of_noise, odds, randomized_response


def factors(draw, e, count):
    """What a record multiplies the weights of candidates by: their quotients are at most e. Often as far apart as that."""
    def factor():
        lot = draw.random()
        return Fraction(1) if lot < 0.4 else Fraction(e) if lot < 0.8 else 1 + (e - 1) * Fraction(draw.randint(1, 9), 10)

    return [factor() for _ in range(count)]


def weights(draw, count):
    return [Fraction(draw.randint(1, 12), draw.randint(1, 12)) for _ in range(count)]


def choice(draw, e):
    """One run of the exponential mechanism: a candidate with probability proportional to its weight."""
    count = draw.choice([2, 2, 3])
    without = weights(draw, count)
    with_it = [w * c for w, c in zip(without, factors(draw, e, count))]
    return [(p / sum(without), q / sum(with_it)) for p, q in zip(without, with_it)]


def flip(draw, e):
    """Permute and flip of two candidates, the second of which is accepted with probability v where the first is the best (and the first with 1/v where it is not)."""
    first = lambda v: 1 - v / 2 if v <= 1 else 1 / (2 * v)
    v = Fraction(draw.randint(1, 12), draw.randint(1, 12))
    moved = v * e if draw.random() < 0.5 else v / e
    return [(first(v), first(moved)), (1 - first(v), 1 - first(moved))]


def either_way(draw, outcomes):
    return outcomes if draw.random() < 0.5 else [(q, p) for p, q in outcomes]


def history(draw, one, steps):
    """Runs in turn, each on a dataset that is picked after the answers before it."""
    found = [(Fraction(1), Fraction(1))]
    for e in steps:
        found = [(a * p, b * q) for a, b in found for p, q in either_way(draw, one(draw, e))]
    return found


def adaptive(draw):
    kind, one = draw.choice([("exponential", choice), ("permute-and-flip", flip)])
    if draw.random() < 0.5:
        e, times = odds(draw), draw.randint(1, 4)
        steps = [e] * times
        of = [{"kind": kind, "exp-epsilon": str(e), "times": times}]
    else:
        steps = [odds(draw) for _ in range(draw.randint(2, 3))]
        of = [{"kind": kind, "exp-epsilon": str(e)} for e in steps]
        draw.shuffle(steps)
    runs = [math.log(e) for e in steps]
    known = (lambda u: adaptive_most(runs[0], len(runs), u)) if kind == "exponential" and len(set(runs)) == 1 and len(runs) < 3 else None
    return {"kind": "compose", "of": of}, "add-remove", history(draw, one, steps), known


def top(draw):
    """The k best with Gumbel noise: one after the other is drawn, as the exponential mechanism draws it from those that are left."""
    e, k = odds(draw), draw.randint(1, 3)
    count = draw.randint(k, 5)
    without = weights(draw, count)
    with_it = [w * c for w, c in zip(without, factors(draw, e, count))]
    outcomes = []
    for chosen in permutations(range(count), k):
        masses = []
        for law in (without, with_it):
            mass, left = Fraction(1), sum(law)
            for i in chosen:
                mass, left = mass * law[i] / left, left - law[i]
            masses.append(mass)
        outcomes.append(tuple(masses))
    known = (lambda u: adaptive_most(math.log(e), k, u)) if k < 3 else None
    return {"kind": "top-k", "k": k, "exp-epsilon": str(e)}, "add-remove", outcomes, known


def adaptive_most(epsilon, runs, u):
    """One or two adaptive runs of the exponential mechanism, in floats: the largest over t of q·V(u·e^−t) + (1 − q)·V(u·e^(ε−t)), q = (e^ε − e^t)/(e^ε − 1)."""
    u = float(u)

    def one(v):
        if v <= 0 or math.log(v) <= -epsilon:
            return 1 - v
        return 0.0 if math.log(v) >= epsilon else (math.exp(epsilon / 2) - math.sqrt(v)) ** 2 / math.expm1(epsilon)

    if runs == 1:
        return one(u)

    def at(t):
        q = (math.exp(epsilon) - math.exp(t)) / math.expm1(epsilon)
        return q * one(u * math.exp(-t)) + (1 - q) * one(u * math.exp(epsilon - t))

    best = max(range(401), key=lambda i: at(epsilon * i / 400))
    low, high = epsilon * max(best - 1, 0) / 400, epsilon * min(best + 1, 400) / 400
    return max(at(low + (high - low) * i / 400) for i in range(401))


def psi(gamma, shape, x):
    """E[x^K] of a negative binomial number of runs, at least one of them."""
    return ((1 - (1 - gamma) * x) ** -shape - 1) / (gamma**-shape - 1)


def runs_of(draw):
    """A law of the number of runs, with a shape that keeps it rational."""
    gamma, shape = fraction(draw, 9), draw.choice([1, 1, 2, 3])
    mean = shape * (1 - gamma) / (gamma * (1 - gamma**shape))
    if shape == 1:
        return {"kind": "geometric", "mean": str(mean)}, gamma, shape
    return {"kind": "negative-binomial", "mean": str(mean), "shape": str(shape)}, gamma, shape


def selected(outcomes, gamma, shape):
    """The best of the runs, outcomes in their order with the best first: it is among the worst if all are."""
    found, worse = [], (Fraction(0), Fraction(0))
    before = (Fraction(0), Fraction(0))
    for p, q in reversed(outcomes):
        worse = (worse[0] + p, worse[1] + q)
        now = (psi(gamma, shape, worse[0]), psi(gamma, shape, worse[1]))
        found.append((now[0] - before[0], now[1] - before[1]))
        before = now
    return found


def selection_in_order(draw):
    """A stated order: exactly."""
    mechanism, outcomes = finite(draw)
    order = list(range(len(outcomes)))
    draw.shuffle(order)
    runs, gamma, shape = runs_of(draw)
    mechanism = {"kind": "private-selection", "runs": runs, "of": mechanism, "best-first": order}
    return mechanism, selected([outcomes[i] for i in order], gamma, shape)


def selection(draw):
    """Any order may be meant."""
    lot = draw.random()
    if lot < 0.4:
        mechanism, outcomes = finite(draw)
    elif lot < 0.7:
        mechanism, outcomes = randomized_response(draw)
    else:
        e = odds(draw)
        low = 1 / (1 + e)
        mechanism, outcomes = {"kind": "pure-dp", "exp-epsilon": str(e)}, [(low, 1 - low), (1 - low, low)]
    outcomes = list(outcomes)
    draw.shuffle(outcomes)
    runs, gamma, shape = runs_of(draw)
    return {"kind": "private-selection", "runs": runs, "of": mechanism}, "add-remove", selected(outcomes, gamma, shape), None


def shuffled_guarantee(draw):
    """Users answer by ε-DP means, a shuffler hides who said what: randomised response between two answers is one of them, the others' answers being any."""
    users, e = draw.randint(1, 6), odds(draw)
    low, high = 1 / (1 + e), e / (1 + e)
    ones = draw.randint(0, users - 1)
    counts = [Fraction(1)]
    for said in [high] * ones + [low] * (users - 1 - ones):
        counts = said_by_one_more(counts, said)
    pair = list(zip(said_by_one_more(counts, low), said_by_one_more(counts, high)))
    return {"kind": "shuffled", "users": users, "of": {"kind": "pure-dp", "exp-epsilon": str(e)}}, "replace-one", pair, None


def said_by_one_more(counts, said):
    more = len(counts) + 1
    return [(counts[k] * (1 - said) if k < len(counts) else 0) + (counts[k - 1] * said if k else 0) for k in range(more)]


def response_zeroed(draw):
    """A record that contributes nothing is answered for by noise alone, beside what tells whether there is a record: exactly."""
    k, noise = draw.randint(2, 4), fraction(draw)
    (low, high), *_ = of_noise(noise, k)
    outcomes = [(Fraction(1, k), high)] + [(Fraction(1, k), low)] * (k - 1)
    step = {"kind": "randomized-response", "noise": str(noise), "k": k}
    times = draw.randint(1, 3)
    found = [(Fraction(1), Fraction(1))]
    for _ in range(times):
        found = joined(found, outcomes)
    of = [{**step, "times": times}]
    if draw.random() < 0.5:
        vectors, outcomes = finite(draw, 3)
        of, found = of + [vectors], joined(found, outcomes)
    return {"kind": "compose", "of": of}, found


# Every dataset reveals at most what is printed.
BELOW = {
    "adaptive choices": adaptive,
    "top-k": top,
    "private-selection, any order": selection,
    "shuffled, pure-dp": shuffled_guarantee,
}
# The truth itself.
EXACT = {"private-selection": (selection_in_order, None), "replace-special": (response_zeroed, "replace-special")}
