"""A wait says so where it can't be answered by a click."""

from __future__ import annotations

from typing import Any

import pytest

from nephele_nb.run import Answer, undo_mark
from nephele_nb.types import Usage
from tests.kernel.conftest import open_notebook


def test_an_answer_shows_without_its_mark() -> None:
    answer = Answer(f"Done.{undo_mark('r1')}", [], Usage(), "r1", "answer")
    assert repr(answer) == "Done."
    assert answer._repr_markdown_() == "Done."


@pytest.mark.kernel
def test_a_wait_in_a_kernel_that_hears_no_clicks_says_what_to_do(no_profile_of_the_person: None) -> None:
    notebook: Any = open_notebook()
    try:
        notebook.ok(
            "import nephele_nb as nn, tempfile\n"
            "from nephele_nb.model.scripted import ScriptedModel\n"
            "model = ScriptedModel(['One.', 'Two.'], first_delay_s=0.5).start()\n"
            "agent = nn.Agent(base_url=model.base_url, embedder='none', home=tempfile.mkdtemp())\n"
            "agent._rounds._deaf = 'deaf_wait'"
        )
        cell = notebook.finish(
            notebook.send("run = agent.ask('x'); a = run.result(20), run.result(20)", allow_stdin=True)
        )
        shown = [c["data"]["text/plain"] for kind, c in cell.messages if kind == "display_data"]
        assert len(shown) == 1
        assert "ipykernel" in shown[0]
        headless = notebook.ok("a = agent.ask('x').result(20)")
        assert [kind for kind, _ in headless.messages if kind == "display_data"] == []
    finally:
        notebook.client.stop_channels()
        notebook.manager.shutdown_kernel(now=True)
