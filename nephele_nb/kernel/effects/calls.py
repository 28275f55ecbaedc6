"""What one call does, by who is called; what is known of by no table and no source is unknown."""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import files
from .attributes import Walk, attribute
from .catalogue import (
    CHANGES_FIRST,
    CHANGES_STATE,
    EFFECTS_BY_NAME,
    ENDS,
    FETCHER,
    HARMLESS_OF_NETWORK,
    HARMLESS_OF_PROCESSES,
    INSTALLS,
    NETWORK_MODULES,
    OPENS,
    PROCESS_MODULES,
    PROCESSES,
    PURE_MODULES,
    READER,
    TRUSTED,
    WRITER,
)  # fmt: skip
from .changes import change, change_by_words
from .magics import magic, shell
from .method_calls import method
from .methods import CONSUMES, MADE
from .report import Found
from .scope import Scope
from .values import ABSENT, FIXED, LIBRARY, UNKNOWN, Value, is_a

_HOLDERS = set(
    "list dict set tuple sorted zip map filter enumerate reversed iter next max min vars getattr copy.copy "
    "collections.deque collections.OrderedDict itertools.chain numpy.asarray numpy.ravel numpy.reshape numpy.transpose "
    "numpy.squeeze numpy.atleast_1d numpy.frombuffer collections.defaultdict dataclasses.replace functools.partial "
    "operator.getitem operator.itemgetter typing.cast itertools.islice anext".split()
)
_TARGET_SECOND = {"os.rename", "os.replace", "os.renames", "joblib.dump", "torch.save", "urllib.request.urlretrieve"}
_PART_GIVERS = {"next", "anext", "max", "min", "vars", "getattr", "operator.getitem", "typing.cast", "numpy.asarray",
                "numpy.ravel", "numpy.reshape", "numpy.transpose", "numpy.squeeze"}  # fmt: skip
_BUILT_IN = {*vars(builtins), "display"}
_CALLERS = {"map", "filter", "functools.reduce", "functools.partial", "threading.Thread", "asyncio.to_thread"}
_NAMESPACES = {"globals", "vars", "locals"}


def call(walk: Walk, node: ast.Call, scope: Scope) -> Value:
    """Judge one call, its arguments included, and return what is known of its result."""
    if isinstance(node.func, ast.Attribute):
        target = attribute(walk, walk.value(node.func.value, scope), node.func.attr)
    else:
        target = walk.value(node.func, scope)
    args = [walk.value(a.value if isinstance(a, ast.Starred) else a, scope) for a in node.args]
    words = {k.arg or "**": walk.value(k.value, scope) for k in node.keywords}
    if target.dotted.startswith("get_ipython.") or _of_shell(target):
        return _of_ipython(walk, target.attr or target.dotted.rpartition(".")[2], args, scope)
    if target.node is None and target.bound is not None and target.live is ABSENT and target.kind != "name":
        return method(walk, target.bound, target.attr, node, args, words)
    change_by_words(walk.found, None, words)
    return _function(walk, target, node, args, words, scope)


def _of_shell(target: Value) -> bool:
    return target.bound is not None and target.bound.dotted == "get_ipython()"


def _of_ipython(walk: Walk, name: str, args: Sequence[Value], scope: Scope) -> Value:
    texts = [a.text or "" for a in args]
    if name in ("system", "getoutput", "getoutput_err") and texts:
        shell(walk.found, texts[0])
        return Value("list")
    if name in ("run_line_magic", "run_cell_magic") and len(texts) >= 2:
        body = texts[2] if name == "run_cell_magic" and len(texts) > 2 else None
        magic(walk.found, texts[0], texts[1], body, lambda code: walk.text(code, scope))
    elif name in ("run_cell", "ex", "ev", "run_code", "magic"):
        walk.found.add("unknown", f"get_ipython().{name}")
    return UNKNOWN


def _function(
    walk: Walk, target: Value, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value], scope: Scope
) -> Value:
    name, code = target.dotted, files.brief(node.func)
    if target.node is not None or _is_code_of_user(target):
        result = walk.enter(target, args, words, code)
        _enter_callables(walk, args, words)
        return result
    if name == "get_ipython":
        return Value("", dotted="get_ipython()")
    if name in _NAMESPACES and not args:
        return Value("namespace", dotted=name)
    if name in ("getattr", "setattr", "delattr") and len(args) >= 2:
        return _by_attribute(walk, name, args, code)
    known = _by_name(walk.found, name, node, args, words)
    known = _by_module(walk.found, name, node, args, words) or known
    if name in CONSUMES:
        for value in args:
            if value.kind == "iterator":
                change(walk.found, value)
    called = [*args[:1], *([words["target"]] if "target" in words else [])]
    if not known or (name in _CALLERS and any(v.kind in ("", "dynamic") for v in called)):
        walk.found.add("unknown", code)
    _enter_callables(walk, args, words)
    return _result(name, args, words)


