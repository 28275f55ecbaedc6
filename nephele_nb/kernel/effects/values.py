"""What is known of a value before the code runs: its kind, and whose data it may share; it never touches the value.

A kind is a word for how values of a type behave: ``list``, ``frame``, ``path`` and so on; ``""`` is unknown.
"""

from __future__ import annotations

import ast
import sys
import types
from dataclasses import dataclass, replace
from typing import Any

ABSENT: Any = object()
FIXED = "fixed"
"""The kind of what can't change: numbers, text, tuples of such."""
LIBRARY = "library"
"""The kind of an object of a library that is trusted to do no more than its method names say."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """``roots`` are names of the user's that it may be, or be a part of; ``inner`` those whose parts it may hold.

    ``dotted`` is where a module keeps it, ``live`` the object itself where it stands already, ``text`` a string that is
    known, ``node`` a function or class that the code itself defines, with the ``scope`` it was met in. ``bound`` and
    ``attr`` say what it is an attribute of.
    """

    kind: str = ""
    roots: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    dotted: str = ""
    live: Any = ABSENT
    text: str | None = None
    node: ast.AST | None = None
    scope: Any = None
    bound: Value | None = None
    attr: str = ""

    @property
    def all_roots(self) -> frozenset[str]:
        """The names that a change of it, or of anything in it, may reach."""
        return self.roots | self.inner

    def of(self, *others: Value) -> Value:
        """Return it as a part of others."""
        return replace(self, roots=self.roots.union(*(o.all_roots for o in others)))

    def holding(self, *others: Value) -> Value:
        """Return it as holding others, or parts of them."""
        return replace(self, inner=self.inner.union(*(o.all_roots for o in others)))


UNKNOWN = Value()
PLAIN = Value(FIXED)

_KINDS = {
    "list": "list", "dict": "dict", "set": "set", "bytearray": "bytearray", "collections.deque": "list",
    "collections.OrderedDict": "dict", "collections.defaultdict": "dict", "collections.Counter": "dict",
    "os._Environ": "dict", "array.array": "list", "pandas.DataFrame": "frame", "pandas.core.frame.DataFrame": "frame",
    "pandas.Series": "frame", "pandas.core.series.Series": "frame", "numpy.ndarray": "array",
    "sqlite3.Connection": "database", "sqlite3.Cursor": "database", "duckdb.DuckDBPyConnection": "database",
    "_duckdb.DuckDBPyConnection": "database", "generator": "iterator", "list_iterator": "iterator",
    "map": "iterator", "filter": "iterator", "zip": "iterator", "enumerate": "iterator",
    "io.StringIO": "buffer", "io.BytesIO": "buffer", "_io.StringIO": "buffer", "_io.BytesIO": "buffer",
    "_io.TextIOWrapper": "file", "_io.BufferedWriter": "file", "_io.BufferedReader": "file",
    "_io.BufferedRandom": "file", "_io.FileIO": "file", "requests.sessions.Session": "session",
    "httpx.Client": "session", "httpx.AsyncClient": "session", "random.Random": "generator",
    "numpy.random._generator.Generator": "generator", "subprocess.Popen": "process",
}  # fmt: skip
_PLACES = {
    "posix": "os", "nt": "os", "posixpath": "os.path", "ntpath": "os.path", "_io": "io", "builtins": "",
    "_pickle": "pickle", "_socket": "socket",
}  # fmt: skip
"""Where modules that stand behind others are documented."""
_FIXED_TYPES = (
    type(None), bool, int, float, complex, str, bytes, tuple, frozenset, range, slice, type(Ellipsis),
)  # fmt: skip


def of_live(value: Any, trusted: frozenset[str]) -> Value:
    """Return what is known of a live object, read from its type alone."""
    kind = type(value)
    text = value if kind is str else None
    if kind in _FIXED_TYPES:
        return Value(FIXED, live=value, text=text)
    if kind is types.ModuleType:
        return Value("module", dotted=module_name(value), live=value)
    if issubclass(kind, types.FunctionType | types.BuiltinFunctionType | type):
        return Value("callable", dotted=dotted_name(value), live=value)
    name = type_name(kind)
    if name.startswith("pathlib."):
        return Value("path", live=value, text=str(value))
    known = _KINDS.get(name) or (LIBRARY if name.partition(".")[0] in trusted else "")
    return Value(known, live=value)


def type_name(kind: type) -> str:
    """Return a type's name with its module, read from the type itself; of a built-in one the bare name."""
    module = type.__dict__["__module__"].__get__(kind)
    name = type.__dict__["__qualname__"].__get__(kind)
    return name if type(module) is not str or module == "builtins" else f"{module}.{name}"


def module_name(module: types.ModuleType) -> str:
    """Return a module's name, read without asking the module."""
    name = types.ModuleType.__getattribute__(module, "__dict__").get("__name__")
    return _PLACES.get(name, name) if type(name) is str else ""


def dotted_name(value: Any) -> str:
    """Return where a function or class is defined, by the name the documentation gives it."""
    if issubclass(type(value), type):
        module = type.__dict__["__dict__"].__get__(value).get("__module__")
        name = type.__dict__["__qualname__"].__get__(value)
    else:
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if type(module) is not str or type(name) is not str:
        owner = getattr(value, "__self__", None)
        return f"{module_name(owner)}.{name}" if type(owner) is types.ModuleType else str(name)
    module = _PLACES.get(module, module)
    return f"{module}.{name}".lstrip(".")


def is_a(value: Any, kinds: type | types.UnionType) -> bool:
    """Tell whether a live object is of a type; ``isinstance`` could ask the object, and so run code of the user's."""
    return issubclass(type(value), kinds)


def loaded(dotted: str) -> Any:
    """Return what stands under a dotted name in modules that are loaded already, or ABSENT."""
    module, _, rest = dotted, "", ""
    while module and module not in sys.modules:
        module, _, last = module.rpartition(".")
        rest = f"{last}.{rest}" if rest else last
    found: Any = sys.modules.get(module, ABSENT)
    for name in rest.split(".") if rest else ():
        if type(found) is not types.ModuleType:
            return ABSENT
        found = types.ModuleType.__getattribute__(found, "__dict__").get(name, ABSENT)
    return found
