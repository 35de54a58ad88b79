"""Random mechanisms of many kinds through the program as a user runs it, every answer held against an independent truth (README.md beside this).

The cases are cut into blocks; a block follows from the seed and its number alone, a finished one is a line of the journal, and what is in the journal is not run again.
"""
import argparse
import fcntl
import hashlib
import json
import math
import random
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import classes  # noqa: E402
import exact  # noqa: E402
import itself  # noqa: E402
import members  # noqa: E402
import smooth_kinds  # noqa: E402
from referee import Polygon, Profile, Untold, end, is_wide, outside  # noqa: E402

ADJACENCIES = ["remove", "add", "add-remove"]
# How often each kind is drawn: what costs little is drawn often.
LOTS = {
    "finite": 20, "randomised response": 14, "pure-dp": 6, "approx-dp": 8, "subsampled": 16, "compose": 8, "compose, many": 0.3,
    "private-selection": 5, "replace-special": 5, "top-k": 2, "adaptive choices": 0.4, "private-selection, any order": 0.6, "shuffled, pure-dp": 2, "zcdp": 0.01, "rdp": 0.1,
    "mixture": 10, "random allocation": 4, "group": 3, "group of pairs": 3, "shuffled": 4, "profile": 6,
    "gaussian, gdp": 1.6, "compose of gaussian": 1, "tree-aggregation": 0.8, "matrix-factorization": 0.8, "laplace": 1.4, "exponential": 1,
    "noise-threshold": 0.6, "discrete-laplace": 1, "discrete-gaussian": 0.4, "skellam": 0.4, "sum of discrete-gaussian": 0.3, "permute-and-flip": 0.8, "subsampled gaussian": 1, "subsampled gaussian, replaced": 0.3, "gaussian-mixture": 0.2, "mixture of noise": 0.3,
    "replaced noise": 0.8, "replaced noise on integers": 0.4, "group of sampled gaussian": 0.2, "fixed batch": 0.4, "participations": 0.6,
}
PRECISIONS = ["1e-3", "1e-6", "1e-12", "1e-25"]


class Case:
    """One mechanism, its questions, and what is true of it."""

    def __init__(self, kind, mechanism, truth, questions):
        self.kind, self.mechanism, self.truth, self.questions = kind, mechanism, truth, questions


def place(draw):
    """A u = e^ε."""
    lot = draw.random()
    if lot < 0.1:
        return Fraction(1)
    if lot < 0.2:
        return Fraction(draw.choice([10**4, 10**9, Fraction(1, 10**4)]))
    below = draw.randint(1, 12)
    u = Fraction(draw.randint(1, 40), below)
    return u if draw.random() < 0.7 else 1 / u


def small(draw):
    """A δ, α, π or tolerance: the ends too."""
    lot = draw.random()
    if lot < 0.08:
        return Fraction(draw.choice([0, 1]))
    if lot < 0.25:
        return Fraction(draw.randint(1, 9), 10 ** draw.randint(3, 12))
    return Fraction(draw.randint(1, 39), 40)


def question(draw):
    """About any mechanism."""
    lot = draw.random()
    if lot < 0.36:
        return {"kind": "delta", "exp-epsilon": str(place(draw))}
    if lot < 0.46:
        return {"kind": "delta", "epsilon": str(Fraction(draw.randint(-30, 60), 20))}
    if lot < 0.60:
        return {"kind": "epsilon", "delta": str(small(draw))}
    if lot < 0.77:
        return {"kind": "tradeoff", "alpha": str(small(draw))}
    if lot < 0.92:
        return {"kind": "bayes-error", "prior": str(small(draw))}
    return {"kind": "advantage"} if lot < 0.96 else {"kind": "minimax-risk"}


def level(draw):
    return str(Fraction(draw.randint(1, 9), 10 ** draw.randint(2, 9)))


def more_of_polygon(draw, draw_other, has_outcomes):
    """What is asked of curves with rational vertices as well."""
    lot = draw.random()
    if lot < 0.25:
        return {"kind": "gdp-mu", "tolerance": level(draw)}
    if lot < 0.35:
        return {"kind": "gdp-mu"}
    if lot < 0.45:
        return {"kind": "gdp-mu", "error-floor": level(draw)}
    if lot < 0.75 and has_outcomes:
        return {"kind": "renyi", "order": draw.choice(["1/2", "1", "3/2", "2", "5", "20", "inf", "7/3", "101/100"])}
    other, _ = draw_other()
    return {"kind": draw.choice(["delta-divergence", "delta-symmetric"]), "other": other}


