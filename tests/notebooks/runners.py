"""What runs a notebook where nobody looks: each command, what it said, and the notebook it wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[2]
RUNNERS = {
    "execute": "-m jupyter execute talk.ipynb --output=done.ipynb --timeout=60",
    "nbconvert": "-m jupyter nbconvert --to notebook --execute talk.ipynb --output done.ipynb "
    "--ExecutePreprocessor.timeout=60",
    "papermill": "-m papermill talk.ipynb done.ipynb --no-progress-bar --execution-timeout 60",
    "nbval": "-m pytest --nbval-lax talk.ipynb -q -p no:cacheprovider --nbval-cell-timeout=20 --rootdir=.",
}


def write(path: Path, *cells: str) -> None:
    """Write a notebook of code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def run(runner: str, folder: Path, **env: str) -> tuple[subprocess.CompletedProcess[str], Any]:
    """Run ``talk.ipynb`` of a folder; what the command said, and the notebook it wrote, if it did."""
    environ = os.environ | {"PYTHONPATH": str(ROOT), "NEPHELE_HOME": str(folder / "home")} | env
    environ.pop("PYTEST_CURRENT_TEST", None)
    command = [sys.executable, *RUNNERS[runner].split()]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, timeout=180, check=False)
    written = folder / "done.ipynb"
    return done, nbformat.read(written, as_version=4) if written.exists() else None


def execute(folder: Path, *cells: str, **env: str) -> tuple[subprocess.CompletedProcess[str], Any]:
    """Run a notebook of these cells by ``jupyter execute``."""
    write(folder / "talk.ipynb", *cells)
    return run("execute", folder, **env)


def shown(notebook: Any, index: int) -> str:
    """Return what a cell shows, as text."""
    parts = []
    for output in notebook.cells[index].outputs:
        data = output.get("data", {})
        parts.append(output.get("text", "") or data.get("text/markdown", data.get("text/plain", "")))
    return "".join(parts)
