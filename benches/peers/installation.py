"""The virtual environment of the peers, and one line on the machine."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
REQUIREMENTS = HERE / "requirements.txt"
OLDEST_PYTHON = (3, 11)
VARIABLE = "PEERS_VENV"

_LIST_INSTALLED = (
    "import importlib.metadata as m, re, sys\n"
    "if sys.version_info < (3, 11): sys.exit(1)\n"
    "for d in m.distributions(): print(re.sub('[-_.]+', '-', d.metadata['Name']).lower() + '==' + d.version)"
)


def pinned() -> dict[str, str]:
    lines = (line.split("#")[0].strip() for line in REQUIREMENTS.read_text().splitlines())
    return dict(line.split("==") for line in lines if line)


def interpreter() -> Path:
    """The interpreter of the environment named by $PEERS_VENV (default target/peers-venv), made and filled where needed."""
    home = Path(os.environ.get(VARIABLE) or ROOT / "target" / "peers-venv").resolve()
    python = home / "bin" / "python"
    if python.exists() and _complete(python):
        return python
    if sys.version_info < OLDEST_PYTHON:
        sys.exit("the pinned versions of the peers need Python 3.11 or later")
    if not python.exists():
        print(f"creating a virtual environment in {_shown(home)}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    print(f"installing the peers (pinned in {_shown(REQUIREMENTS)})", file=sys.stderr)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "-r", str(REQUIREMENTS)]
    if subprocess.run(pip, stdout=sys.stderr).returncode != 0 or not _complete(python):
        sys.exit(f"the peers could not be installed; remove {_shown(home)} or set {VARIABLE} and try again")
    return python


def _complete(python: Path) -> bool:
    found = subprocess.run([str(python), "-c", _LIST_INSTALLED], capture_output=True, text=True)
    return found.returncode == 0 and {f"{name}=={version}" for name, version in pinned().items()} <= set(
        found.stdout.split()
    )


def _shown(path: Path) -> str:
    return os.path.relpath(path)


def machine(python: Path, ours: Path) -> str:
    """CPU, cores, kernel, Python and the versions that are compared."""
    versions = [_output([str(ours), "--version"]), f"Python {_output([str(python), '-V']).split()[-1]}"]
    versions += [f"{name} {version}" for name, version in pinned().items() if name not in ("attrs", "absl-py", "wrapt")]
    return f"{_cpu_model()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}; {', '.join(versions)}"


def _cpu_model() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        return found[1] if found else platform.machine()
    except OSError:
        return _output(["sysctl", "-n", "machdep.cpu.brand_string"]) or platform.machine()


def _output(argv) -> str:
    try:
        return subprocess.run(argv, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
