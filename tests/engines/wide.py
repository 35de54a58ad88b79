"""All that several builds are asked with `--wide`: examples, certificates and tables, beside the questions of `questions.jsonl`."""
import hashlib
import json
import re
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = "examples/claims"
# Of every mechanism of the examples. Searches of μ and ρ are asked for in reports.
QUERIES = [
    {"kind": "epsilon", "delta": "1e-6"},
    {"kind": "delta", "epsilon": "1"},
    {"kind": "tradeoff", "alpha": "0.01"},
    {"kind": "advantage"},
    {"kind": "bayes-error", "prior": "0.3"},
    {"kind": "renyi", "order": "8"},
]
# Some of these mechanisms go on for minutes where the time decides nothing: batches of fixed or of limited size, choices in several steps, many steps of little noise.
LONG = re.compile(r"without-replacement|truncated-poisson|permute-and-flip|parties|0\.00001024|110\.77")
SECONDS = re.compile(r'"seconds":[0-9.e-]+|^[0-9.]+ (ms|s|min)$', re.MULTILINE)
# Their reports and curves go on, too: they are only compared.
LONG_REPORTS = {"distributed-noise", "random-allocation", "shuffled", "shuffled-reports", "skellam", "skellam-vectors", "truncated"}
# What a certificate hashes to, and how far a proof got that was not found.
HINTED = re.compile(r'("certificate":\{"accepted":(?:true|false))[^}]*')


def without_time(text):
    """An answer without how long it took."""
    return SECONDS.sub('"seconds":0', text)


def answers(ask, proved):
    """(what was asked, what came) of one program; `ask(arguments, of_the_checker, text)` gives standard output and the exit code.

    With `proved` without estimates, and without the bytes of certificates, whose hints are made with floats: that they are accepted is compared.
    """
    hide = HINTED.sub if proved else (lambda _, text: text)
    with tempfile.TemporaryDirectory(prefix="dpcmp-engines.") as folder:
        certificates = Path(folder) / "certificates"
        verdicts = ask(["verify", EXAMPLES, "--format", "json", "--certificate", str(certificates)])
        lines = verdicts.splitlines()
        yield from by_line("verdict", [hide(r"\1", line.replace(folder, "")) for line in lines])
        for path in sorted(certificates.iterdir()):
            yield f"certificate {path.name}", "there" if proved else hashlib.sha256(path.read_bytes()).hexdigest()
        checked = ask(["check", str(certificates), "--format", "json"])
        yield from by_line("dpcmp check", [line.replace(folder, "") for line in checked.splitlines()])
        checked = ask([str(certificates)], of_the_checker=True)
        yield from by_line("dpcmp-check", [line.replace(folder, "") for line in checked.splitlines()])
        mechanisms = dict.fromkeys(json.dumps(json.loads(line)["mechanism"]) for line in lines if '"mechanism":{' in line)
        mechanisms = [mechanism for mechanism in mechanisms if not LONG.search(mechanism)]
        for engine in ["certified"] if proved else ["certified", "float"]:
            batch = "".join(
                json.dumps({"id": f"{number}-{query['kind']}", "mechanism": json.loads(mechanism), "query": query}) + "\n"
                for number, mechanism in enumerate(mechanisms)
                for query in QUERIES
            )
            asked = ask(["bound", "--batch", "-", "--engine", engine], text=batch)
            yield from by_line(f"bound of examples, {engine} engine", asked.splitlines())
        for table in sorted((ROOT / "tests" / "oracle").glob("*.jsonl")):
            name = f"tests/oracle/{table.name}"
            # Into a folder, so that planning certificates has all the time, too.
            verify = ["verify", name, "--format", "json", "--certificate", str(Path(folder) / "of-claims")]
            asked = ask(verify if table.name == "claims.jsonl" else ["bound", "--batch", name])
            yield from by_line(name, [hide(r"\1", line.replace(folder, "")) for line in asked.splitlines()])
    for path in sorted((ROOT / EXAMPLES).glob("*.toml")):
        name = path.relative_to(ROOT).as_posix()
        commands = [["compare", name, '{"kind":"gaussian","sigma":1}'], ["report", name], ["curve", name, "--points", "6"]]
        for command in commands[: 1 if path.stem in LONG_REPORTS else None]:
            yield " ".join(command), ask([*command, "--format", "json"])
    for name, key, target in CALIBRATED:
        command = ["calibrate", name, "--solve", key, "--target", target, "--format", "json"]
        yield " ".join(command), ask(command)
    for name, keys in SWEPT:
        command = ["bound", name, "epsilon:delta=1e-5", "--sweep", keys, "--format", "json"]
        yield " ".join(command), ask(command)


CALIBRATED = [
    ("examples/claims/laplace.toml", "scale", "advantage:at-most=0.1"),
    ("examples/claims/dp-ftrl.toml", "noise-multiplier", "approx-dp:epsilon=2,delta=1e-6"),
    ("examples/claims/fixed-batches.toml", "of.sigma", "approx-dp:epsilon=0.1,delta=1e-6"),
    ("examples/claims/randomized-response.toml", "epsilon", "gdp:mu=1,tolerance=1e-6"),
    ("examples/claims/skellam.toml", "of.0.mean", "approx-dp:epsilon=1,delta=1e-6"),
]
SWEPT = [
    ("examples/claims/de-et-al.toml", "steps=1..2000:5"),
    ("examples/claims/random-allocation.toml", "steps=2,10,100"),
    ("examples/claims/shuffled-reports.toml", "users=10,1000,100000"),
    ("examples/claims/matrix-factorization.toml", "noise-multiplier=1..16:4"),
]


def by_line(what, lines):
    """Each line by itself, so that one that differs is found."""
    for number, line in enumerate(lines, 1):
        yield f"{what}, line {number}", line
    yield f"{what}, lines", str(len(lines))
