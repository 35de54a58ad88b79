"""The notebooks as chapters of the guide, with what they show: `pages.py` writes them, `pages.py --check` says whether they are current.

Nothing is executed: `run.py --write` does that first. Only Python's own library is needed.
"""

import json
import sys
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parent
GUIDE = NOTEBOOKS.parent.parent / "docs" / "guide" / "src"


def text(lines: Any) -> str:
    """A text, which notebooks keep as a list of lines."""
    return lines if isinstance(lines, str) else "".join(lines)


def shown(output: dict[str, Any], picture: str) -> tuple[str, str | None]:
    """An output as Markdown, and the picture that goes beside it, if it is one."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        words = text(data.get("text/plain", "a picture")).translate(str.maketrans("", "", "<>[]"))
        return f"![{words}](pictures/{picture})", text(data["image/svg+xml"]).rstrip("\n") + "\n"
    if "text/html" in data:
        return text(data["text/html"]), None
    words = text(data["text/plain"] if "text/plain" in data else output.get("text", ""))
    return f"```text\n{words.rstrip()}\n```", None


def page(path: Path) -> dict[Path, str]:
    """The files that a notebook becomes."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    parts, files = [], {}
    for cell in cells:
        source = text(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            name = f"notebook-{path.stem}-{len(files) + 1}.svg"
            words, picture = shown(output, name)
            parts.append(words)
            if picture is not None:
                files[GUIDE / "pictures" / name] = picture
    made = f"<!-- Made from python/notebooks/{path.name} by python/notebooks/pages.py. -->"
    files[GUIDE / f"notebook-{path.stem}.md"] = "\n\n".join([made, *parts]) + "\n"
    return files


def main() -> None:
    wanted: dict[Path, str] = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        wanted |= page(path)
    there = {*GUIDE.glob("notebook-*.md"), *GUIDE.glob("pictures/notebook-*.svg")}
    stale = sorted(path for path in there | set(wanted) if path not in wanted or path not in there or path.read_text(encoding="utf-8") != wanted[path])
    if "--check" in sys.argv:
        if stale:
            names = ", ".join(path.name for path in stale)
            sys.exit(f"stale chapters of the guide: {names}; write them with python/notebooks/pages.py")
        return
    for path in stale:
        if path in wanted:
            path.parent.mkdir(exist_ok=True)
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()


if __name__ == "__main__":
    main()
