"""Random mechanisms whose trade-off curve is a polygon with rational vertices, by enumeration of all outcomes.

Each function draws one from a `random.Random` and gives the mechanism as a file would have it, and its outcomes: a list of pairs (mass without the record,
mass with it). Nothing here uses dpcmp.
"""
from itertools import combinations, product
from math import comb

try:
    from gmpy2 import mpq as Fraction  # the same numbers, five times as fast
except ImportError:
    from fractions import Fraction

MOST_OUTCOMES = 160


def fraction(draw, most=12):
    """In (0, 1); now and then close to an end."""
    if draw.random() < 0.1:
        tiny = Fraction(1, draw.choice([10**3, 10**6, 10**9]))
        return tiny if draw.random() < 0.5 else 1 - tiny
    below = draw.randint(2, most)
    return Fraction(draw.randint(1, below - 1), below)


def odds(draw):
    """e^ε above 1, as a fraction."""
    below = draw.choice([1, 1, 2, 3, 7, 10])
    return Fraction(draw.randint(below + 1, 9 * below), below) if draw.random() < 0.9 else Fraction(draw.choice([50, 1000, 10**6]))


def vector(draw, length):
    def weight():
        lot = draw.random()
        return 0 if lot < 0.15 else draw.randint(1, 9) if lot < 0.93 else draw.choice([10**3, 10**5, 10**7])

    weights = [weight() for _ in range(length)]
    if not any(weights):
        weights[draw.randrange(length)] = 1
    return [Fraction(w, sum(weights)) for w in weights]


def finite(draw, most=5):
    length = draw.randint(2, most)
    p, q = vector(draw, length), vector(draw, length)
    if draw.random() < 0.1:
        q = p
    return {"kind": "finite", "p": [str(x) for x in p], "q": [str(x) for x in q]}, list(zip(p, q))


def of_noise(noise, k):
    """k answers; with probability `noise` a uniform one is given."""
    low = noise / k
    high = 1 - noise + low
    return [(low, high), (high, low)] + [(low, low)] * (k - 2)


def randomized_response(draw, most=4):
    k = draw.randint(2, most)
    if draw.random() < 0.5:
        noise = fraction(draw)
        return {"kind": "randomized-response", "noise": str(noise), "k": k}, of_noise(noise, k)
    e = odds(draw)
    return {"kind": "randomized-response", "exp-epsilon": str(e), "k": k}, of_noise(k / (e + k - 1), k)


def guarantee(e, delta):
    """The pair above all that satisfy it."""
    rest = (1 - delta) / (e + 1)
    return [(Fraction(0), delta), (rest, rest * e), (rest * e, rest), (delta, Fraction(0))]


def pure_dp(draw):
    e = odds(draw)
    return {"kind": "pure-dp", "exp-epsilon": str(e)}, guarantee(e, Fraction(0))


def approx_dp(draw):
    e, delta = odds(draw), fraction(draw)
    return {"kind": "approx-dp", "exp-epsilon": str(e), "delta": str(delta)}, guarantee(e, delta)


STEPS = [finite, finite, randomized_response, pure_dp, approx_dp]


def sampled(draw, steps=(finite, randomized_response)):
    mechanism, outcomes = draw.choice(steps)(draw)
    rate = fraction(draw)
    mixed = [(p, (1 - rate) * p + rate * q) for p, q in outcomes]
    return {"kind": "subsampled", "rate": str(rate), "of": mechanism}, mixed


def joined(first, second):
    """Both seen; outcomes of equal ratio need not be told apart, which keeps products small."""
    merged = {}
    for a, b in first:
        for c, d in second:
            p, q = a * c, b * d
            if p or q:
                key = (q / p) if p else "only with the record"
                x, y = merged.get(key, (0, 0))
                merged[key] = (x + p, y + q)
    return list(merged.values())


def composed(draw):
    """A few steps of different kinds, each a few times."""
    parts, outcomes = [], [(Fraction(1), Fraction(1))]
    for _ in range(draw.randint(1, 3)):
        mechanism, step = sampled(draw) if draw.random() < 0.3 else draw.choice(STEPS)(draw)
        times = 0
        for _ in range(draw.randint(1, 4)):
            more = joined(outcomes, step)
            if len(more) > MOST_OUTCOMES:
                break
            outcomes, times = more, times + 1
        if times:
            parts.append({**mechanism, "times": times})
    if not parts:
        return finite(draw)
    return {"kind": "compose", "of": parts}, outcomes


