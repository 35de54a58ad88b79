"""The engine against itself: what must not matter. Enclosures of one number meet, whatever the precision, the threads, the order and the grouping of steps."""
from fractions import Fraction


def end(text):
    return Fraction(text) if text not in ("inf", "-inf") else float(text)


def steps(draw):
    """A few noisy steps whose composition has no closed form."""
    parts = []
    for _ in range(draw.randint(1, 3)):
        lot, times = draw.randrange(4), draw.randint(1, 12)
        sigma, rate = str(Fraction(draw.randint(6, 30), 10)), str(Fraction(draw.randint(1, 9), 20))
        if lot == 0:
            part = {"kind": "laplace", "scale": sigma}
        elif lot == 1:
            part = {"kind": "subsampled", "rate": rate, "of": {"kind": "gaussian", "sigma": sigma}}
        elif lot == 2:
            part = {"kind": "subsampled", "rate": rate, "of": {"kind": "laplace", "scale": sigma}}
        else:
            part = {"kind": "discrete-laplace", "scale": sigma}
        parts.append({**part, "times": times})
    return parts


def queries(draw):
    some = [
        {"kind": "delta", "epsilon": str(Fraction(draw.randint(-10, 60), 20))},
        {"kind": "epsilon", "delta": str(Fraction(1, 10 ** draw.randint(2, 8)))},
        {"kind": "tradeoff", "alpha": str(Fraction(draw.randint(1, 19), 20))},
        {"kind": "advantage"},
        {"kind": "bayes-error", "prior": str(Fraction(draw.randint(1, 19), 20))},
    ]
    return draw.sample(some, 2)


def split(draw, parts):
    """The same steps, some of them in two groups, in another order."""
    cut = []
    for part in parts:
        first = draw.randint(1, part["times"])
        cut.append({**part, "times": first})
        if first < part["times"]:
            cut.append({**part, "times": part["times"] - first})
    draw.shuffle(cut)
    return cut


def compare(ask, draw, counts, misses):
    """Two mechanisms, two questions each, six ways; what comes out is counted."""
    for _ in range(2):
        adjacency, parts, questions = draw.choice(["remove", "add", "add-remove"]), steps(draw), queries(draw)
        plain = {"kind": "compose", "of": parts, "adjacency": adjacency}
        other = {"kind": "compose", "of": split(draw, parts), "adjacency": adjacency}
        asked = lambda mechanism, order: [{"id": place, "mechanism": mechanism, "query": query} for place, query in enumerate(order)]
        backwards = questions[::-1]
        ways = {
            "as usual": (asked(plain, questions), "1e-4", 1),
            "two threads": (asked(plain, questions), "1e-4", 2),
            "coarser": (asked(plain, questions), "1e-1", 1),
            "finer": (asked(plain, questions), "1e-6", 1),
            "steps split and turned round": (asked(other, questions), "1e-4", 1),
            "questions turned round": (asked(plain, backwards), "1e-4", 1),
        }
        answers = {}
        for way, (lines, precision, jobs) in ways.items():
            found = ask(lines, precision, jobs)
            answers[way] = found[::-1] if way == "questions turned round" else found
        for way in ways:
            for place, query in enumerate(questions):
                one, two = answers["as usual"][place], answers[way][place]
                if "error" in one or "error" in two:
                    same = ("error" in one) == ("error" in two)
                elif way == "two threads":
                    same = (one["lower"], one["upper"]) == (two["lower"], two["upper"])
                else:
                    same = max(end(one["lower"]), end(two["lower"])) <= min(end(one["upper"]), end(two["upper"]))
                counts[f"{way}\tthe engine itself\t{query['kind']}\t{'held' if same else 'miss'}"] += 1
                if not same:
                    misses.append({"mechanism": plain, "query": query, "way": way, "how": f"{one} and {two}", "answers before": sum(counts.values())})