def drawn_polygon(draw, kind):
    """A mechanism with its adjacency, and its curve."""
    if kind in members.EXACT:
        drawn, adjacency = members.EXACT[kind]
        mechanism, outcomes = drawn(draw)
        adjacency = adjacency or draw.choice(ADJACENCIES)
        return {**mechanism, "adjacency": adjacency}, Polygon.of_outcomes(outcomes, adjacency)
    if kind == "shuffled":
        mechanism, families = exact.shuffled(draw)
        return {**mechanism, "adjacency": "replace-one"}, Polygon.worst_of(families)
    if kind in ("profile", "group"):
        mechanism, points = (exact.stated_profile if kind == "profile" else exact.group)(draw)
        return mechanism, Polygon(points)
    mechanism, outcomes = exact.DRAWN[kind](draw)
    adjacency = draw.choice(ADJACENCIES)
    return {**mechanism, "adjacency": adjacency}, Polygon.of_outcomes(outcomes, adjacency)


def polygon_case(draw, kind):
    mechanism, truth = drawn_polygon(draw, kind)
    others = {}

    def other():
        drawn, outcomes = exact.finite(draw)
        adjacency = draw.choice(ADJACENCIES)
        drawn = {**drawn, "adjacency": adjacency}
        others[json.dumps(drawn)] = Polygon.of_outcomes(outcomes, adjacency)
        return drawn, outcomes

    count, extra = (6, 0) if kind == "compose, many" else (26, 3)
    questions = [question(draw) for _ in range(count)] + [more_of_polygon(draw, other, truth.pairs is not None) for _ in range(extra)]

    def misses(query, low, high):
        return outside(low, high, truth.truth(query, others.get(json.dumps(query.get("other")))))

    return Case(kind, mechanism, misses, questions)


def member_case(draw, kind):
    """One dataset: the program's worse end is at least as bad, its better end no worse than what is known above."""
    mechanism, adjacency, outcomes, known = members.BELOW[kind](draw)
    truth = Polygon.of_outcomes(outcomes, adjacency)

    def misses(query, low, high):
        found = truth.truth(query)
        is_error = query["kind"] in ("tradeoff", "bayes-error", "minimax-risk")
        missed = outside(low, "inf", found) if is_error else outside("-inf", high, found)
        if missed:
            return f"of a dataset {missed}"
        if known and query["kind"] in ("delta", "advantage"):
            u = Fraction(query.get("exp-epsilon", 1)) if "epsilon" not in query else math.exp(Fraction(query["epsilon"]))
            if float(low) > known(u) + 1e-9:
                return f"no dataset has more than about {known(u)!r}"
        return None

    questions = [question(draw) for _ in range(16)]
    return Case(kind, {**mechanism, "adjacency": adjacency}, misses, questions)


def class_case(draw, kind):
    mechanism, of_class = classes.DRAWN[kind](draw)
    asked = [query for query in (question(draw) for _ in range(20)) if query["kind"] in ("delta", "tradeoff", "advantage") and is_inside(query)]
    return Case(kind, mechanism, of_class.misses, asked[:8])


def smooth_case(draw, kind):
    questions = [query for query in (question(draw) for _ in range(12)) if is_inside(query)]
    if kind in smooth_kinds.ON_INTEGERS:
        mechanism, adjacency, vertices = smooth_kinds.ON_INTEGERS[kind](draw)
        points = smooth_kinds.Points(vertices, adjacency if adjacency in ADJACENCIES else "add-remove")
        return Case(kind, {**mechanism, "adjacency": adjacency}, by_points(points), questions)
    mechanism, adjacency, directions = smooth_kinds.DRAWN[kind](draw)
    pairs = [smooth_kinds.asked(one, adjacency) for one in directions] if adjacency in ADJACENCIES else [directions]
    # The edges of such a pair are where its risk is largest.
    questions = [query for query in questions if query["kind"] != "minimax-risk" or kind != "noise-threshold"]
    return Case(kind, {**mechanism, "adjacency": adjacency}, Profile(pairs).misses, questions)


