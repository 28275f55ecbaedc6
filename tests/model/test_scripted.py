"""The scripted model keeps to its script, quotes what really came back, and tells when it has no answer."""

from __future__ import annotations

import asyncio
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from nephele_nb.model.scripted import Call, Scene, ScriptedModel, Step, load
from nephele_nb.types import Message
from tests.model.conversation import ASK, KEY, Heard, answered, at, hear_once, run

MEAN = Scene(
    when="(?i)mean",
    title="What is the mean?",
    steps=[
        Step(think="I must compute.", calls=[Call("run_python", {"code": "df.mean()"})]),
        Step(capture=r"mean is (?P<mean>[\d.]+)", calls=[Call("create_note", {"title": "Mean", "tags": ["{mean}"]})]),
        Step(say="The mean is {1}.", capture=r"mean is ([\d.]+)"),
    ],
)
HELLO = Scene(when="hello", steps=[Step(say="Hello yourself.")])


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def test_a_scene_is_played_step_by_step_from_the_history_alone() -> None:
    history = [user("hello"), {"role": "assistant", "content": "Hello yourself."}, user("What is the mean?")]
    with ScriptedModel([MEAN, HELLO]) as model:
        for result in ("the mean is 4.2", "the mean is 4.2 still"):
            heard = run(hear_once(at(model), history))
            assert heard.reply is not None
            history += answered(heard.reply, result)
        noted = heard.reply.calls[0]
        heard = run(hear_once(at(model), history))
        again = run(hear_once(at(model), history))
        greeted = run(hear_once(at(model), [user("hello")]))
    assert (noted.name, json.loads(noted.arguments)) == ("create_note", {"title": "Mean", "tags": ["4.2"]})
    assert heard.text == again.text == "The mean is 4.2."
    assert greeted.text == "Hello yourself."


def test_the_last_step_repeats_and_a_capture_that_finds_nothing_says_so() -> None:
    history = [user("mean?"), *[{"role": "assistant", "content": "x"}] * 5]
    with ScriptedModel([MEAN]) as model:
        heard = run(hear_once(at(model), history))
    assert heard.text == "The mean is (no match)."


def test_out_of_script_it_says_that_it_is_a_script() -> None:
    with ScriptedModel([MEAN, HELLO]) as model:
        heard = run(hear_once(at(model), [user("Sing!")]))
    assert "script" in heard.text
    assert "- What is the mean?\n- hello" in heard.text


def test_a_scene_without_a_pattern_fits_all() -> None:
    with ScriptedModel([HELLO, Scene([Step(say="Anything.")])]) as model:
        assert run(hear_once(at(model), [user("Sing!")])).text == "Anything."


def test_the_message_may_be_in_parts() -> None:
    parts = [{"type": "text", "text": "oh, hello"}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    with ScriptedModel([HELLO]) as model:
        assert run(hear_once(at(model), [{"role": "user", "content": parts}])).text == "Hello yourself."


def test_a_list_is_taken_one_step_a_request() -> None:
    with ScriptedModel(["one", Step(say="two")]) as model:
        assert [run(hear_once(at(model))).text for _ in range(3)] == ["one", "two", "two"]


@pytest.mark.parametrize(("stubborn", "names"), [(False, []), (True, ["run_python"])])
def test_tool_choice_none_is_kept_unless_the_step_is_stubborn(stubborn: bool, names: list[str]) -> None:
    step = Step(calls=[Call("run_python", {"code": "1"})], stubborn=stubborn)
    with ScriptedModel([step]) as model:
        heard = run(hear_once(at(model), tool_choice="none"))
    assert heard.reply is not None
    assert [call.name for call in heard.reply.calls] == names
    assert bool(heard.text) is not stubborn


def test_thinking_text_calls_and_usage_come_over_the_wire() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 3}}
    calls = [Call("run_python", {"code": "'字' * 30"}), Call("get_stats")]
    with ScriptedModel([Step("Some text, longer than a chunk.", "Some thinking, too.", calls, usage)]) as model:
        heard = run(hear_once(at(model)))
    assert heard.reply is not None
    assert (heard.text, heard.thinking) == ("Some text, longer than a chunk.", "Some thinking, too.")
    assert [(c.name, json.loads(c.arguments)) for c in heard.reply.calls] == [(c.name, c.arguments) for c in calls]
    used = heard.reply.usage
    assert (used.input, used.output, used.cached, used.total) == (5, 7, 3, 12)


