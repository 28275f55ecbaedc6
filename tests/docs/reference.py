"""Writes docs/reference.md out of the code: settings, events, tools; ``make docs`` runs it and a test compares."""

from __future__ import annotations

import inspect
import re
import tempfile
import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from traitlets import Enum

from nephele_nb import events
from nephele_nb.agent import Agent
from nephele_nb.settings import Nephele

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"
HEAD = """# Reference

Written out of the code by `make docs`; a change by hand is lost.

- [Settings](#settings)
- [Events](#events)
- [Tools](#tools)
"""


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *settings(), *the_events(), *tools()])


def settings() -> Iterator[str]:
    """Yield the settings, each with the variable that sets it."""
    yield "## Settings\n"
    yield "Arguments of `nn.Agent`, `%config Nephele.NAME = …`, `c.Nephele.NAME` in IPython's configuration, or the"
    yield "variable of the environment.\n"
    yield "| setting | default | environment | meaning |\n|---|---|---|---|"
    for name, trait in sorted(Nephele.class_traits(config=True).items()):
        default = "" if trait.default_value in ("", None) else f"`{trait.default_value}`"
        values = ", ".join(f"`{value}`" for value in trait.values or () if value) if isinstance(trait, Enum) else ""
        words = cell(f"{trait.help}{f' One of {values}.' if values else ''}")
        yield f"| `{name}` | {default} | `{trait.metadata.get('env', f'NEPHELE_{name.upper()}')}` | {words} |"
    yield ""


def the_events() -> Iterator[str]:
    """Yield the events with their fields."""
    yield "## Events\n"
    yield "`nephele_nb.events`: frozen dataclasses. Each has a `kind` (the name of its class), the `round_id` and a"
    yield "`seq` that counts from 0 in each round; `to_dict()` gives strict JSON, `events.from_dict` takes it back.\n"
    for name in sorted(events.FIELDS):
        kind = getattr(events, name)
        yield f"### {name}\n\n{prose(inspect.getdoc(kind) or '')}\n"
        hints = typing.get_type_hints(kind)
        own = [f for f in fields(kind) if not f.kw_only]
        yield "".join(f"- `{f.name}`: {spelt(hints[f.name])}{default_of(f)}\n" for f in own)


def tools() -> Iterator[str]:
    """Yield the tools the model sees, as it is told of them in English."""
    yield "## Tools\n"
    yield "What the model may call. `reads` runs at once; `writes` and `runs` wait for your approval. Tools of the"
    yield "category *core* are always described to it, the others only by name, until it loads them.\n"
    with tempfile.TemporaryDirectory() as home:
        agent = Agent(home=home)
        for tool in agent.tools.values():
            spec = tool.spec("en")["function"]
            yield f"### {tool.name}\n\n*{tool.effect}*, category *{tool.category}*. {spec['description']}\n"
            parameters = spec["parameters"]
            required = parameters.get("required", [])
            for name, part in parameters.get("properties", {}).items():
                optional = "" if name in required else " (may be left out)"
                yield f"- `{name}`{optional}: {part.get('description', '')}"
            yield ""
        agent.close()


def spelt(hint: Any) -> str:
    """Return a type as a reader would write it."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return " or ".join(spelt(part) for part in typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(f'"{value}"' for value in typing.get_args(hint))
    if hint is type(None):
        return "None"
    name = str(hint) if typing.get_origin(hint) else hint.__name__
    return re.sub(r"\b(?:\w+\.)+", "", name)


def default_of(field: Any) -> str:
    """Return the default of a field in words; nothing where it has none or an empty one."""
    return f" = {field.default!r}" if field.default not in (MISSING, "", None) else ""


def cell(text: str) -> str:
    """Return a text that a table's cell can hold."""
    return text.replace("|", "\\|").replace("\n", " ")


def prose(text: str) -> str:
    """Return a docstring as markdown."""
    return text.replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