def many(draw):
    """One step of two outcomes, many times: binomial."""
    p, q = Fraction(draw.randint(1, 19), 20), Fraction(draw.randint(1, 19), 20)
    times = draw.choice([20, 33, 64, 150, 300])
    outcomes = [
        (comb(times, k) * p**k * (1 - p) ** (times - k), comb(times, k) * q**k * (1 - q) ** (times - k)) for k in range(times + 1)
    ]
    step = {"kind": "finite", "p": [str(p), str(1 - p)], "q": [str(q), str(1 - q)], "times": times}
    return {"kind": "compose", "of": [step]}, outcomes


def labelled(draw):
    """A public label says which one runs."""
    weight, parts, outcomes = Fraction(1), [], []
    for place in range(draw.randint(2, 3)):
        mechanism, step = draw.choice(STEPS)(draw)
        share = weight if place == 2 else weight * fraction(draw, 6)
        weight -= share
        parts.append((mechanism, share, step))
    if weight:
        mechanism, _, step = parts[-1]
        parts[-1] = (mechanism, parts[-1][1] + weight, step)
    for _, share, step in parts:
        outcomes += [(share * p, share * q) for p, q in step]
    return {"kind": "mixture", "of": [{**m, "weight": str(share)} for m, share, _ in parts]}, outcomes


def allocation(draw):
    """The record takes part in some of the steps, which ones is secret."""
    mechanism, base = draw.choice([finite, randomized_response])(draw, 3)
    steps = draw.randint(2, 4 if len(base) < 3 else 3)
    selected = draw.randint(1, steps)
    merged = {}
    choices = list(combinations(range(steps), selected))
    for word in product(base, repeat=steps):
        without = Fraction(1)
        for p, _ in word:
            without *= p
        with_it = Fraction(0)
        for chosen in choices:
            mass = Fraction(1, len(choices))
            for place, (p, q) in enumerate(word):
                mass *= q if place in chosen else p
            with_it += mass
        if without or with_it:
            key = (with_it / without) if without else None
            x, y = merged.get(key, (0, 0))
            merged[key] = (x + without, y + with_it)
    return {"kind": "random-allocation", "steps": steps, "selected": selected, "of": mechanism}, list(merged.values())


# What is no pair but a curve ---------------------------------------------------------------------------------------------------------------------------

def shuffled(draw):
    """Users answer by randomised response between two answers, a shuffler hides who said what, one answer is replaced: the worst of all answers of the others.

    Gives the pairs (without, with) of each number of ones among the others.
    """
    users, noise = draw.randint(1, 6), fraction(draw)
    low, high = noise / 2, 1 - noise / 2
    mechanism = {"kind": "shuffled", "users": users, "of": {"kind": "randomized-response", "noise": str(noise)}}
    pairs = []
    for ones in range(users):
        counts = [Fraction(1)]
        for user in range(users - 1):
            said = high if user < ones else low
            counts = [
                (counts[k] * (1 - said) if k < len(counts) else 0) + (counts[k - 1] * said if k else 0) for k in range(len(counts) + 1)
            ]

        def with_one(said):
            return [(counts[k] * (1 - said) if k < len(counts) else 0) + (counts[k - 1] * said if k else 0) for k in range(users + 1)]

        pairs.append(list(zip(with_one(low), with_one(high))))
    return mechanism, pairs


def stated_profile(draw):
    """Points of a privacy profile that another accountant proved: f is at least the largest of the lines that they draw, either way round."""
    points = []
    e, delta = Fraction(1), Fraction(1)
    for _ in range(draw.randint(1, 3)):
        e = e * odds(draw) if points or draw.random() < 0.8 else e
        delta = delta * fraction(draw)
        points.append((e, delta))
    if draw.random() < 0.1:
        # Nothing is left of δ in the other order of the pair.
        low = 1 / odds(draw)
        points.insert(0, (low, 1 - low))
    mechanism = {"kind": "profile", "points": [{"exp-epsilon": str(e), "delta": str(d)} for e, d in points]}
    lines = [(Fraction(0), Fraction(0))]
    for e, d in points:
        # β ≥ 1 − δ − e·α and α ≥ 1 − δ − e·β
        lines += [(-e, 1 - d), (-1 / e, (1 - d) / e)]
    return mechanism, upper_envelope(lines)


