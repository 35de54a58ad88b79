"""False certificates, made of true ones: another number in the claim, another verdict, another proof, changes anywhere in the proof. None may be accepted."""
import copy
import hashlib
import json
import re
import tempfile
from fractions import Fraction
from pathlib import Path

# More at once are not written to the disk.
MOST = 400
KINDS = ["profile", "exact", "largest-loss", "gaussian-mu", "gaussian-rho", "fixed-point", "distinguishing-event", "trivial", "dominance", "moments"]
DIRECTIONS = ["remove", "add"]


def canonical(certificate):
    return json.dumps(certificate, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


def forged(draw, certificates, each):
    """Triples of a way, what was changed, and a certificate whose statement is false."""
    made = []
    by_key = {}
    for claim, certificate in certificates:
        by_key.setdefault(claim.name(), []).append(certificate)
    for claim, certificate in certificates:
        for _ in range(each):
            made.append(one(draw, claim, certificate, by_key[claim.name()]))
    return made


def one(draw, claim, certificate, others):
    lie = copy.deepcopy(certificate)
    way = "verdict"
    if claim.false_number and draw.random() < 0.7:
        way = "number"
        file = json.loads(lie["claim-file"]["text"])
        file["claim"][lie["claim"]][claim.question.key] = claim.false_number
        text = json.dumps(file)
        lie["claim-file"] |= {"text": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    else:
        lie["verdict"] = "refuted" if lie["verdict"] == "verified" else "verified"
    what = draw.choice(["nothing more", "another proof", "bounds that follow", "changes", "changes", "changes"])
    if what == "another proof":
        lie["proof"] = copy.deepcopy(draw.choice(others)["proof"])
    elif what == "bounds that follow":
        ratio = Fraction(claim.false_number) / Fraction(claim.number) if way == "number" and Fraction(claim.number) else Fraction(draw.choice([0, 1, 2]), 1)
        follow(lie["proof"], ratio * draw.choice([1, Fraction(10**9 - 1, 10**9), Fraction(10**9 + 1, 10**9)]))
    elif what == "changes":
        changed = [change(draw, lie["proof"]) for _ in range(draw.choice([1, 1, 2, 3]))]
        what = f"`{changed[0]}` changed" if len(changed) == 1 else "several changes"
    return way, what, lie


def follow(value, ratio):
    """Every bound by a factor."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "bounds":
                value[key] = [str(min(int(Fraction(bound) * ratio), 2**120)) if re.fullmatch(r"\d+", bound) else bound for bound in inner]
            else:
                follow(inner, ratio)
    elif isinstance(value, list):
        for inner in value:
            follow(inner, ratio)


def places(value, name, found):
    """Everything that can be changed, by the name of the key that it stands under."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in entries:
        here = key if isinstance(key, str) else name
        found.setdefault(here, []).append((value, key))
        if isinstance(inner, (dict, list)):
            places(inner, here, found)
    return found


def change(draw, proof):
    """One change; names are drawn first, so that rare ones meet as often. Gives the name."""
    found = places(proof, "proof", {})
    name = draw.choice(sorted(found))
    place, key = draw.choice(found[name])
    old = place[key]
    if isinstance(place, list) and draw.random() < 0.3:
        other = draw.randrange(len(place))
        lot = draw.randrange(3)
        if lot == 0:
            del place[key]
        elif lot == 1:
            place.insert(key, copy.deepcopy(place[other]))
        else:
            place[key], place[other] = place[other], place[key]
    elif old in DIRECTIONS:
        place[key] = draw.choice(DIRECTIONS)
    elif old in KINDS:
        place[key] = draw.choice(KINDS)
    elif isinstance(old, bool):
        place[key] = not old
    elif isinstance(old, int):
        place[key] = draw.choice([old + 1, old - 1, 2 * old, old // 2, -old, 0])
    elif isinstance(old, str):
        place[key] = number(draw, old)
    elif isinstance(old, (list, dict)) and isinstance(place, dict) and draw.random() < 0.2:
        del place[key]
    return name


def number(draw, text):
    """Another one that is written alike."""
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text[::-1]
    near = 1 + draw.choice([-1, 1]) * Fraction(1, 10 ** draw.choice([1, 2, 3, 6, 9, 12]))
    value = draw.choice([value * near, value * near, value * near, value * 2, value / 2, -value, Fraction(0), value + 1])
    if re.fullmatch(r"-?\d+", text):
        return str(int(value))
    return f"{value.numerator}/{value.denominator}" if "/" in text else f"{float(value):.17e}" if "e" in text else f"{float(value):.12f}"


def checked(check, lies, counts):
    """Asks the checker about all of them, twice: a careful liar writes the sentence that it expects. Gives those that it accepts."""
    misses = []
    for start in range(0, len(lies), MOST):
        some = lies[start : start + MOST]
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / f"{place:04}.json" for place in range(len(some))]
            for path, (_, _, lie) in zip(paths, some):
                path.write_text(canonical(lie))
            for answer in check(folder):
                _, _, lie = some[int(Path(answer["certificate"]).stem)]
                _, found, sentence = answer["text"].partition("what the claim file claims is: ")
                if found:
                    lie["statement"] = sentence
                    Path(answer["certificate"]).write_text(canonical(lie))
            answers = check(folder)
            if len(answers) != len(some):
                raise RuntimeError(f"{len(answers)} answers about {len(some)} certificates")
            for answer in answers:
                way, what, lie = some[int(Path(answer["certificate"]).stem)]
                counts["forged", way, what, "accepted" if answer["accepted"] else answer["reason"]] += 1
                if answer["accepted"]:
                    misses.append({"how": f"a false certificate is accepted ({way}; {what})", "certificate": canonical(lie)})
    return misses
