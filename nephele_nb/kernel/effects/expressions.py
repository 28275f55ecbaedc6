"""What an expression's value is, and what its parts do when they are evaluated; it never evaluates one."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .attributes import Walk, attribute, item
from .calls import call
from .changes import change
from .scope import Scope, either
from .values import FIXED, PLAIN, UNKNOWN, Value


def evaluate(walk: Walk, node: ast.expr, scope: Scope) -> Value:
    """Return what is known of an expression's value."""
    judge = _JUDGES.get(type(node))
    if judge is not None:
        return judge(walk, node, scope)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            walk.value(child, scope)
    return PLAIN


def assign(walk: Walk, target: ast.expr, value: Value, scope: Scope) -> None:
    """Give a value to what stands left of ``=``: a name is bound, anything else is changed."""
    if isinstance(target, ast.Name):
        scope.bind(target.id, value)
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            assign(walk, part, item(value, UNKNOWN), scope)
    elif isinstance(target, ast.Starred):
        assign(walk, target.value, Value("list").holding(value), scope)
    elif isinstance(target, ast.Attribute):
        owner = walk.value(target.value, scope)
        change(walk.found, owner if owner.roots or owner.kind != "module" else attribute(walk, owner, target.attr))
        if owner.kind == "module":
            walk.found.add("changes", f"{owner.dotted}.{target.attr}")
    elif isinstance(target, ast.Subscript):
        owner, key = walk.value(target.value, scope), walk.value(target.slice, scope)
        if owner.kind != "namespace":
            change(walk.found, owner)
        elif key.text is not None:
            walk.found.add("writes", key.text)
        else:
            walk.found.add("unknown", ast.unparse(target))


def iterate(walk: Walk, source: ast.expr, scope: Scope) -> Value:
    """Return what is known of the parts of what is gone through; an iterator is used up by it."""
    value = walk.value(source, scope)
    if value.kind == "iterator":
        change(walk.found, value)
    return item(value, UNKNOWN)


def _constant(_walk: Walk, node: Any, _scope: Scope) -> Value:
    return Value(FIXED, live=node.value, text=node.value if isinstance(node.value, str) else None)


def _name(_walk: Walk, node: Any, scope: Scope) -> Value:
    return scope.read(node.id)


def _named(walk: Walk, node: Any, scope: Scope) -> Value:
    value = walk.value(node.value, scope)
    scope.bind(node.target.id, value)
    return value


def _attribute(walk: Walk, node: Any, scope: Scope) -> Value:
    return attribute(walk, walk.value(node.value, scope), node.attr)


def _subscript(walk: Walk, node: Any, scope: Scope) -> Value:
    base, key = walk.value(node.value, scope), walk.value(node.slice, scope)
    if base.kind == "namespace":
        return scope.outermost.read(key.text) if key.text else Value("dynamic")
    return item(base, key)


def _lambda(_walk: Walk, node: Any, scope: Scope) -> Value:
    return Value("callable", node=node, scope=scope)


def _literal(kind: str) -> Callable[[Walk, Any, Scope], Value]:
    def judge(walk: Walk, node: Any, scope: Scope) -> Value:
        parts = [walk.value(e, scope) for e in node.elts]
        return Value(kind).holding(*parts)

    return judge


def _dict(walk: Walk, node: Any, scope: Scope) -> Value:
    parts = [walk.value(e, scope) for e in (*node.keys, *node.values) if e is not None]
    return Value("dict").holding(*parts)


def _comprehension(kind: str) -> Callable[[Walk, Any, Scope], Value]:
    def judge(walk: Walk, node: Any, scope: Scope) -> Value:
        inside = scope.inner(comprehension=True)
        for part in node.generators:
            value = iterate(walk, part.iter, inside)
            for name in (n for n in ast.walk(part.target) if isinstance(n, ast.Name)):
                inside.hold(name.id, value)
            for test in part.ifs:
                walk.value(test, inside)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return Value(kind).holding(*(walk.value(p, inside) for p in parts))

    return judge


def _operation(walk: Walk, node: Any, scope: Scope) -> Value:
    left, right = walk.value(node.left, scope), walk.value(node.right, scope)
    if "path" in (left.kind, right.kind) and isinstance(node.op, ast.Div):
        known = left.text is not None and right.text is not None
        return Value("path", text=f"{left.text}/{right.text}" if known else None)
    if isinstance(node.op, ast.Add) and left.text is not None and right.text is not None:
        return Value(FIXED, text=left.text + right.text)
    for kind in ("frame", "array", "list", "dict", "set"):
        if kind in (left.kind, right.kind):
            return Value(kind).holding(*([left, right] if kind in ("list", "dict", "set") else []))
    return Value(left.kind if left.kind == right.kind else "")


def _either(walk: Walk, node: Any, scope: Scope) -> Value:
    if isinstance(node, ast.IfExp):
        walk.value(node.test, scope)
        return either([walk.value(node.body, scope), walk.value(node.orelse, scope)])
    return either([walk.value(v, scope) for v in node.values])


def _inner(walk: Walk, node: Any, scope: Scope) -> Value:
    return walk.value(node.value, scope) if node.value is not None else PLAIN


def _yield(walk: Walk, node: Any, scope: Scope) -> Value:
    value = _inner(walk, node, scope)
    scope.returned.append(Value("iterator").holding(value))
    return PLAIN


def _yield_from(walk: Walk, node: Any, scope: Scope) -> Value:
    return iterate(walk, node.value, scope)


def _formatted(walk: Walk, node: Any, scope: Scope) -> Value:
    texts = [walk.value(v, scope).text for v in node.values]
    return Value(FIXED, text="".join(t for t in texts if t is not None) if None not in texts else None)


def _field(walk: Walk, node: Any, scope: Scope) -> Value:
    value = walk.value(node.value, scope)
    if node.format_spec is not None:
        walk.value(node.format_spec, scope)
    return replace(PLAIN, text=value.text)


_JUDGES: dict[type[ast.AST], Callable[[Walk, Any, Scope], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.NamedExpr: _named,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Lambda: _lambda,
    ast.List: _literal("list"),
    ast.Set: _literal("set"),
    ast.Tuple: _literal(FIXED),
    ast.Dict: _dict,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.DictComp: _comprehension("dict"),
    ast.GeneratorExp: _comprehension("iterator"),
    ast.BinOp: _operation,
    ast.BoolOp: _either,
    ast.IfExp: _either,
    ast.Await: _inner,
    ast.Starred: _inner,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.JoinedStr: _formatted,
    ast.FormattedValue: _field,
    ast.Call: call,
}
