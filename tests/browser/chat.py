"""The chat as a person meets it in a notebook: found by role and words, typed into, clicked; it asserts nothing."""

from __future__ import annotations

import json
import re
from typing import Any

from playwright.sync_api import Locator

from tests.browser.lab import Notebook

START = """
import nephele_nb as nn
from nephele_nb.model.scripted import Call, Scene, ScriptedModel, Step

def code(text, **more):
    return Step(calls=[Call("run_python", {"code": text, "description": "Count to see."})], **more)

model = ScriptedModel([SCRIPT], MODEL).start()
agent = nn.Agent(base_url=model.base_url, model="scripted", embedder="none", AGENT)
"""

WAIT_FOR_FILE = """
import pathlib, time
until = time.monotonic() + 60
while not pathlib.Path({name!r}).exists() and time.monotonic() < until:
    time.sleep(0.02)
ended = pathlib.Path({name!r}).exists()
pathlib.Path({name!r}).unlink(missing_ok=True)
print("went on" if ended else "gave up")
"""


def agent_cell(script: str, *, model: str = "", agent: str = "", last: str = "agent") -> str:
    """Return a cell that makes an agent over a script, given as Python, and ends with the line ``last``."""
    made = START.replace("SCRIPT", script).replace("MODEL", model or "delay_s=0").replace("AGENT", agent)
    return f"{made}{last}"


def waiting_cell(name: str) -> str:
    """Return a cell that keeps the kernel busy until a file of this name is there, then prints ``went on``."""
    return WAIT_FOR_FILE.format(name=name)


def value_of(notebook: Notebook, expression: str) -> Any:
    """Return a value of the kernel, by way of a new cell and JSON."""
    added = notebook.add(f"import json; print(json.dumps({expression}))")
    notebook.run(added)
    return json.loads(notebook.output(added).inner_text())


class Chat:
    """The chat under one cell of a notebook, or wherever else it stands."""

    def __init__(self, notebook: Notebook, where: int | Locator = 0) -> None:
        self.notebook = notebook
        self.view = notebook.cell(where).locator(".nph") if isinstance(where, int) else where
        self.box = self.view.locator("form.nph-composer textarea")
        self.rounds = self.view.get_by_role("article")
        self.cards = self.view.locator(".nph-tool")
        self.answer = self.view.locator(".nph-reply > .nph-markdown").last
        self.ending = self.view.locator(".nph-ending").last
        self.asked = self.view.get_by_role("alertdialog", name=re.compile("^May I"))
        code = self.asked.get_by_role("textbox", name=re.compile("Code to run"))
        self.editor = code.and_(self.view.locator(".cm-content"))
        self.approve = self.asked.get_by_role("button", name=re.compile("^Approve(?! for)"))
        self.reject = self.asked.get_by_role("button", name="Reject")
        self.reason = self.asked.get_by_role("textbox", name=re.compile("Reason"))
        self.stop = self.view.get_by_role("button", name="Stop")

    def ask(self, text: str) -> None:
        """Type a message and send it with Enter."""
        self.box.fill(text)
        self.box.press("Enter")

    def type_code(self, text: str) -> None:
        """Type over the proposed code, key by key; the editor indents new lines by itself."""
        self.editor.click()
        self.editor.press("ControlOrMeta+a")
        self.notebook.page.keyboard.type(text)

    def code(self) -> str:
        """Return what stands in the editor."""
        return "\n".join(self.editor.locator(".cm-line").all_text_contents())

    def outputs(self, card: int = -1) -> Locator:
        """Return what a card shows of its code's outputs."""
        return self.cards.nth(card).locator(".nph-outputs")

    def unfold(self, card: int = -1) -> Locator:
        """Open a card's folded part; returns the card."""
        found = self.cards.nth(card)
        found.locator("summary").first.click()
        return found