def by_points(points):
    def misses(query, low, high):
        try:
            return outside(low, high, points.truth(query))
        except (ArithmeticError, ValueError) as error:
            raise Untold(str(error)) from error

    return misses


def is_inside(query):
    """At the ends themselves nothing is asked of balls, nor where no normal law has any mass."""
    number = {"tradeoff": "alpha", "bayes-error": "prior", "epsilon": "delta"}.get(query["kind"])
    if number and Fraction(query[number]) in (0, 1):
        return False
    return Fraction(query.get("exp-epsilon", 1)) < 10**4


def is_in_balls(kind):
    return kind in smooth_kinds.DRAWN or kind in smooth_kinds.ON_INTEGERS


def route(kind):
    """How the truth is found."""
    if kind in members.BELOW:
        return "datasets by enumeration"
    if kind in classes.DRAWN:
        return "the definition, in doubles"
    return "profiles in balls" if is_in_balls(kind) else "exact enumeration"


def drawn_case(draw, kind):
    makers = {"datasets by enumeration": member_case, "the definition, in doubles": class_case, "profiles in balls": smooth_case}
    return makers.get(route(kind), polygon_case)(draw, kind)


def cases(seed, block, per_block, only=None):
    draw = random.Random(f"{seed}/{block}")
    kinds, weights = (only, [1] * len(only)) if only else (list(LOTS), list(LOTS.values()))
    precision = draw.choice(PRECISIONS)
    drawn = []
    for kind in draw.choices(kinds, weights, k=per_block):
        drawn.append(drawn_case(draw, kind))
    return precision, drawn


def ask(program, lines, precision, jobs=1, seconds=20):
    """The answers of one run of the program, in order."""
    text = "\n".join(json.dumps(line) for line in lines)
    command = [program, "bound", "--batch", "-", "--jobs", str(jobs), "--max-seconds", str(seconds), "--precision", precision]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    # 70: dpcmp found a mistake of its own, and its answer says where.
    if run.returncode not in (0, 3, 70) or len(answers) != len(lines):
        raise RuntimeError(f"exit code {run.returncode}, {len(answers)} answers of {len(lines)}: {run.stderr[-500:]}")
    return answers


def judged(case, query, answer):
    """What became of one answer: a word, and of a miss how."""
    if "error" in answer:
        code = answer["error"]["code"]
        return ("miss", answer["error"]["message"]) if code == "internal" else (f"refused: {code}", None)
    low, high = end(answer["lower"]), end(answer["upper"])
    try:
        missed = case.truth(query, low, high)
    except Untold:
        return "truth not told", None
    if missed:
        return "miss", f"[{answer['lower']}, {answer['upper']}]: {missed}"
    return ("held, wide" if is_wide(low, high) else "held"), None


def run_block(program, seed, block, per_block, only=None, first_miss=False):
    started = time.process_time()
    precision, drawn = cases(seed, block, per_block, only)
    asked = [(case, query) for case in drawn for query in case.questions]
    lines = [{"id": place, "mechanism": case.mechanism, "query": query} for place, (case, query) in enumerate(asked)]
    counts, misses = Counter(), []
    answers = dict.fromkeys(range(len(lines)))
    # What is only bounded never becomes narrow: no more time than a look takes.
    for is_bounded, seconds in ((False, 20), (True, 1)):
        some = [line for line, (case, _) in zip(lines, asked) if (case.kind in members.BELOW) == is_bounded]
        answers.update({line["id"]: answer for line, answer in zip(some, ask(program, some, precision, seconds=seconds))})
    for (case, query), answer in zip(asked, answers.values()):
        word, how = judged(case, query, answer)
        counts[f"{case.kind}\t{route(case.kind)}\t{query['kind']}\t{word}"] += 1
        if how:
            misses.append({"mechanism": case.mechanism, "query": query, "precision": precision, "how": how, "answers before": sum(counts.values())})
            if first_miss:
                break
    if not first_miss and not only and block % 4 == 0:
        itself.compare(lambda lines, *rest: ask(program, lines, *rest), random.Random(f"{seed}/{block}/itself"), counts, misses)
    return {"block": block, "seed": seed, "counts": dict(counts), "misses": misses, "seconds": round(time.process_time() - started, 2)}


# The journal -------------------------------------------------------------------------------------------------------------------------------------------

