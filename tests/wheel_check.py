"""Builds a wheel from the tracked files on a PATH without Node, looks inside, and runs the quickstart from it alone.

Run by ``make wheel-check``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NODE_COMMANDS = {"node", "nodejs", "npm", "npx", "corepack", "yarn", "pnpm"}
EXTENSION = "data/share/jupyter/labextensions/nephele-nb"
WANTED = (
    "nephele_nb/py.typed",
    "nephele_nb/static/widget.js",
    "nephele_nb/static/editor.js",
    "nephele_nb/static/math.js",
    "nephele_nb/strings/en.json",
    "nephele_nb/strings/zh.json",
    f"{EXTENSION}/package.json",
    f"{EXTENSION}/install.json",
)

BESIDE = ("pandas", "matplotlib")
"""What the notebooks use beside the package."""


def copy_sources(target: Path) -> None:
    """Copy what git tracks or would track, so that nothing built comes along."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def path_without_node(folder: Path) -> str:
    """Fill a folder with links to every command on PATH but Node's and this environment's; returns it."""
    folder.mkdir()
    own = Path(sys.prefix).resolve()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        if place.is_dir() and not place.resolve().is_relative_to(own):
            for command in place.iterdir():
                link = folder / command.name
                if command.name not in NODE_COMMANDS and not link.is_symlink():
                    link.symlink_to(command)
    return str(folder)


def build(folder: Path, origin: Path | None = None) -> Path:
    """Build the wheel in a folder, of a copy of ``origin`` or of ours; raises CalledProcessError if that fails."""
    sources = folder / "sources"
    if origin is not None:
        shutil.copytree(origin, sources)
    else:
        copy_sources(sources)
    path = path_without_node(folder / "bin")
    if any(shutil.which(name, path=path) for name in NODE_COMMANDS):
        raise RuntimeError(f"{path} still holds Node; the check would prove nothing.")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(folder), str(sources)]
    subprocess.run(command, env=os.environ | {"PATH": path}, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def complaints(wheel: Path) -> list[str]:
    """Return what the wheel lacks, or holds and shouldn't, in words."""
    names = zipfile.ZipFile(wheel).namelist()
    missing = [f"{name} is missing" for name in WANTED if not any(n.endswith(name) for n in names)]
    prompts = [n for n in names if n.startswith("nephele_nb/prompts/") and n.endswith(".md")]
    tracked = list((ROOT / "nephele_nb" / "prompts").glob("*.md"))
    missing += [f"{len(tracked) - len(prompts)} prompts are missing"] if len(prompts) != len(tracked) else []
    return missing + [
        f"{n} doesn't belong there" for n in names if n.startswith(("tests/", "js/")) or "node_modules" in n
    ]


def try_out(folder: Path, python: str, wheel: Path, notebooks: Sequence[str], pins: Sequence[str] = ()) -> str:
    """Install the wheel and nothing of ours beside it, run the notebooks; return what went wrong, if anything."""
    commands = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    (folder / "pins.txt").write_text("\n".join(pins), "utf-8")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "NEPHELE_", "PYTHON"))}
    env |= {"NEPHELE_HOME": str(folder / "home"), "PATH": f"{commands}{os.pathsep}{env['PATH']}"}
    steps = [
        [python, "-m", "venv", str(folder / "venv")],
        [str(commands / "python"), "-m", "pip", "install", "-q", "-c", str(folder / "pins.txt"), str(wheel), *BESIDE],
        *([str(commands / "jupyter"), "execute", name] for name in notebooks),
    ]
    for step in steps:
        done = subprocess.run(step, cwd=folder / "notebooks", env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"{' '.join(step[1:])}:\n{done.stderr[-3000:]}"
    return ""


def main() -> int:
    """Build, look, and say."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        wrong = complaints(wheel)
        print("\n".join(wrong) or f"{wheel.name}: {wheel.stat().st_size // 1024} kB, complete, built without Node")  # noqa: T201
        fault = try_out(Path(folder), sys.executable, wheel, ["01_quickstart.ipynb"])
        print(fault or "the quickstart ran from the wheel, in an environment of its own")  # noqa: T201
        wrong += [fault] if fault else []
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
