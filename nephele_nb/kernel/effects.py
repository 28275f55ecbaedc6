"""Says before a run what its code plainly does to the process; it never runs the code and never calls it safe."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

_ALWAYS = "Runs in your live kernel, where it can read and change anything you can."
_OPAQUE = "Can't tell what it does: it isn't plain Python."
_ENDS = {
    "os._exit", "os.abort", "os.kill", "os.killpg", "os.execl", "os.execle", "os.execlp", "os.execlpe", "os.execv",
    "os.execve", "os.execvp", "os.execvpe", "sys.exit", "exit", "quit", "signal.raise_signal", "faulthandler._sigsegv",
}  # fmt: skip
_HARMLESS = {"sys.exit", "exit", "quit"}


def preview(code: str) -> list[str]:
    """Return sentences for the approval card: what ends the kernel, shell commands, and what always holds."""
    tree = _parse(code)
    if tree is None:
        return [_OPAQUE, _ALWAYS]
    aliases = dict(_aliases(tree))
    names = list(dict.fromkeys(aliases.get(n, n) for n in _calls(tree, aliases)))
    found = [
        f"{name} asks the kernel to end; that is refused." if name in _HARMLESS else f"{name} can end the kernel."
        for name in names
        if name in _ENDS
    ]
    found += [f"Runs a shell command: {text}" for text in dict.fromkeys(_shell_lines(tree))]
    return [*found, _ALWAYS]


def _parse(code: str) -> ast.Module | None:
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
    for text in (code, None):
        try:
            tree = compile(_transformed(code) if text is None else text, "<preview>", "exec", flags)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(tree, ast.Module):
            return tree
    return None


def _transformed(code: str) -> str:
    """Return the Python that IPython makes of magics and shell lines."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return code
    manager: Any = TransformerManager
    transformed: str = manager().transform_cell(code)
    return transformed


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.asname, a.name) for a in node.names if a.asname)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((a.asname or a.name, f"{node.module}.{a.name}") for a in node.names)


def _calls(tree: ast.Module, aliases: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            head, _, rest = ast.unparse(node.func).partition(".")
            yield ".".join(filter(None, (aliases.get(head, head), rest)))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Name):
            yield node.value.id


def _shell_lines(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        on_shell = ast.unparse(node.func.value) == "get_ipython()"
        words = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if on_shell and node.func.attr in ("system", "getoutput") and words:
            yield words[0]
        elif on_shell and node.func.attr == "run_cell_magic" and words and words[0] in ("bash", "sh", "script"):
            yield f"%%{words[0]}"