def finished(journal):
    blocks = []
    for path in sorted(journal.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                blocks.append(json.loads(line))
            except json.JSONDecodeError:
                print(f"{path}: a line that was cut off is left out", file=sys.stderr)
    return {(each["seed"], each["program"], each["block"]): each for each in blocks}.values()


def summary(blocks):
    """As Markdown: by kind and route, then by question."""
    by_kind, by_query, misses, answers = {}, {}, [], 0
    for block in blocks:
        misses += block["misses"]
        for key, count in block["counts"].items():
            kind, route, query, word = key.split("\t")
            column = word if word in ("held", "held, wide", "miss", "truth not told") else "refused"
            by_kind.setdefault((route, kind), Counter())[column] += count
            by_query.setdefault((route, query), Counter())[column] += count
            answers += count if column in ("held", "held, wide", "miss") else 0
    lines = [f"{answers} answers compared, {len(misses)} misses.", ""]
    for title, table in (("kind", by_kind), ("question", by_query)):
        lines += [f"| route | {title} | held | of these wider than 0.1 % | miss | truth not told | refused |", "|---|---|---|---|---|---|---|"]
        for (route, name), c in sorted(table.items()):
            held = c["held"] + c["held, wide"]
            lines.append(f"| {route} | {name} | {held} | {c['held, wide']} | {c['miss']} | {c['truth not told']} | {c['refused']} |")
        lines.append("")
    for miss in misses[:50]:
        lines.append(f"- miss: `{json.dumps(miss, ensure_ascii=False)}`")
    return "\n".join(lines)


def digest(program):
    return hashlib.sha256(Path(program).read_bytes()).hexdigest()[:16]


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--program", default="target/release/dpcmp")
    options.add_argument("--journal", type=Path, default=Path("target/campaign"))
    options.add_argument("--seed", default="1")
    options.add_argument("--shard", default="1/1", help="K/N: every Nth block, beginning with the Kth")
    options.add_argument("--cases", type=int, default=40000, help="mechanisms, of all shards together")
    options.add_argument("--per-block", type=int, default=200)
    options.add_argument("--only", help="kinds, with a slash between them, each drawn as often; a seed of their own is needed")
    options.add_argument("--summary", action="store_true", help="print what the journal says, and end")
    options.add_argument("--first-miss", action="store_true", help="stop at the first miss and say after how many answers; no journal")
    given = options.parse_args()
    if given.summary:
        print(summary(finished(given.journal)))
        return 0
    given.only = given.only and given.only.split("/")
    unknown = set(given.only or []) - set(LOTS)
    if unknown:
        options.error(f"no kind {', '.join(sorted(unknown))}; there are: {' / '.join(LOTS)}")
    index, of = (int(part) for part in given.shard.split("/"))
    blocks = range(index - 1, -(-given.cases // given.per_block), of)
    if given.first_miss:
        return first_miss(given, blocks)
    given.journal.mkdir(parents=True, exist_ok=True)
    program = digest(given.program)
    done = {each["block"] for each in finished(given.journal) if (each["seed"], each["program"]) == (given.seed, program)}
    missed = 0
    with open(given.journal / f"{given.seed}-{index}-of-{of}.jsonl", "a", encoding="utf-8") as notes:
        fcntl.flock(notes, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for block in blocks:
            if block in done:
                continue
            result = {"program": program, **run_block(given.program, given.seed, block, given.per_block, given.only)}
            notes.write(json.dumps(result) + "\n")
            notes.flush()
            missed += len(result["misses"])
            for miss in result["misses"]:
                print(f"miss: {json.dumps(miss, ensure_ascii=False)}", file=sys.stderr)
    print(summary(finished(given.journal)))
    return 1 if missed else 0


def first_miss(given, blocks):
    before = 0
    for block in blocks:
        try:
            result = run_block(given.program, given.seed, block, given.per_block, given.only, first_miss=True)
        except RuntimeError as error:
            print(f"after {before} answers and at most a block more the program failed: {str(error).splitlines()[0]}")
            return 1
        if result["misses"]:
            miss = result["misses"][0]
            print(f"missed after {before + miss['answers before']} answers: {json.dumps(miss, ensure_ascii=False)}")
            return 1
        before += sum(result["counts"].values())
    print(f"no miss in {before} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