def test_usage_is_counted_where_the_script_names_none() -> None:
    with ScriptedModel(["Some words of an answer."]) as model:
        heard = run(hear_once(at(model)))
    assert heard.reply is not None
    assert heard.reply.usage.input > 0
    assert heard.reply.usage.output > 0


def test_requests_are_recorded_without_the_key() -> None:
    with ScriptedModel(["ok"], rules=[lambda body: "no" if len(body["messages"]) > 1 else None]) as model:
        run(hear_once(at(model)))
        run(hear_once(at(model), [ASK, ASK]))
    first, second = model.requests
    assert first.body["messages"] == [ASK]
    assert first.pieces_sent > 2
    assert (first.broke, second.broke, second.pieces_sent) == (None, "no", 0)
    assert KEY not in repr(model.requests)


def test_it_answers_on_this_machine_only_and_lists_its_model() -> None:
    with ScriptedModel(["ok"]) as model:
        assert model.base_url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{model.base_url}/models", timeout=10) as answer:
            assert json.load(answer)["data"][0]["id"] == model.model
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{model.base_url}/elsewhere", timeout=10)
    with pytest.raises(RuntimeError, match="start"):
        _ = model.base_url


def test_it_may_be_started_again_and_closed_twice() -> None:
    model = ScriptedModel(["ok"])
    for _ in range(2):
        model.start()
        assert run(hear_once(at(model))).text == "ok"
        model.close()
        model.close()


def test_closing_breaks_off_what_is_under_way() -> None:
    async def work() -> Heard:
        with ScriptedModel(["ok"], first_delay_s=600) as model:
            asking = asyncio.create_task(hear_once(at(model)))
            async with asyncio.timeout(30):
                while not model.requests:
                    await asyncio.sleep(0.01)
            await asyncio.to_thread(model.close)
            return await asking

    heard = run(work())
    assert heard.error is not None
    assert heard.error.retryable


def test_a_script_is_read_from_a_file(tmp_path: Path) -> None:
    scenes: list[dict[str, Any]] = [
        {
            "when": "hello",
            "title": "hello",
            "steps": [{"calls": [{"name": "get_stats"}]}, {"say": "{1} notes", "capture": r"(\d+)"}, "bye"],
        }
    ]
    path = tmp_path / "script.json"
    path.write_text(json.dumps(scenes), "utf-8")
    (scene,) = load(path)
    assert (scene.when, scene.title) == ("hello", "hello")
    assert scene.steps == [Step(calls=(Call("get_stats"),)), Step(say="{1} notes", capture=r"(\d+)"), Step(say="bye")]


@pytest.mark.parametrize("text", ["{", "[{}]", '[{"steps": [{"sings": 1}]}]', "7"])
def test_a_file_that_is_no_script_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"script\.json is not a script"):
        load(path)


def test_a_script_is_scenes_or_steps_and_not_empty() -> None:
    for script in ([], [HELLO, "one"]):
        with pytest.raises(ValueError, match="list of scenes"):
            ScriptedModel(script)
    with pytest.raises(ValueError, match="byte:0"):
        ScriptedModel(["ok"], chunking="byte:0")


def test_pictures_of_code_that_ran_are_no_new_question() -> None:
    from nephele_nb.model.script import Player

    picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    call = {"id": "a", "type": "function", "function": {"name": "run_python", "arguments": "{}"}}
    player = Player([Scene(when="draw", steps=[Step(say="one"), Step(say="saw {1}", capture=r"drew (\d)")])])
    messages = [
        {"role": "user", "content": "draw it"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "drew 7"},
        {"role": "assistant", "content": "[figures follow]"},
        {"role": "user", "content": picture},
    ]
    assert player.answer({"messages": messages}).say == "saw 7"


def test_a_scene_may_hold_plain_text() -> None:
    from nephele_nb.model.script import Player

    player = Player([Scene(["just words"])])
    assert player.answer({"messages": [{"role": "user", "content": "hi"}]}).say == "just words"