def _is_code_of_user(target: Value) -> bool:
    """Tell whether a live function or class has its source here rather than in a library that is known."""
    if target.live is ABSENT:
        return False
    if not is_a(target.live, types.FunctionType | type | types.MethodType):
        return False
    module = getattr(target.live, "__module__", "") if not is_a(target.live, type) else _module_of(target.live)
    top = str(module or "").partition(".")[0]
    return top == "__main__" or not (
        top in TRUSTED or top in PURE_MODULES or top in sys.stdlib_module_names or _is_of(target.dotted,
        NETWORK_MODULES)
        or _is_of(target.dotted, PROCESS_MODULES) or _is_of(str(module), NETWORK_MODULES)
        or target.dotted in _LISTED
    )  # fmt: skip


def _module_of(cls: type) -> str:
    return str(type.__dict__["__dict__"].__get__(cls).get("__module__", ""))


_LISTED = frozenset().union(*(names for names, _ in EFFECTS_BY_NAME))


def _is_of(name: str, modules: frozenset[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[: n + 1]) in modules for n in range(len(parts) - 1))


def _by_attribute(walk: Walk, name: str, args: Sequence[Value], code: str) -> Value:
    owner, attr = args[0], args[1].text
    if name != "getattr":
        change(walk.found, owner)
        return UNKNOWN
    if attr is None:
        return Value("dynamic").of(owner)
    return attribute(walk, owner, attr)


def _by_name(found: Found, name: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]) -> bool:
    """Note what a table says of a function; False where none knows it."""
    where, value = files.named(node, args, words)
    if name in OPENS:
        mode = words.get("mode") or words.get("flags") or (args[1] if len(args) > 1 else None)
        files.opens(found, where, value, mode)
        return True
    if name == "sqlite3.connect":
        if where != ":memory:":
            files.writes(found, where, value)
        return True
    known = False
    for names, effect in EFFECTS_BY_NAME:
        if name not in names:
            continue
        known = True
        if effect in ("files_read", "files_written"):
            _file_of(found, name, effect, node, args, words)
        elif effect == "processes":
            files.command(found, node, args)
        elif effect == "network":
            found.add("network", where or name)
        else:
            found.add(effect, name if name in ENDS or name in INSTALLS else files.brief(node.func))
    if name in CHANGES_FIRST and args:
        change(found, args[0])
        return True
    if name in CHANGES_STATE:
        found.add("changes", CHANGES_STATE[name])
        return True
    return known


def _file_of(
    found: Found, name: str, effect: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]
) -> None:
    position = 1 if name.startswith("shutil.copy") or name in _TARGET_SECOND else 0
    if effect == "files_read":
        where, value = files.named(node, args, words)
        files.reads(found, where or name, value)
    else:
        where, value = files.named(node, args, words, position)
        files.writes(found, where or name, value)


def _by_module(found: Found, name: str, node: ast.Call, args: Sequence[Value], words: Mapping[str, Value]) -> bool:
    """Note what a function does by the module it is of and by its own name."""
    top, last = name.partition(".")[0] if "." in name else "", name.rpartition(".")[2]
    where, value = files.named(node, args, words)
    if _is_of(name, PROCESS_MODULES) and name not in HARMLESS_OF_PROCESSES:
        files.command(found, node, args)
        return True
    if _is_of(name, NETWORK_MODULES):
        if name not in HARMLESS_OF_NETWORK and not last[:1].isupper():
            found.add("network", where or name)
        return True
    if name in PROCESSES or name.startswith("get_ipython"):
        return True
    if top in TRUSTED:
        if FETCHER.match(last):
            found.add("network", where or name)
        elif READER.match(last) and (args or words) and not last.startswith("read_sql"):
            files.reads(found, where, value)
        elif WRITER.search(last) and (args or words):
            files.writes(found, where or name, value)
        elif last in ("sql", "query", "execute") and top == "duckdb":
            files.query(found, args[0].text if args else None, "", (), files.brief(node))
        return True
    return top in PURE_MODULES or (not top and name in _BUILT_IN)


def _enter_callables(walk: Walk, args: Sequence[Value], words: Mapping[str, Value]) -> None:
    """Look into functions that are handed on, as whoever takes them may call them."""
    given = [*args, *words.values()]
    shared = Value().of(*given)
    for value in given:
        if value.kind == "callable" and (value.node is not None or _is_code_of_user(value)):
            walk.enter(value, [shared] * 4, {}, value.dotted or "lambda")


def _result(name: str, args: Sequence[Value], words: Mapping[str, Value]) -> Value:
    top = name.partition(".")[0] if "." in name else ""
    if name in MADE:
        kind = MADE[name]
    elif top == "numpy":
        kind = "array"
    elif top == "pandas":
        kind = "frame"
    elif top in TRUSTED or (top and top in PURE_MODULES):
        kind = LIBRARY
    else:
        kind = FIXED if not top and name else ""
    text = args[0].text if args and kind in ("path", "database", "file") else None
    if kind == "database" and text is None and args:
        text = "?"
    made = Value(kind, text=None if text == ":memory:" else text)
    if name in _PART_GIVERS:
        return replace(Value().of(*args), kind=kind if top == "numpy" else "")
    return made.holding(*args, *words.values()) if name in _HOLDERS else made
