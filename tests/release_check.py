"""Checks what is to be published: builds it twice, and runs notebooks from the wheel alone, on every Python there is.

Run by ``make release-check``; it takes several minutes and reaches the package index. One more environment holds the
oldest versions that the package says it runs with.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.wheel_check import ROOT, build, copy_sources, try_out

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NOTEBOOKS = ("01_quickstart.ipynb", "05_approve_edit_undo.ipynb")


def oldest() -> list[str]:
    """Return the oldest versions of what the package depends on, as pip wants them pinned."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pins = []
    for wanted in project["dependencies"]:
        name, version = re.match(r"([\w.-]+)>=([\d.]+)", wanted).groups()  # type: ignore[union-attr]
        parts = version.split(".")
        pins.append(f"{name}=={version}" if len(parts) > 2 else f"{name}=={'.'.join([*parts, '0'][:2])}.*")
    return pins


def environments() -> Iterator[tuple[str, str, list[str]]]:
    """Yield a name, a Python, and what is pinned, for each environment to try."""
    yield f"Python {sys.version_info[0]}.{sys.version_info[1]}, oldest versions", sys.executable, oldest()
    for version in PYTHONS:
        python = shutil.which(f"python{version}")
        works = python and subprocess.run([python, "--version"], capture_output=True, check=False).returncode == 0
        if python and works:
            yield f"Python {version}", python, []


def built_again(folder: Path) -> list[str]:
    """Build wheel and source archive twice, in one place; return what differs.

    Leave the first of them in ``folder / "one"``. In another place the front end's files get other names: its bundler
    takes them from paths.
    """
    made: list[dict[str, bytes]] = []
    origin, place = folder / "origin", folder / "place"
    copy_sources(origin)
    for turn in ("one", "two"):
        place.mkdir()
        command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(place)]
        subprocess.run(command, cwd=origin, env=os.environ | {"SKIP_JUPYTER_BUILDER": "1"}, check=True)
        build(place, origin)
        (folder / turn).mkdir()
        for path in [p for p in place.iterdir() if p.is_file()]:
            shutil.move(path, folder / turn / path.name)
        shutil.rmtree(place)
        made.append({p.name: p.read_bytes() for p in (folder / turn).iterdir()})
    return [name for name in made[0] if made[0][name] != made[1].get(name)]


def main() -> int:
    """Check all and say how it went."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wrong = [f"{name} differs from build to build" for name in built_again(folder)]
        print("\n".join(wrong) or "wheel and source archive: the same from build to build", flush=True)  # noqa: T201
        (wheel,) = (folder / "one").glob("*.whl")
        for number, (name, python, pins) in enumerate(environments()):
            own = folder / str(number)
            own.mkdir()
            fault = try_out(own, python, wheel, NOTEBOOKS, pins)
            print(f"{name}: {fault or 'ran ' + ', '.join(NOTEBOOKS)}", flush=True)  # noqa: T201
            wrong += [fault] if fault else []
            shutil.rmtree(own)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
