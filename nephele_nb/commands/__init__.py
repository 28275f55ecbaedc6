"""The product's own commands, as tools that rules call and the model never sees; they decide nothing themselves."""

from __future__ import annotations

from ..tools.registry import Toolbox
from .listing import count_items, list_items, show_stats
from .names import Names
from .switches import Controls, Surface, clear, close_view, set_mode, set_tier, show_help, show_status, stop, undo
from .tables import count_rows, show_rows, table_schema, table_shape


def commands(controls: Controls, names: Names) -> Toolbox:
    """Return the commands over an agent, and over what bears a name."""
    box = Toolbox()
    for tool in (
        undo(controls),
        stop(controls),
        clear(controls),
        set_mode(controls),
        set_tier(controls),
        show_help(),
        show_status(controls),
        close_view(),
        list_items(controls),
        count_items(controls),
        show_stats(controls),
        table_schema(names),
        show_rows(names),
        table_shape(names),
        count_rows(names),
    ):
        box.put(tool)
    return box


__all__ = ["Controls", "Names", "Surface", "commands"]
