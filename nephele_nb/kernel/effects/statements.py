"""Goes over statements in order, through every branch, and notes what they bind, change and delete."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .attributes import Walk
from .calls import call
from .catalogue import INSTALLERS, NETWORK_MODULES, PROCESS_MODULES, RUNNING_IMPORTS, TRUSTED
from .changes import change
from .expressions import assign, iterate
from .scope import Scope, either
from .values import ABSENT, FIXED, UNKNOWN, Value, loaded, of_live

_CHANGED_BY_OPERATOR = {"list", "dict", "set", "array", "frame", "bytearray", ""}


def go(walk: Walk, body: Sequence[ast.stmt], scope: Scope) -> None:
    """Go over statements in order."""
    for node in body:
        judge = _JUDGES.get(type(node))
        if judge is not None:
            judge(walk, node, scope)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    walk.value(child, scope)


def _ways(walk: Walk, bodies: Sequence[Sequence[ast.stmt]], scope: Scope) -> None:
    before = dict(scope.names)
    ends = []
    for body in bodies:
        scope.names = dict(before)
        go(walk, body, scope)
        ends.append(scope.names)
    scope.names = {}
    scope.join(before, ends)


def _expression(walk: Walk, node: Any, scope: Scope) -> None:
    walk.value(node.value, scope)
    if isinstance(node.value, ast.Name) and node.value.id in ("exit", "quit"):
        walk.found.add("ends", node.value.id)


def _assign(walk: Walk, node: Any, scope: Scope) -> None:
    value = walk.value(node.value, scope)
    for target in node.targets:
        assign(walk, target, value, scope)


def _annotated(walk: Walk, node: Any, scope: Scope) -> None:
    walk.value(node.annotation, scope)
    if node.value is not None:
        assign(walk, node.target, walk.value(node.value, scope), scope)


def _augmented(walk: Walk, node: Any, scope: Scope) -> None:
    added = walk.value(node.value, scope)
    if not isinstance(node.target, ast.Name):
        assign(walk, node.target, added, scope)
        return
    value = scope.read(node.target.id)
    if value.kind in _CHANGED_BY_OPERATOR:
        change(walk.found, value)
    scope.bind(node.target.id, replace(value, live=ABSENT, text=None).holding(added))


def _delete(walk: Walk, node: Any, scope: Scope) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.delete(target.id)
        elif isinstance(target, ast.Subscript):
            owner, key = walk.value(target.value, scope), walk.value(target.slice, scope)
            if owner.kind != "namespace":
                change(walk.found, owner)
            elif key.text is not None:
                walk.found.add("deletes", key.text)
            else:
                walk.found.add("unknown", ast.unparse(target))
        elif isinstance(target, ast.Attribute):
            change(walk.found, walk.value(target.value, scope))


def _for(walk: Walk, node: Any, scope: Scope) -> None:
    parts = iterate(walk, node.iter, scope)
    assign(walk, node.target, parts, scope)
    _ways(walk, [node.body, []], scope)
    go(walk, node.orelse, scope)


def _if(walk: Walk, node: Any, scope: Scope) -> None:
    walk.value(node.test, scope)
    _ways(walk, [node.body, node.orelse], scope)


def _while(walk: Walk, node: Any, scope: Scope) -> None:
    walk.value(node.test, scope)
    _ways(walk, [node.body, []], scope)
    go(walk, node.orelse, scope)


def _with(walk: Walk, node: Any, scope: Scope) -> None:
    for part in node.items:
        value = walk.value(part.context_expr, scope)
        if part.optional_vars is not None:
            assign(walk, part.optional_vars, value, scope)
    go(walk, node.body, scope)


def _try(walk: Walk, node: Any, scope: Scope) -> None:
    _ways(walk, [node.body, []], scope)
    for handler in node.handlers:
        if handler.type is not None:
            walk.value(handler.type, scope)
        if handler.name:
            scope.bind(handler.name, Value(FIXED))
    _ways(walk, [*(h.body for h in node.handlers), node.orelse], scope)
    go(walk, node.finalbody, scope)


def _function(walk: Walk, node: Any, scope: Scope) -> None:
    args = node.args
    annotations = [a.annotation for a in (*args.posonlyargs, *args.args, *args.kwonlyargs) if a.annotation]
    for part in (*args.defaults, *(d for d in args.kw_defaults if d is not None), *annotations):
        walk.value(part, scope)
    value = Value("callable", node=node, scope=scope)
    for decorator in reversed(node.decorator_list):
        value = _decorated(walk, decorator, value, scope)
    scope.bind(node.name, value)


def _decorated(walk: Walk, decorator: ast.expr, value: Value, scope: Scope) -> Value:
    """Judge a decorator as the call that it is; a known one leaves a function that does what it did."""
    before = walk.found.effects().unknown
    scope.hold("·", value)
    made = call(walk, ast.Call(decorator, [ast.Name("·", ast.Load())], []), scope)
    del scope.names["·"]
    return value if walk.found.effects().unknown == before else made


def _class(walk: Walk, node: Any, scope: Scope) -> None:
    bases = [walk.value(b, scope) for b in (*node.bases, *(k.value for k in node.keywords))]
    for base in bases:
        if base.kind == "dynamic":
            walk.found.add("unknown", f"class {node.name}")
    go(walk, node.body, scope.inner())
    for decorator in node.decorator_list:
        walk.value(decorator, scope)
    scope.bind(node.name, Value("class", node=node, scope=scope))


def _import(walk: Walk, node: Any, scope: Scope) -> None:
    for alias in node.names:
        _imported(walk, alias.name)
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        _bind_import(scope, alias.asname or dotted, _module(dotted))


def _import_from(walk: Walk, node: Any, scope: Scope) -> None:
    module = "." * node.level + (node.module or "")
    _imported(walk, module)
    for alias in node.names:
        if alias.name == "*":
            _star(walk, module, scope)
        else:
            _bind_import(scope, alias.asname or alias.name, _member(module, alias.name))


def _star(walk: Walk, module: str, scope: Scope) -> None:
    space = getattr(loaded(module), "__dict__", None)
    if space is None:
        walk.found.add("unknown", f"from {module} import *")
        return
    for name in space.get("__all__") or [n for n in space if not n.startswith("_")]:
        _bind_import(scope, name, _member(module, name))


def _module(dotted: str) -> Value:
    return Value("module", dotted=dotted, live=loaded(dotted))


def _member(module: str, name: str) -> Value:
    dotted = f"{module}.{name}"
    found = loaded(dotted)
    if found is ABSENT:
        return Value("name", dotted=dotted)
    value = of_live(found, TRUSTED)
    return value if value.kind == "module" else replace(value, dotted=dotted)


def _bind_import(scope: Scope, name: str, value: Value) -> None:
    if scope.parent is None and value.live is not ABSENT and scope.space.get(name, ABSENT) is value.live:
        return
    scope.bind(name, value)


def _imported(walk: Walk, module: str) -> None:
    """Note a module whose own code would run now, unless it is known to do nothing but define."""
    top = module.partition(".")[0]
    known = module in sys.modules or top in TRUSTED | INSTALLERS or top in NETWORK_MODULES or top in PROCESS_MODULES
    if top in RUNNING_IMPORTS or not (known or top in sys.stdlib_module_names):
        walk.found.add("unknown", f"import {module}")


def _return(walk: Walk, node: Any, scope: Scope) -> None:
    if node.value is not None:
        scope.returned.append(walk.value(node.value, scope))


def _declare(_walk: Walk, node: Any, scope: Scope) -> None:
    if isinstance(node, ast.Global):
        scope.declared.update(node.names)


def _match(walk: Walk, node: Any, scope: Scope) -> None:
    subject = walk.value(node.subject, scope)
    for case in node.cases:
        for part in ast.walk(case.pattern):
            name = getattr(part, "rest" if isinstance(part, ast.MatchMapping) else "name", None)
            if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping) and name:
                whole = isinstance(part, ast.MatchAs) and part is case.pattern
                scope.bind(name, subject if whole else UNKNOWN.of(subject))
            elif isinstance(part, ast.MatchValue):
                walk.value(part.value, scope)
            elif isinstance(part, ast.MatchClass):
                walk.value(part.cls, scope)
        if case.guard is not None:
            walk.value(case.guard, scope)
    _ways(walk, [*(case.body for case in node.cases), []], scope)


def returned(scope: Scope) -> Value | None:
    """Return what is known of what a function gave back, or None where it gave nothing."""
    return either(scope.returned) if scope.returned else None


_JUDGES: dict[type[ast.AST], Callable[[Walk, Any, Scope], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.If: _if,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Return: _return,
    ast.Global: _declare,
    ast.Nonlocal: _declare,
    ast.Match: _match,
}