def upper_envelope(lines):
    """Vertices over [0, 1] of the largest of lines (slope, height at 0)."""
    crossings = {Fraction(0), Fraction(1)}
    for (s, c), (t, d) in combinations(lines, 2):
        if s != t and 0 < (d - c) / (s - t) < 1:
            crossings.add((d - c) / (s - t))
    height = lambda x: max(s * x + c for s, c in lines)
    # At α = 0 all of β up to 1 is below the curve's left end.
    return [(Fraction(0), Fraction(1))] + [(x, height(x)) for x in sorted(crossings)]


def group(draw):
    """Many records at once, each within a guarantee: the largest power of a test after a change of one record is a function of its size, applied as often.

    By changing one record after the other no more is possible, and all of it is: each step may send the tests of one size to those of the largest power.
    """
    mechanism, outcomes = draw.choice([pure_dp, approx_dp])(draw)
    records = draw.randint(2, 4)
    after = powers(outcomes, records)[-1]
    return {"kind": "group", "records": records, "of": mechanism}, [(x, 1 - y) for x, y in after]


def group_of_pairs(draw):
    """The same of a pair, or of a guarantee or a pair on a Poisson sample, where as many records change as are drawn: the mean of the powers, by the binomial law."""
    drawn = draw.choice([pure_dp, approx_dp, finite, finite])
    mechanism, outcomes = drawn(draw)
    records, rate = draw.randint(2, 4), Fraction(1)
    if drawn is not finite or draw.random() < 0.6:
        rate = fraction(draw)
        mechanism = {"kind": "subsampled", "rate": str(rate), "of": mechanism}
    chances = [comb(records, j) * rate**j * (1 - rate) ** (records - j) for j in range(records + 1)]
    after = powers(outcomes, records)
    pairs, level, reached = [], Fraction(0), Fraction(0)
    for x in sorted({x for x, _ in after[-1]}):
        y = sum(chance * value(power, x) for chance, power in zip(chances, after))
        pairs.append((x - level, y - reached))
        level, reached = x, y
    return {"kind": "group", "records": records, "of": mechanism}, pairs


def powers(outcomes, records):
    """The largest power of a test of each size with none, one, two and so on of the records changed: polygons."""
    one = [(Fraction(0), Fraction(0))]
    for without, with_it in sorted(outcomes, key=lambda o: (o[0] == 0, o[1] / o[0] if o[0] else 0), reverse=True):
        one.append((one[-1][0] + without, one[-1][1] + with_it))
    after = [[(Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))], one]
    for _ in range(records - 1):
        last = after[-1]
        # Kinks of one(last(α)): those of `last`, and where `last` meets those of `one`.
        sizes = {x for x, _ in last} | {preimage(last, x) for x, _ in one}
        after.append(sorted({(x, value(one, value(last, x))) for x in sizes} | {(Fraction(0), Fraction(0))}))
    return after


def value(points, x):
    """Of a polygon that may jump at 0: there the upper end."""
    here = [y for a, y in points if a == x]
    return max(here) if here else between(points, x)


def between(points, x):
    right = next(i for i, (a, _) in enumerate(points) if a > x)
    (a, b), (c, d) = points[right - 1], points[right]
    return b + (d - b) * (x - a) / (c - a)


def preimage(points, y):
    """The largest place where an increasing polygon is at most y."""
    right = next((i for i, (_, b) in enumerate(points) if b > y), None)
    if right is None:
        return Fraction(1)
    (a, b), (c, d) = points[right - 1], points[right]
    return a + (c - a) * (y - b) / (d - b) if c > a else a


DRAWN = {
    "finite": finite,
    "randomised response": randomized_response,
    "pure-dp": pure_dp,
    "approx-dp": approx_dp,
    "subsampled": sampled,
    "compose": composed,
    "compose, many": many,
    "mixture": labelled,
    "random allocation": allocation,
    "group of pairs": group_of_pairs,
}
