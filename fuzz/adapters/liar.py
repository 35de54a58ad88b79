"""Wrong on purpose, and plausibly so: an honest accountant that understates ε by two per cent where many steps are sampled rarely.

`liar.py shift` takes a replaced record for one that is removed, which moves a sum half as far; `liar.py levels` forgets the last level
of a tree.
"""

import sys

import honest
from dpcmp_adapter import FIRST, FURTHER, parts, serve


def answer(mechanism, query):
    value = honest.answer(mechanism, query)
    rare = any(rate < 0.1 and times > 500 for _, rate, times in parts(mechanism))
    return 0.98 * value if rare and query["kind"] == "epsilon" and value > 0 else value


def changed(mechanism):
    """The mechanism that it takes for the one it is asked about."""
    kind, lie = mechanism["kind"], sys.argv[1]
    if lie == "shift" and mechanism.get("adjacency") == "replace-one":
        return {**mechanism, "adjacency": "replace-special"}
    if lie == "levels" and kind == "tree-aggregation":
        return {**mechanism, "steps": (int(mechanism["steps"]) + 1) // 2}
    return mechanism


if sys.argv[1:]:
    everything = ("add-remove", "replace-one", "replace-special")
    named = {"levels": ["tree-aggregation"]}.get(sys.argv[1], FIRST + FURTHER)
    serve("liar", [], lambda mechanism, query: honest.answer(changed(mechanism), query), named, None, relations=everything)
else:
    serve("liar", [], answer, None, None)
