"""Writes dpcmp/kinds.py, a function for every kind of mechanism, from the tables in docs/claims.md; `--check` only compares.

docs/claims.md is made from the table that the parser of dpcmp is held to, so a kind that is new there is new here.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = ROOT / "python" / "dpcmp" / "kinds.py"

HEAD = '''"""Every kind of mechanism as a function; python/tools/kinds.py writes this file from docs/claims.md.

Numbers are exact: see :data:`dpcmp.numbers.Number`. Keywords that are left out, or ``None``, are not stated.
"""

# fmt: off

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .mechanism import Mechanism, of_keywords
from .numbers import Number

'''
TYPES = [
    (r"a whole number", "int | Number"),
    (r"a number", "Number"),
    (r"true or false", "bool"),
    (r"a list of mechanisms", "Sequence[Any]"),
    (r"a mechanism", "Mechanism | Mapping[str, Any]"),
    (r"a list of lists", "Sequence[Sequence[Number]] | str"),
    (r"a list of whole numbers", "Sequence[int]"),
    (r"a list of numbers", "Sequence[Number]"),
    (r"a list", "Sequence[Any]"),
    (r"a table", "Mapping[str, Any]"),
]
ADJACENCIES = '"add-remove", "remove", "add", "replace-one", "replace-special"'


def annotation(value: str) -> str:
    if value.startswith("`"):
        return f"Literal[{value.replace('`', '')}]"
    return next(name for pattern, name in TYPES if re.match(pattern, value))


def sections(text: str):
    text = text.split("\n## Mechanisms\n")[1].split("\n## Claims\n")[0]
    for part in re.split(r"\n### ", text)[1:]:
        head, _, body = part.partition("\n")
        table = re.search(r"\n\n((?:\|.*\n)+)", "\n" + body)
        rows = re.findall(r"^\| `([^`]+)` \| (.*?) \| (.*) \|$", table.group(1), re.M)
        prose = body.split("\n|")[0].strip()
        rules = re.findall(r"^((?:Always|Either|At most) .*)$", body, re.M)
        yield head.strip("` "), prose, rows, rules


def function(kind: str, prose: str, rows, rules) -> str:
    name = kind.replace("-", "_")
    arguments = [(key.replace("-", "_"), annotation(value), meaning) for key, value, meaning in rows]
    lines = [f"def {name}(", "    *,"]
    lines += [f"    {key}: {kind_of} | None = None," for key, kind_of, _ in arguments]
    lines += [f"    adjacency: Literal[{ADJACENCIES}] | None = None,", ") -> Mechanism:"]
    lines += [f'    """{prose}', "", "    Args:"]
    lines += [f"        {key}: {meaning}." for key, _, meaning in arguments]
    lines += ["        adjacency: what differs between neighbouring data sets; add-remove if it is left out."]
    if rules:
        words = " ".join(rules)
        words = re.sub(r"`([a-z-]+)`", lambda m: f"``{m.group(1).replace('-', '_')}``", words)
        lines += ["", f"    {words}"]
    lines += ["", "    Raises:", "        InputError: if that is no mechanism, with the keyword and a hint.", '    """']
    given = ", ".join(f'"{key}": {key}' for key, _, _ in [*arguments, ("adjacency", "", "")])
    lines += [f'    return of_keywords("{kind}", {{{given}}})']
    return "\n".join(lines)


def main() -> int:
    found = list(sections((ROOT / "docs" / "claims.md").read_text(encoding="utf-8")))
    names = sorted(kind.replace("-", "_") for kind, *_ in found)
    listing = "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    text = HEAD + listing + "".join(f"\n\n{function(*section)}\n" for section in found)
    if "--check" in sys.argv:
        if TARGET.read_text(encoding="utf-8") != text:
            print("python/dpcmp/kinds.py is not what docs/claims.md says; run python3 python/tools/kinds.py", file=sys.stderr)
            return 1
        return 0
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
