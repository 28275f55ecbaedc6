"""The words the model gets: system prompt, tool descriptions, enveloped results; it never calls the model.

All text comes from ``prompts/*.md``. The system prompt stays the same within a conversation, and a result keeps the
nonce it was enveloped with, so a provider's prompt cache keeps its prefix.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from secrets import token_hex

from .strings import Language, Strings
from .types import Hit, Message, Mode


@dataclass(frozen=True, slots=True)
class Wording:
    """What a tool is called to the model: its description, and a line for each parameter."""

    description: str
    parameters: dict[str, str]


@dataclass(frozen=True, slots=True)
class Standing:
    """What outlasts a conversation: the index of memory cards, how many it has no room for, the skills' catalogue."""

    cards: str = ""
    left_out: int = 0
    skills: str = ""


def system_prompt(
    mode: Mode, language: Language, started: float, max_steps: int, standing: Standing = Standing()
) -> str:
    """Return the system prompt of a loop; ``started`` is when the conversation began, in Unix seconds."""
    extra = {"agent": "mode_agent", "research": "mode_research"}.get(mode)
    return _fill(
        _text(f"system.{language}"),
        mode=_fill(_text(f"{extra}.{language}"), max_steps=str(max_steps)) if extra else "",
        memory=_memory(standing, language) if standing.cards or mode == "agent" else "",
        skills=_fill(_text(f"skills.{language}"), catalogue=standing.skills)
        if standing.skills and mode == "agent"
        else "",
        started=_moment(started),
    )


def subagent_prompt(language: Language, started: float) -> str:
    """Return the system prompt of a sub-agent; ``started`` is when the conversation began, in Unix seconds."""
    return _fill(_text(f"subagent.{language}"), started=_moment(started))


def chat_messages(question: str, hits: Sequence[Hit], language: Language) -> list[Message]:
    """Return the messages of plain chat: one question and the numbered passages to answer it from.

    How to cite is said once more at the end, where a small model still minds it.
    """
    passages = "\n\n".join(f"[{n}] {hit.title}\n{hit.text}" for n, hit in enumerate(hits, 1))
    asked = f"{envelope(passages, 'passages')}\n\n{question}\n\n{_text(f'chat_reminder.{language}').strip()}"
    return [
        {"role": "system", "content": _text(f"chat.{language}")},
        {"role": "user", "content": asked},
    ]


def user_turn(text: str, now: float, skill: str = "", variables: Sequence[str] = ()) -> str:
    """Return the user's message with this round's time and variables in a marked block before it, for good.

    ``skill`` is what a skill that comes into the round says, already ``skill_block``.
    """
    clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    return "\n".join(["<round-context>", clock, *variables, "</round-context>", f"{skill}{text}"])


def skill_block(name: str, text: str) -> str:
    """Return a skill's text in a marked block of ours, which it can't close."""
    inside = re.sub(r"</(?=\s*skill)", "<\u200b/", text, flags=re.IGNORECASE)
    return f'<skill name="{name}">\n{inside}\n</skill>\n'


def envelope(text: str, label: str) -> str:
    """Return ``text`` between two marks that carry a random word which the text doesn't hold."""
    nonce = token_hex(6)
    while nonce in text:
        nonce = token_hex(6)
    return f"<<{label} {nonce}>>\n{text}\n<<end {nonce}>>"


def wording(language: Language) -> dict[str, Wording]:
    """Return the description of each built-in tool by name."""
    return sections("tools", language)


@cache
def sections(name: str, language: Language) -> dict[str, Wording]:
    """Return the sections of a prompt file by their headings: what stands there, and its ``- name: text`` lines."""
    found: dict[str, Wording] = {}
    for section in re.split(r"(?m)^## ", _text(f"{name}.{language}"))[1:]:
        heading, _, body = section.partition("\n")
        lines = body.strip().splitlines()
        pairs = [line[2:].split(": ", 1) for line in lines if line.startswith("- ")]
        prose = " ".join(line for line in lines if line and not line.startswith("- "))
        found[heading.strip()] = Wording(prose, dict(pairs))
    return found


def _moment(when: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(when)).strip()


def _memory(standing: Standing, language: Language) -> str:
    say = Strings(language)
    more = say("cards_left_out", count=standing.left_out) if standing.left_out else ""
    cards = "\n".join(part for part in (standing.cards, more) if part)
    return _fill(_text(f"memory.{language}"), cards=cards or say("no_cards"))


def _fill(template: str, **values: str) -> str:
    """Fill in each ``{name}`` once: what is filled in is never a template itself."""
    return re.sub(r"\{(\w+)\}", lambda m: values.get(m[1], m[0]), template)


@cache
def _text(name: str) -> str:
    return files("nephele_nb").joinpath("prompts", f"{name}.md").read_text("utf-8").rstrip("\n") + "\n"
