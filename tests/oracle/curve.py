"""Trade-off curves of finite pairs, and every query answered from the curve's vertices.

Route: sort the outcomes by likelihood ratio (Neyman-Pearson) and add up; a curve is the list of its vertices
(false positive rate, false negative rate). Under add-remove adjacency the curve is the lower convex hull of the
vertices of f and of its inverse. Nothing here knows of privacy profiles, losses or lattices: δ is read off as
max over vertices of 1 − fnr − u·fpr, Bayes errors as minima, Gaussian μ as maxima of probits over vertices.

Vertices are Fractions (everything rational stays exact) or arb balls (every comparison is then a ball minimum or
maximum, never a guess about which of two overlapping balls is larger).
"""
from fractions import Fraction

from flint import arb

from enclosure import ball, bottom, probit, span, top


def vertices(p, q):
    """Vertices of f for a pair of vectors, the most incriminating outcomes rejected first."""
    if isinstance(p[0], Fraction):
        order = sorted(((x, y) for x, y in zip(p, q) if x or y), key=lambda o: (o[0] == 0, o[1] / o[0] if o[0] else 0), reverse=True)
    else:
        order = list(zip(p, q))  # balls come sorted by the caller, who knows the losses exactly
    return accumulate(order)


def accumulate(order):
    """Partial sums: fpr adds up p from the front, fnr adds up q from the back, so that both tails keep their digits."""
    number = ball if isinstance(order[0][0], arb) else Fraction
    fprs, fnrs = [number(0)], [number(0)]
    for x, _ in order[:-1]:
        fprs.append(fprs[-1] + x)
    for _, y in reversed(order[1:]):
        fnrs.append(fnrs[-1] + y)
    return list(zip(fprs + [number(1)], [number(1)] + fnrs[::-1]))


def is_exact(points):
    return not any(isinstance(value, arb) for point in points for value in point)


def as_balls(points):
    return [(ball(x), ball(y)) for x, y in points]


def inverse(points):
    """f⁻¹, the curve of the swapped pair."""
    return [(fnr, fpr) for fpr, fnr in points]


def under(points, adjacency):
    """The vertex set of the curve an adjacency is about (for add-remove: both curves, the hull is implicit)."""
    if adjacency == "remove":
        return points
    if adjacency == "add":
        return inverse(points)
    return points + inverse(points)


def lower_hull(points):
    """Lower convex hull of exact points, left to right."""
    hull = []
    for point in sorted(set(points)):
        if hull and hull[-1][0] == point[0]:
            continue
        while len(hull) >= 2 and turn(hull[-2], hull[-1], point) <= 0:
            hull.pop()
        hull.append(point)
    return hull


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def height(points, alpha):
    """The hull's value at alpha: the least chord value over all pairs of points on either side."""
    if is_exact(points):
        points = lower_hull(points)
    else:
        alpha = ball(alpha)
    if any(not (x < alpha or x > alpha or x == alpha) for x, _ in points):
        raise ArithmeticError("alpha is not separated from a vertex")
    left = [point for point in points if point[0] < alpha]
    right = [point for point in points if point[0] > alpha]
    chords = (b + (d - b) * (alpha - a) / (c - a) for a, b in left for c, d in right)
    return bottom([*(y for x, y in points if x == alpha), *chords])


def fixed_point(points):
    """α with f(α) = α: the least meeting of a chord with the diagonal."""
    if is_exact(points):
        points = lower_hull(points)
    above = [(x, y) for x, y in points if y > x]
    below = [(x, y) for x, y in points if y < x]
    on = [(x, y) for x, y in points if not (y > x or y < x)]  # on the diagonal, as far as balls can tell
    meetings = (a + (c - a) * (b - a) / ((b - a) + (c - d)) for a, b in above for c, d in below)
    return bottom([*(x if x == y else span(x, y) for x, y in on), *meetings])


def answer(points, query):
    """The truth of one query about the hull of `points`."""
    kind = query["kind"]
    if kind == "delta":
        u = Fraction(query["exp-epsilon"]) if "exp-epsilon" in query else likelihood(query["epsilon"])
        if isinstance(u, arb):
            points = as_balls(points)
        return top(1 - fnr - u * fpr for fpr, fnr in points)
    if kind == "epsilon":
        return least_epsilon(points, Fraction(query["delta"]))
    if kind == "tradeoff":
        return height(points, Fraction(query["alpha"]))
    if kind == "advantage":
        return top(1 - fpr - fnr for fpr, fnr in points)
    if kind == "bayes-error":
        prior = same_kind(points, query["prior"])
        return bottom(prior * fpr + (1 - prior) * fnr for fpr, fnr in points)
    if kind == "minimax-risk":
        return fixed_point(points)
    if kind == "gdp-mu" and "error-floor" in query:
        return mu_at_floor(points, Fraction(query["error-floor"]))
    if kind == "gdp-mu":
        return mu_with_tolerance(points, Fraction(query.get("tolerance", "0")))
    raise KeyError(kind)


def same_kind(points, number):
    """The exact number, as a ball when the points are balls."""
    return Fraction(number) if is_exact(points) else ball(number)


def likelihood(epsilon):
    epsilon = Fraction(epsilon)
    return Fraction(1) if epsilon == 0 else ball(epsilon).exp()


def least_epsilon(points, delta):
    """log of the least u with 1 − fnr − u·fpr ≤ delta at every vertex."""
    if delta >= 1:
        return "-inf"
    delta = same_kind(points, delta)
    ratios = []
    for fpr, fnr in points:
        if 1 - fnr - delta <= 0:
            continue  # the vertex (1, 0) asks for more
        if fpr == 0:
            return "inf"
        ratios.append((1 - fnr - delta) / fpr)
    u = top(ratios)
    return Fraction(0) if u == 1 else ball(u).log()


def mu_with_tolerance(points, tau):
    """max over vertices of Φ⁻¹(1 − fpr − τ) − Φ⁻¹(fnr + τ): G(· + τ) − τ is convex, f is linear between vertices."""
    tau = same_kind(points, tau)
    values = [Fraction(0)]
    for fpr, fnr in points:
        if fpr + fnr + 2 * tau >= 1:  # this vertex asks for no more than μ = 0
            continue
        if fpr + tau == 0 or fnr + tau == 0:
            return "inf"
        values.append(-probit(fpr + tau) - probit(fnr + tau))
    return top(values)


def mu_at_floor(points, floor):
    """max over the vertices inside [floor, 1]² and the two cuts fpr = floor, fnr = floor; −2Φ⁻¹(floor) if f(floor) < floor."""
    floor = same_kind(points, floor)
    left = height(points, floor)
    if left < floor:
        return -2 * probit(floor)
    if not left >= floor:
        raise ArithmeticError("f(floor) is not separated from floor")
    below = height(inverse(points), floor)
    inside = [(floor, left), (below, floor)] + [(x, y) for x, y in points if x >= floor and y >= floor]
    return top([Fraction(0)] + [-probit(x) - probit(y) for x, y in inside if x + y < 1])
