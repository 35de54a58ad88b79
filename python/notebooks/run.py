"""Executes the notebooks of this folder. They are documentation, so an error in one is a failure; `--write` keeps what they show."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main() -> None:
    folder = Path(__file__).resolve().parent
    wanted = [name for name in sys.argv[1:] if not name.startswith("--")]
    for path in sorted(folder.glob("*.ipynb")):
        if wanted and path.stem not in wanted:
            continue
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
        if "--write" in sys.argv:
            for cell in notebook.cells:
                cell.metadata.pop("execution", None)
            notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
            nbformat.write(notebook, path)
        print(f"{path.name}: {len(notebook.cells)} cells")


if __name__ == "__main__":
    main()
