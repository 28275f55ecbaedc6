"""What ``value.name`` and ``value[key]`` are, before the code runs; it never asks the object itself."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from .catalogue import TRUSTED
from .report import Found
from .scope import Scope
from .values import ABSENT, FIXED, LIBRARY, PLAIN, UNKNOWN, Value, is_a, loaded, of_live

_KEPT = {"frame", "array", "path", LIBRARY, "session", "database", FIXED}


class Walk(Protocol):
    """What goes over the code: values of expressions, bodies of functions that are called."""

    found: Found

    def value(self, node: ast.expr, scope: Scope) -> Value: ...

    def enter(self, function: Value, args: Sequence[Value], words: Mapping[str, Value], code: str) -> Value: ...

    def text(self, code: str, scope: Scope) -> None: ...


def attribute(walk: Walk, base: Value, attr: str) -> Value:
    """Return what is known of an attribute."""
    if base.kind == "class" and isinstance(base.node, ast.ClassDef):
        return _of_definition(base, attr) or replace(UNKNOWN, bound=base, attr=attr)
    if base.kind == "instance" and isinstance(base.node, ast.ClassDef):
        found = _of_definition(base, attr)
        part = Value("", base.roots, base.inner).of(base)
        return replace(found, bound=base) if found else replace(part, bound=base, attr=attr)
    if base.kind in ("module", "callable", "name"):
        return _of_name(base, attr)
    if base.live is not ABSENT and base.kind == "":
        found = _of_live(walk, base, attr)
        if found is not None:
            return found
    return _of_kind(base, attr)


def _of_definition(base: Value, attr: str) -> Value | None:
    assert isinstance(base.node, ast.ClassDef)
    for node in base.node.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == attr:
            return Value("callable", node=node, scope=base.scope)
    return None


def _of_name(base: Value, attr: str) -> Value:
    dotted = f"{base.dotted}.{attr}"
    found = loaded(dotted) if base.kind != "callable" else ABSENT
    if found is ABSENT and is_a(base.live, type):
        found = in_class(base.live, attr)
        found = getattr(found, "__func__", found) if type(found) in (staticmethod, classmethod) else found
    if found is ABSENT:
        return Value("name", roots=base.roots, dotted=dotted, bound=base, attr=attr)
    value = of_live(found, TRUSTED)
    if value.kind == "module":
        return value
    return replace(value, dotted=dotted, roots=base.roots)


def in_class(cls: type, attr: str) -> Any:
    """Return what a class or one of its bases holds under a name, as it is, or ABSENT."""
    for level in type.__dict__["__mro__"].__get__(cls):
        space = type.__dict__["__dict__"].__get__(level)
        if attr in space:
            return space[attr]
    return ABSENT


def _of_live(walk: Walk, base: Value, attr: str) -> Value | None:
    """Look in the object's own dictionary, then in its classes, as Python would but without descriptors."""
    member = in_class(type(base.live), attr)
    if type(member) is property and is_a(member.fget, types.FunctionType):
        return walk.enter(Value("callable", live=member.fget, bound=base), (), {}, attr)
    try:
        own = object.__getattribute__(base.live, "__dict__")
    except AttributeError:
        own = {}
    if type(own) is dict and attr in own:
        return of_live(own[attr], TRUSTED).of(base)
    member = getattr(member, "__func__", member) if type(member) in (staticmethod, classmethod) else member
    if is_a(member, types.FunctionType):
        return Value("callable", dotted=f"{base.dotted}.{attr}".strip("."), live=member, bound=base)
    return None


def _of_kind(base: Value, attr: str) -> Value:
    kind = base.kind if base.kind in _KEPT else ""
    if kind == "path" and attr != "parent":
        kind = FIXED
    dotted = f"{base.dotted}.{attr}" if base.dotted else ""
    return Value(kind, base.all_roots, dotted=dotted, bound=base, attr=attr)


def item(base: Value, key: Value) -> Value:
    """Return what is known of a part of a value; of an ABSENT key's, of any of its parts."""
    live = base.live
    if type(live) is dict and key.live is not ABSENT and type(key.live) in (str, int) and key.live in live:
        return of_live(live[key.live], TRUSTED).of(base)
    if type(live) in (list, tuple, dict) and live:
        parts = list(live.values())[:20] if type(live) is dict else list(live[:20])
        if len({type(p) for p in parts}) == 1:
            return replace(of_live(parts[0], TRUSTED), live=ABSENT, text=None).of(base)
    kind = base.kind if base.kind in ("frame", "array", LIBRARY) else ""
    if base.text is not None or type(live) in (str, bytes, range):
        return PLAIN
    return Value(kind, base.all_roots)
