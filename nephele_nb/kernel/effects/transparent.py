"""Tells whether code does no more than its words say, so that a word for one may hold for another; it runs nothing.

The effects on a card are what can be read in the code. A function that is handed on, a method that an operator calls,
a body that runs later may do what was not read, so that only code without any of these counts as transparent.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from typing import Any

MODULES = frozenset(
    "collections datetime decimal fractions itertools json math matplotlib numpy pandas polars re scipy seaborn"
    " statistics string textwrap time".split()
)
"""Modules that do nothing by being imported; what their functions do stands among the effects."""
VALUES = frozenset("bool complex dict float frozenset int len list max min round set sorted str sum tuple".split())
"""Functions that may be handed on: they only look at what they are given."""
ATTRIBUTES = frozenset(
    "T columns dt dtype dtypes e flat imag inf index loc iloc month nan name names ndim pi real shape size str values"
    " year day date".split()
)
"""Attributes that may be handed on: they hold data."""
NEVER = frozenset(
    "__import__ breakpoint compile delattr eval exec getattr globals input locals query read_pickle setattr"
    " vars".split()
)
"""Functions and methods that run what stands in a text or a file."""
CALLERS = frozenset(
    "accumulate agg aggregate apply apply_along_axis applymap defaultdict dropwhile filter filterfalse fromfunction"
    " frompyfunc groupby map map_batches map_elements map_groups map_rows partial piecewise pipe reduce starmap sub"
    " subn submit takewhile transform vectorize".split()
)
"""Functions and methods that call what they are given."""
CALLED = frozenset("allow_pickle by callback converters default func initializer key object_hook target".split())
"""Arguments that are called, or let something be."""
LATER = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.With, ast.AsyncWith, ast.Await)


def transparent(code: str, namespace: Mapping[str, Any]) -> bool:
    """Return True where nothing in the code, over the names of ``namespace``, can do more than is read in it."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return False
    used = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    used |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return all(_is_plain(node, id(node) in used, namespace) for node in ast.walk(tree))


def _is_plain(node: ast.AST, used: bool, namespace: Mapping[str, Any]) -> bool:
    """``used``: it is what is called, or what an attribute is taken of, and its effects have been looked at."""
    match node:
        case ast.Import():
            return all(alias.name.partition(".")[0] in MODULES for alias in node.names)
        case ast.ImportFrom():
            return not node.level and (node.module or "").partition(".")[0] in MODULES
        case ast.Call():
            return _hands_on_nothing(node)
        case ast.Attribute(attr=name):
            return (
                name not in NEVER
                and not name.startswith("__")
                and (used or name in ATTRIBUTES or not isinstance(node.ctx, ast.Load))
            )
        case ast.Name(id=name, ctx=ast.Load()):
            handed = not used and (hasattr(builtins, name) or callable(namespace.get(name)))
            return name not in NEVER and (name in VALUES or not handed)
    return not isinstance(node, LATER)


def _hands_on_nothing(call: ast.Call) -> bool:
    """Tell whether a call gives no function on that could do anything."""
    if isinstance(call.func, ast.Name):
        name = call.func.id
    elif isinstance(call.func, ast.Attribute):
        name = call.func.attr
    else:
        return False
    given = [word.value for word in call.keywords if word.arg in CALLED]
    return all(map(_looks_only, [*given, *call.args] if name in CALLERS else given))


def _looks_only(node: ast.expr) -> bool:
    """Tell whether what is given is a text, a number, a list of these, or a function that only looks."""
    if isinstance(node, ast.List | ast.Tuple):
        return all(map(_looks_only, node.elts))
    plain = isinstance(node, ast.Constant) and node.value is not True
    return plain or (isinstance(node, ast.Name) and node.id in VALUES)
