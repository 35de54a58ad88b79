"""Certificates of all decided claims: how many there are, which claims have none, CPU time and sizes.

    python3 benches/certificates.py target/release/dpcmp INPUT…

Each INPUT is claim files, folders or lines that `dpcmp verify` reads, with commas between them. Exit code 1 if a certificate that was written is not accepted
when it is read again.
"""

import collections
import json
import os
import resource
import subprocess
import sys
import tempfile

SHOWN = 8


def run(program, *arguments):
    """What it prints, and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *arguments, "--format", "json", "--quiet"], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [json.loads(line) for line in done.stdout.splitlines()], seconds


def measured(program, names):
    """Verifies, certifies and checks; prints a paragraph; are all certificates accepted?"""
    _, verifying = run(program, "verify", *names, "--no-check")
    with tempfile.TemporaryDirectory() as folder:
        reports, all_of_it = run(program, "verify", *names, "--certificate", folder)
        answers, checking = run(program, "check", folder)
        sizes = sorted(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)) or [0]
    decided, certified, rest = 0, 0, collections.defaultdict(list)
    for report in reports:
        for number, claim in enumerate(report["claims"], 1):
            if claim["verdict"] == "undecided":
                continue
            decided += 1
            certificate = claim.get("certificate", {})
            if certificate.get("accepted"):
                certified += 1
                continue
            place = f"{os.path.basename(report['file'])}:{report['line']}" if "line" in report else os.path.basename(report["file"])
            rest[certificate.get("message", "?")].append(f"{place} claim {number}, {claim['kind']} {claim['verdict']}")
    accepted = sum(answer["accepted"] for answer in answers)
    print(f"{' '.join(names)}: {decided} decided, {certified} certified, {accepted} accepted when read again")
    print(f"  CPU: {verifying:.2f} s to verify, {all_of_it:.2f} s to verify, plan and check, {checking:.2f} s to check again")
    print(f"  bytes: {sizes[len(sizes) // 2]} in the middle, {sizes[-1]} at most, {sum(sizes)} in all")
    for why, claims in sorted(rest.items(), key=lambda one: -len(one[1])):
        print(f"  {len(claims)} without: {why}")
        for claim in claims[:SHOWN]:
            print(f"      {claim}")
        if len(claims) > SHOWN:
            print(f"      and {len(claims) - SHOWN} more")
    return accepted == certified


if __name__ == "__main__":
    # All of them, whatever the first says.
    results = [measured(sys.argv[1], names.split(",")) for names in sys.argv[2:]]
    sys.exit(0 if all(results) else 1)
