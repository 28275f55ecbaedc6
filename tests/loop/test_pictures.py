"""Pictures go with a message to models that take them; to others in words, and no conversation is lost over them."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import nephele_nb as nn
from nephele_nb.errors import SettingError
from nephele_nb.events import RoundStart
from nephele_nb.model.scripted import Call, ScriptedModel, Step
from nephele_nb.twin import markdown
from nephele_nb.types import ToolResult
from tests.images.painting import quarters, saved
from tests.loop.providers import SESSION
from tests.loop.session import Session

Start = Callable[..., Session]
PLAIN = saved(quarters(), "PNG")
MOVING = saved(quarters(), "GIF", save_all=True, append_images=[Image.new("RGB", (64, 32), "red")])


def urls(body: Any) -> list[str]:
    """Return the pictures of a request."""
    parts = [p for m in body["messages"] if isinstance(m["content"], list) for p in m["content"]]
    return [p["image_url"]["url"] for p in parts if p["type"] == "image_url"]


def refusing(when: Callable[[Any], bool], words: str, status: int = 400) -> Callable[[Any], str | None]:
    def rule(body: Any) -> str | None:
        return words if when(body) else None

    rule.status = status  # type: ignore[attr-defined]
    return rule


def refused(s: Session) -> int:
    return len([r for r in s.model.requests if r.broke is not None])


def ask(s: Session, text: str, **more: Any) -> str:
    return s.agent.ask(text, **more).result(60).text


def test_a_picture_goes_with_its_message_and_stays_with_it(session: Start, tmp_path: Path) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(PLAIN)
    s = session(["Blue.", "Still blue."])
    s.ask("What is top left?", images=[path, quarters()])
    s.ask("Sure?")
    first, second = (urls(body) for body in s.bodies)
    assert len(first) == 2
    assert first == second
    with Image.open(io.BytesIO(base64.b64decode(first[0].removeprefix("data:image/jpeg;base64,")))) as image:
        assert image.size == (64, 32)
    text = s.bodies[0]["messages"][1]["content"][0]["text"]
    assert text.endswith("What is top left?\n\n[pictures: photo.png (64×32), the picture (64×32)]")


def test_neither_history_nor_journal_nor_events_hold_the_bytes(session: Start) -> None:
    s = session(["Seen."])
    run, _ = s.ask("What is this?", images=[Image.effect_noise((900, 900), 99)])
    kept = (s.agent.home / "journal" / "images").stat()
    assert kept.st_nlink
    journal = s.agent.journal.path.read_text("utf-8")
    assert len(journal) < 5000
    assert "base64" not in journal + str(s.agent.history) + str([e.to_dict() for e in run.events])
    assert isinstance(run.events[0], RoundStart)
    assert "the picture (900×900)" in run.events[0].text
    assert "the picture (900×900)" in markdown(run.events)


def test_a_reopened_conversation_still_has_its_pictures_and_says_which_are_gone(session: Start) -> None:
    s = session(["Seen."])
    s.ask("What is this?", images=PLAIN)
    s.ask("And this?", images=quarters().resize((10, 10)))
    sent = urls(s.bodies[1])
    s.agent.close()
    for file in sorted((s.agent.home / "journal" / "images").iterdir()):
        if base64.b64encode(file.read_bytes()).decode() in sent[0]:
            file.unlink()
    again = nn.Agent(
        base_url=s.model.base_url, model=s.model.model, home=s.agent.home, library=s.agent.library, namespace={},
        conversation="talk",
    )  # fmt: skip
    again.ask("Again?").result(60)
    again.close()
    assert urls(s.bodies[2]) == sent[1:]
    assert "no longer there" in str(s.bodies[2]["messages"])


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("unknown variant `image_url`, expected `text`", 400),
        ("This model does not support image input", 404),
        ("messages[1].content must be a string", 422),
        ("Invalid type for 'messages[0].content': expected a string, got an array", 400),
        ("Bad Request", 400),
        ("", 415),
    ],
)
def test_an_endpoint_that_takes_no_pictures_loses_no_conversation(session: Start, words: str, status: int) -> None:
    rule = refusing(lambda body: bool(urls(body)), words, status)
    s = session(["Described.", "Next."], rules=(*SESSION, rule))
    answer = ask(s, "What is this?", images=[PLAIN])
    assert answer.startswith("Described.")
    assert "takes no pictures" in answer
    assert ask(s, "more") == "Next."
    assert refused(s) == 1
    assert "a picture is left out" in str(s.bodies[-1]["messages"])
    assert "What is this?" in str(s.bodies[-1]["messages"])


def test_an_endpoint_that_breaks_on_pictures_without_a_word_loses_no_conversation(session: Start) -> None:
    rule = refusing(lambda body: bool(urls(body)), "internal error", 500)
    s = session(["Next.", "And next."], rules=(*SESSION, rule))
    assert s.agent.ask("What is this?", images=[PLAIN]).result(60).finish == "error"
    assert [ask(s, "more"), ask(s, "and more")] == ["Next.", "And next."]
    assert refused(s) == 2
    assert "What is this?" in str(s.bodies[-1]["messages"])


def test_an_endpoint_that_is_out_of_order_for_once_still_gets_pictures(session: Start) -> None:
    down = refusing(lambda body: len(s.model.requests) == 1, "internal error", 500)
    s = session(["Seen."], rules=(down, *SESSION))
    assert s.agent.ask("What is this?", images=[PLAIN]).result(60).finish == "error"
    assert ask(s, "again", images=[PLAIN]).startswith("Seen.")
    assert len(urls(s.bodies[-1])) == 2


def test_a_refusal_of_pictures_inside_a_success_loses_no_conversation(session: Start) -> None:
    error = {"error": {"message": "This model does not support image input", "code": 400}}
    s = session([Step(raw=f"data: {json.dumps(error)}\n\n".encode()), "Next."])
    assert s.agent.ask("What is this?", images=[PLAIN]).result(60).finish == "error"
    assert ask(s, "more") == "Next."
    assert [len(urls(body)) for body in s.bodies] == [1, 0]


def test_a_refusal_that_was_not_about_pictures_costs_none(session: Start) -> None:
    s = session(["Seen."], rules=(refusing(lambda body: len(s.model.requests) < 3, "no luck"), *SESSION))
    run = s.agent.ask("What is this?", images=[PLAIN])
    assert run.result(60).finish == "error"
    assert ask(s, "again").startswith("Seen.")
    assert len(urls(s.bodies[-1])) == 1


def test_a_moving_picture_goes_as_it_is_and_as_a_still_only_where_it_is_refused(session: Start) -> None:
    s = session(["Seen."])
    s.ask("What moves?", images=MOVING)
    assert urls(s.bodies[0]) == [f"data:image/gif;base64,{base64.b64encode(MOVING).decode()}"]
    rule = refusing(lambda body: any("image/gif" in u for u in urls(body)), "animated images are not supported")
    s = session(["Seen still.", "Next."], rules=(*SESSION, rule), conversation="other")
    answer = ask(s, "What moves?", images=[MOVING])
    assert "saw the first frame" in answer
    assert urls(s.bodies[-1])[0].startswith("data:image/jpeg")
    assert ask(s, "more") == "Next."
    assert refused(s) == 1


def test_what_is_no_picture_is_refused_before_anything_is_sent(session: Start) -> None:
    s = session(["x"])
    with pytest.raises(SettingError, match="no such file"):
        s.agent.ask("What is this?", images=["nowhere.png"])
    assert s.agent.runs == []
    assert s.model.requests == []


def test_a_picture_with_a_command_is_for_the_model(session: Start) -> None:
    s = session(["Seen."])
    assert s.ask("list tables", images=[PLAIN])[1].text == "Seen."


def test_plain_chat_shows_pictures_too_with_notes_and_without(session: Start) -> None:
    s = session(["It is blue."])
    _, answer = s.ask("What colour is this?", mode="chat", images=[PLAIN])
    assert answer.text == "It is blue."
    s.agent.library.add_note("Colour", "The colour of the sky is blue.")
    s.ask("What colour is this?", mode="chat", images=[PLAIN])
    assert [len(urls(body)) for body in s.bodies] == [1, 1]
    assert "The colour of the sky" in str(s.bodies[1]["messages"])


def test_without_a_model_nobody_looks_and_that_is_said(tmp_path: Path) -> None:
    agent = nn.Agent(home=tmp_path, tier="lite", lite_model="none", embedder="none", namespace={}, conversation="talk")
    agent.library.add_note("Colour", "The colour of the sky is blue.")
    answer = agent.ask("What colour is the sky?", images=[PLAIN]).result(60)
    agent.close()
    assert answer.text.startswith("No model answers here")


def drawing(*pictures: bytes) -> Callable[[int], ToolResult]:
    def draw(n: int) -> ToolResult:
        """Draw."""
        sent = [f"data:image/png;base64,{base64.b64encode(data).decode()}" for data in pictures]
        return ToolResult(f"drew {n}", images=tuple(sent))

    return draw


DRAWN = [Step(calls=[Call("draw", {"n": 1})]), "Seen.", "More."]


def test_figures_go_to_a_model_that_is_known_to_see(session: Start) -> None:
    s = session(DRAWN)
    s.agent.tools.register(drawing(PLAIN), effect="reads")
    s.ask()
    s.ask("more")
    assert [len(urls(body)) for body in s.bodies] == [0, 1, 1]
    assert "base64" not in s.agent.journal.path.read_text("utf-8")
    assert [m["role"] for m in s.bodies[1]["messages"][-3:]] == ["tool", "assistant", "user"]


def unknown(s: Session, home: Path, **settings: Any) -> nn.Agent:
    """Return an agent over the same endpoint with a model of which nothing is known."""
    return nn.Agent(
        base_url=s.model.base_url, model="somebody-7b", home=home, library=s.agent.library, namespace={},
        conversation="unknown", **settings,
    )  # fmt: skip


@pytest.mark.parametrize(("figures", "sent"), [("auto", 0), ("never", 0), ("always", 1)])
def test_figures_go_to_an_unknown_model_only_where_they_are_set(
    session: Start, tmp_path: Path, figures: str, sent: int
) -> None:
    s = session(DRAWN)
    agent = unknown(s, tmp_path / "other", figures=figures)
    agent.tools.register(drawing(PLAIN), effect="reads")
    agent.ask("go").result(60)
    agent.close()
    assert len(urls(s.bodies[1])) == sent


def test_a_model_that_took_a_picture_is_shown_figures(session: Start, tmp_path: Path) -> None:
    s = session(["Seen.", *DRAWN])
    agent = unknown(s, tmp_path / "other")
    agent.tools.register(drawing(PLAIN), effect="reads")
    agent.ask("What is this?", images=[PLAIN]).result(60)
    agent.ask("go").result(60)
    agent.close()
    assert [len(urls(body)) for body in s.bodies] == [1, 1, 2]


def test_a_figure_that_is_broken_is_named_and_harms_no_other(session: Start) -> None:
    s = session(DRAWN)
    s.agent.tools.register(drawing(b"\x89PNG\r\n\x1a\n", PLAIN), effect="reads")
    s.ask()
    assert len(urls(s.bodies[1])) == 1
    assert "the figure can't be attached" in s.results(1)[0]


def test_a_tape_holds_no_picture(tmp_path: Path) -> None:
    tape = tmp_path / "talk.tape"
    answers = []
    with ScriptedModel(["Blue."]) as model:
        for mode, address in (("record", model.base_url), ("replay", "")):
            agent = nn.Agent(
                home=tmp_path / mode, tape=tape, tape_mode=mode, embedder="none", namespace={}, conversation="talk",
                **({"base_url": address, "model": model.model} if address else {}),
            )  # fmt: skip
            answers.append(agent.ask("What is this?", mode="chat", images=[PLAIN]).result(60).text)
            agent.close()
    assert answers == ["Blue.", "Blue."]
    assert len(tape.read_text("utf-8")) < 5000
    assert "data:image/jpeg;base64,…" in tape.read_text("utf-8")


def test_an_old_conversation_with_whole_pictures_is_still_sent(session: Start) -> None:
    s = session(["Seen.", "Next."])
    s.ask("hello there")
    url = f"data:image/png;base64,{base64.b64encode(PLAIN).decode()}"
    s.agent.conversation.history.say_user([{"type": "image_url", "image_url": {"url": url}}], "")
    s.agent.conversation.history.add({"role": "assistant", "content": "Kept."})
    s.ask("more")
    assert urls(s.bodies[1]) == [url]
    assert json.dumps(s.agent.history)
