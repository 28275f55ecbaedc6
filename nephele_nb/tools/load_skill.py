"""load_skill: a skill's text for the rest of the round; it never follows one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import NepheleError, ToolError
from ..threads import in_thread
from .registry import Desk, Tool, make_tool

if TYPE_CHECKING:
    from ..skills import Skills


def load_skill(skills: Skills) -> Tool:
    """Return the tool over the agent's skills."""

    async def load_skill(name: str, desk: Desk) -> str:
        try:
            skill = await in_thread(skills.find, name.strip().removeprefix("/"))
        except NepheleError as error:
            raise ToolError(str(error)) from error
        return await in_thread(skill.text, desk.say.language)

    return make_tool(load_skill, "reads", parallel=True, category="skills")
