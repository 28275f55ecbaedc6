"""What a view may ask of its agent, one function a type of message (js/src/shared/protocol.ts); it holds nothing.

Each takes the face that heard the message and the message. It runs on whatever thread brought it, so what may take
long or wait is handed to ``face.later``; what goes wrong is told in the view by the face.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .commands.report import taken_back
from .completing import choices
from .errors import NepheleError
from .export import NAMES, approved_cells, report
from .intake import Intake
from .intake import running as taking_in
from .pages import page
from .rules import FORCE
from .threads import in_thread

if TYPE_CHECKING:
    from .face import Face

Content = Mapping[str, Any]


def ask(face: Face, content: Content) -> None:
    """Begin a round, in the place of another where one is named, or tell the running one what was said meanwhile."""
    agent, text = face.agent, str(content.get("text", ""))
    again = str(content.get("instead") or "")
    # Pictures themselves, and never a path: a view names no files of this machine.
    images = [i for i in content.get("images") or () if isinstance(i, str) and i.startswith("data:image/")]
    running = next((run for run in agent.runs if not run.done), None)
    try:
        # What is said meanwhile has no pictures: a message with some waits its turn.
        if running is not None and not images and not again:
            running.steer(text)
        elif text.strip():
            research = bool(content.get("research"))
            edited = bool(content.get("edited"))
            instead, kept = agent.conversation.replaced(again, edited)
            under_way = [run.round_id for run in agent.runs if not run.done and again in run.instead]
            if under_way and not edited:
                return  # pressed twice, or in two views
            instead |= dict.fromkeys(under_way, "edited")
            if again and not edited and agent.conversation.finish(again) != "rule":
                text = f"{FORCE} {text}"  # a model answered, so a rule shall not now
            mode = None if research else content.get("mode")
            agent.ask(text, mode=mode, research=research, images=[*kept, *images], instead=instead)
    except NepheleError as error:
        face.tell(str(error))


def put_in_context(face: Face, content: Content) -> None:
    """Take a round out of what the model gets, or put it back."""
    try:
        face.agent.conversation.put(str(content.get("round_id")), bool(content.get("in_context")), face.say)
    except NepheleError as error:
        face.tell(str(error))
    else:
        face.agent.tell()


def choose(face: Face, content: Content) -> None:
    """Take another tier or mode from the next message on; a tier that nobody answers on is told, and not taken."""
    agent = face.agent
    try:
        if tier := content.get("tier"):
            agent.endpoint_of(str(tier))
            agent.settings.set("tier", tier)
        if mode := content.get("mode"):
            agent.settings.set("mode", mode)
    except NepheleError as error:
        face.tell(str(error))
    else:
        agent.tell()


def stop(face: Face, content: Content) -> None:
    """Stop the agent."""
    face.agent.stop()


def decide(face: Face, content: Content) -> None:
    """Decide an approval; ``code`` is None where it is approved as proposed."""
    wanted = content.get("approval_id")
    found = next((a for run in face.agent.runs for a in run.pending if a.id == wanted), None)
    ok, message = False, ""
    try:
        if found is not None and content.get("action") == "approve":
            ok = found.approve(content.get("code"), for_round=content.get("for_round") is True)
        elif found is not None:
            ok = found.reject(str(content.get("reason") or ""))
    except TypeError as error:
        message = str(error)
    if not ok:
        message = message or face.say("decided_already")
    face.send({"type": "decided", "approval_id": wanted, "ok": ok, "message": message})


def run_again(face: Face, content: Content) -> None:
    """Ask once more about a call that nobody decided on."""
    wanted = str(content.get("approval_id"))
    try:
        if not any(run.again == wanted and not run.done for run in face.agent.runs):  # pressed in two views
            face.agent.run_again(wanted)
    except NepheleError as error:
        face.tell(str(error))


def open_page(face: Face, content: Content) -> None:
    """Read what is to be opened and send it as a page."""
    face.later(_opened(face, content))


async def _opened(face: Face, wanted: Content) -> None:
    face.send({"type": "page", "page": await in_thread(page, face.agent, wanted, face.say)})


async def _after(face: Face, content: Content) -> None:
    """Open what a message wants to see once it is done."""
    wanted = content.get("after")
    if isinstance(wanted, Mapping):
        await _opened(face, wanted)


def add_files(face: Face, content: Content) -> None:
    """Take in the file or folder whose path a person typed into this view, and tell how it goes."""
    path = str(content.get("path", "")).strip()
    if not path or taking_in(face.agent) is not None:
        face.tell(face.say("intake_running" if path else "intake_path"))
        return
    intake = Intake(face.agent, path, lambda step: face.agent.bridge.post(face.send, step), face.say)

    async def taken_in() -> None:
        await in_thread(intake.run)
        face.tell()

    face.later(taken_in())


def cancel_add(face: Face, content: Content) -> None:
    """End the taking-in of files, whichever view began it."""
    intake = taking_in(face.agent)
    if intake is not None:
        intake.cancel()


def forget(face: Face, content: Content) -> None:
    """Delete a memory card, as a round of its own that can be undone."""

    async def forgotten() -> None:
        memory, wanted = face.agent.memory, str(content.get("id"))
        title = (await in_thread(memory.read, wanted)).title
        await in_thread(memory.delete, wanted)
        face.tell(face.say("card_forgotten", title=title))
        await _after(face, content)

    face.later(forgotten())


def complete(face: Face, content: Content) -> None:
    """Send what the word being typed may become."""
    prefix = str(content.get("prefix", ""))

    async def completed() -> None:
        found = await in_thread(choices, face.agent, prefix, face.say)
        face.send({"type": "choices", "prefix": prefix, "choices": found})

    face.later(completed())


def cancel_task(face: Face, content: Content) -> None:
    """Cancel one sub-agent."""
    for run in face.agent.runs:
        run.cancel(str(content.get("task_id")))


def undo(face: Face, content: Content) -> None:
    """Take a round back and tell how it went."""

    async def undone() -> None:
        try:
            # It may have to wait for the main thread, and whoever hears a view must go on hearing.
            report = await in_thread(face.agent.undo, str(content.get("round_id")))
            notice = "\n".join(taken_back(report, face.say))
        except NepheleError as error:
            notice = str(error)
        face.tell(notice)
        await _after(face, content)

    face.later(undone())


def export(face: Face, content: Content) -> None:
    """Send the approved code as cells, or write the conversation in a form to a file and tell where it is."""
    form = content.get("form")

    async def exported() -> None:
        if form == "cells":
            face.send({"type": "cells", "cells": await in_thread(approved_cells, face.agent)})
        elif form in NAMES:
            try:
                face.tell(await in_thread(report, face.agent, None, form))
            except NepheleError as error:
                face.tell(str(error))

    face.later(exported())


WISHES: dict[Any, Callable[[Face, Content], None]] = {
    "ask": ask,
    "context": put_in_context,
    "set": choose,
    "stop": stop,
    "decide": decide,
    "run_again": run_again,
    "open": open_page,
    "add": add_files,
    "cancel_add": cancel_add,
    "forget": forget,
    "complete": complete,
    "cancel_task": cancel_task,
    "undo": undo,
    "export": export,
}
