"""Goes over code and over the functions it calls, to a bounded depth; it never runs any of it."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..forms import failure
from .attributes import in_class
from .expressions import evaluate
from .report import Effects, Found
from .scope import Scope
from .source import definition, parse
from .statements import go, returned
from .values import ABSENT, Value, is_a

_DEEPEST = 5
_MOST_BODIES = 60
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def analyse(code: str, namespace: Mapping[str, Any] | None = None) -> Effects:
    """Return what code would do where ``namespace`` stands, by class of effect; nothing of the user's runs."""
    tree = parse(code)
    if tree is None:
        return Effects(unknown=("",))
    walk = _Walk(namespace if namespace is not None else {})
    walk.found.add("unknown", failure(lambda: go(walk, tree.body, walk.scope)))
    return walk.found.effects()


class _Walk:
    """One analysis under way."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        self.found = Found()
        self.scope = Scope(self.found, namespace)
        self._within: list[int] = []
        self._entered = 0

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """Return what is known of an expression's value."""
        return evaluate(self, node, scope)

    def text(self, code: str, scope: Scope) -> None:
        """Go over code that a magic would run."""
        tree = parse(code) if code.strip() else None
        if tree is not None:
            go(self, tree.body, scope)
        elif code.strip():
            self.found.add("unknown", code.strip()[:80])

    def enter(self, function: Value, args: Sequence[Value], words: Mapping[str, Value], code: str) -> Value:
        """Go over the body of what is called; where there is none to read, it is unknown."""
        if isinstance(function.node, ast.ClassDef):
            return self._make(function, args, words, code)
        if is_a(function.live, type):
            return self._make_live(function, args, words, code)
        live = function.live
        if is_a(live, types.MethodType):
            live = live.__func__
        node = function.node if isinstance(function.node, _Function) else None
        scope = function.scope.inner() if node is not None and function.scope is not None else None
        if node is None and is_a(live, types.FunctionType):
            node, scope = definition(live), self._home_of(live)
        if node is None or scope is None or len(self._within) >= _DEEPEST or self._entered >= _MOST_BODIES:
            self.found.add("unknown", code)
            return Value().of(*args, *words.values())
        if id(node) in self._within:
            return Value().of(*args, *words.values())
        given = [function.bound, *args] if function.bound is not None else list(args)
        return self._body(node, scope, given, words)

    def _body(self, node: _Function, scope: Scope, args: Sequence[Value], words: Mapping[str, Value]) -> Value:
        self._within.append(id(node))
        self._entered += 1
        self._give(node.args, scope, args, words)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, scope)
            go(self, node.body, scope)
        finally:
            self._within.pop()
        return returned(scope) or Value()

    def _home_of(self, function: types.FunctionType) -> Scope:
        """Return a new level above the function's own globals, with what it has closed over."""
        home = self.scope
        if function.__globals__ is not self.scope.space:
            home = Scope(self.found, function.__globals__, label=str(function.__globals__.get("__name__", "?")))
        inside = home.inner()
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            try:
                held = Scope(self.found, {name: cell.cell_contents}, label=function.__name__).read(name)
            except ValueError:
                continue
            inside.hold(name, held)
        return inside.inner()

    def _make(self, cls: Value, args: Sequence[Value], words: Mapping[str, Value], code: str) -> Value:
        assert isinstance(cls.node, ast.ClassDef)
        made = Value("instance", node=cls.node, scope=cls.scope).holding(*args, *words.values())
        found = False
        for node in cls.node.body:
            if isinstance(node, ast.FunctionDef) and node.name in ("__init__", "__new__", "__post_init__"):
                found = True
                self.enter(Value("callable", node=node, scope=cls.scope, bound=made), args, words, code)
        for base in cls.node.bases:
            value = self.value(base, cls.scope)
            if not found and (value.node is not None or (is_a(value.live, type) and value.live is not object)):
                self._inherit(value, args, words, code)
        return made

    def _inherit(self, base: Value, args: Sequence[Value], words: Mapping[str, Value], code: str) -> None:
        if base.node is not None or _has_own_start(base.live):
            self.enter(base, args, words, code)

    def _make_live(self, cls: Value, args: Sequence[Value], words: Mapping[str, Value], code: str) -> Value:
        made = Value().holding(*args, *words.values())
        for name in ("__new__", "__init__", "__post_init__"):
            start = in_class(cls.live, name)
            start = getattr(start, "__func__", start)
            generated = is_a(start, types.FunctionType) and start.__code__.co_filename == "<string>"
            if is_a(start, types.FunctionType) and not generated:
                self.enter(Value("callable", live=start, bound=made), args, words, code)
        return replace(made, live=ABSENT)

    def _give(self, parameters: ast.arguments, scope: Scope, args: Sequence[Value], words: Mapping[str, Value]) -> None:
        """Give the arguments of a call to the parameters; what is not given plainly may be any of them."""
        plain = (*parameters.posonlyargs, *parameters.args)
        rest = Value().of(*args[len(plain) :], *words.values())
        home = scope.parent or scope
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(parameters.defaults)) + [*parameters.defaults]
        pairs = [*zip(plain, defaults, strict=True), *zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)]
        for index, (part, default) in enumerate(pairs):
            if index < min(len(args), len(plain)):
                scope.hold(part.arg, args[index])
            elif part.arg in words:
                scope.hold(part.arg, words[part.arg])
            else:
                scope.hold(part.arg, rest if "**" in words or default is None else self.value(default, home))
        for extra, kind in ((parameters.vararg, "list"), (parameters.kwarg, "dict")):
            if extra is not None:
                scope.hold(extra.arg, Value(kind).holding(rest))


def _has_own_start(cls: Any) -> bool:
    return any(is_a(in_class(cls, name), types.FunctionType) for name in ("__init__", "__new__"))
