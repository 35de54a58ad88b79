"""Executes the notebooks of this folder. They are documentation, so an error in one, or another output than it shows, is a failure; `--write` keeps what they show
now, and writes their pages in the guide."""

import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def words(notebook: nbformat.NotebookNode) -> list[str]:
    """What its cells print, as text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.get("data", {}).get("text/plain", output.get("text", "")) for output in outputs]


def main() -> None:
    folder = Path(__file__).resolve().parent
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")]
    changed = []
    for path in sorted(folder.glob("*.ipynb")):
        if wanted and path.stem not in wanted:
            continue
        notebook = nbformat.read(path, as_version=4)
        before = words(notebook)
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
        if "--write" in sys.argv:
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
            nbformat.write(notebook, path)
        elif words(notebook) != before:
            changed.append(path.stem)
        print(f"{path.name}: {len(notebook.cells)} cells")
    if "--write" in sys.argv:
        subprocess.run([sys.executable, str(folder / "pages.py")], check=True)
    if changed:
        sys.exit(f"{', '.join(changed)}: other output than is shown; keep it with python/notebooks/run.py --write")


if __name__ == "__main__":
    main()
