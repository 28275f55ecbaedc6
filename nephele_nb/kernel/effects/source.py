"""Reads code as IPython would: its tree, and the texts of its magics and shell lines; it never runs any."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType
from typing import Any

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
_LONGEST_SOURCE = 20_000


def parse(code: str) -> ast.Module | None:
    """Return the tree of plain or IPython code; None where it is neither."""
    return _tree(code) or _tree(_transformed(code))


def _tree(code: str) -> ast.Module | None:
    try:
        tree = compile(code, "<preview>", "exec", _FLAGS, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, ast.Module) else None


def _transformed(code: str) -> str:
    """Return the Python that IPython makes of magics and shell lines."""
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError:
        return code
    manager: Any = TransformerManager
    try:
        transformed: str = manager().transform_cell(code)
    except SyntaxError:
        return code
    return transformed


def definition(function: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None:
    """Return the tree of a function whose source is at hand; None otherwise, or where it can't be told which it is."""
    try:
        source = textwrap.dedent(inspect.getsource(function.__code__))
    except (OSError, TypeError, SyntaxError, IndexError):
        return None
    tree = _tree(source) if len(source) <= _LONGEST_SOURCE else None
    if tree is None:
        return None
    name = function.__code__.co_name
    if name == "<lambda>":
        lambdas = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
        return lambdas[0] if len(lambdas) == 1 else None
    first = tree.body[0] if tree.body else None
    found = isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef) and first.name == name
    return first if found else None  # type: ignore[return-value]
