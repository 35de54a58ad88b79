"""Asks one peer one question, in a process of its own; runs with the interpreter of the peers' virtual environment.

    python ask.py ADAPTER [QUESTION-AS-JSON]

Prints one JSON object: the answer or the error, and the CPU seconds before and after the adapter was imported. Without a
question it only imports. What comes before the question is start-up, and so is what comes after the answer.
"""

import importlib
import json
import resource
import sys
import warnings
from fractions import Fraction


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def arguments(question):
    """Exact inputs ("16384/50000", "1e5") as the numbers a peer takes."""
    exact = {key: Fraction(value) for key, value in question.items() if key != "quantity"}
    numbers = {key: float(value) for key, value in exact.items()}
    return {**numbers, "quantity": question["quantity"], "steps": int(exact["steps"])}


def main():
    warnings.simplefilter("ignore")
    adapter = importlib.import_module(f"adapters.{sys.argv[1]}")
    report = {"start_up": cpu_seconds()}
    if len(sys.argv) > 2:
        question = arguments(json.loads(sys.argv[2]))
        try:
            report["answer"] = repr(float(adapter.answer(**question)))
        except MemoryError as error:
            report["error"], report["out_of_memory"] = f"MemoryError: {error}", True
        except Exception as error:  # Whatever a peer raises is its answer.
            report["error"] = f"{type(error).__name__}: {error}"
        report["cpu"] = cpu_seconds() - report["start_up"]
    print(json.dumps(report))


main()
