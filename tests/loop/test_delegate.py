"""Sub-agents: at the same time, within bounds, reading only, and every outcome an honest result."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest

from nephele_nb.events import SubagentUpdate, ToolFinish
from nephele_nb.model.scripted import Call, Scene, Step
from nephele_nb.run import Run
from tests.loop.session import Session

Start = Callable[..., Session]


def scenes(tasks: Sequence[str], *others: Scene, closing: str = "All told.") -> list[Scene]:
    """Return a script: the round delegates some tasks, and what each sub-agent is told has a scene of its own."""
    return [*others, Scene([Step(calls=[Call("delegate_tasks", {"tasks": list(tasks)})]), closing], when="^.*go$|go$")]


def task(word: str, *steps: Step | str) -> Scene:
    return Scene(list(steps), when=rf"task {word}\b")


def finish(run: Run) -> ToolFinish:
    return next(e for e in run.events if isinstance(e, ToolFinish) and e.tool == "delegate_tasks")


def states(run: Run, title: str) -> list[str]:
    """Return the states a task went through, each once."""
    return list(dict.fromkeys(e.state for e in run.events if isinstance(e, SubagentUpdate) and e.title == title))


def test_reports_come_back_in_order_with_their_citations_renumbered(session: Start) -> None:
    look = Step(calls=[Call("search_notes", {"query": "rivers"})])
    s = session(
        scenes(
            ["task one", "task two"],
            task("one", look, "The Rhine is long [1]. Nobody said so [9]."),
            task("two", Step(calls=[Call("search_notes", {"query": "mountains"})]), "The Eiger is high [1]."),
        )
    )
    s.agent.library.add_note("Rivers", "The Rhine has rivers around it.")
    s.agent.library.add_note("Mountains", "The Eiger is among the mountains.")
    run, answer = s.ask()
    assert answer.text.startswith("All told.")
    result = finish(run)
    assert result.ok
    assert result.result.index("The Rhine is long [1].") < result.result.index("The Eiger is high [2].")
    assert "[9]" not in result.result
    assert "All told." in answer.text
    assert states(run, "task one") == ["waiting", "running", "done"]
    assert [s.title for s in answer.sources] == ["Rivers", "Mountains"]


def test_a_sub_agent_has_tools_that_read_and_nothing_of_the_conversation(session: Start) -> None:
    s = session(scenes(["task one"], task("one", "Done.")))
    s.agent.tools.register(lambda: "", "writes", name="burn")
    s.ask("a secret wish, and go")
    body = next(b for b in s.bodies if "task one" in str(b["messages"][-1]["content"]) and len(b["messages"]) == 2)
    names = {tool["function"]["name"] for tool in body["tools"]}
    assert {"search_notes", "read_note", "scan_table"} <= names
    assert not names & {"run_python", "create_note", "memory_write", "delegate_tasks", "load_tools", "burn"}
    assert "secret wish" not in str(body)


def test_a_sub_agent_that_asks_for_more_is_told_there_is_no_such_tool(session: Start) -> None:
    calls = [Call("delegate_tasks", {"tasks": ["task two"]}), Call("run_python", {"code": "x = 1"})]
    s = session(scenes(["task one"], task("one", Step(calls=calls), "Then not.")))
    run, _ = s.ask()
    assert "Then not." in finish(run).result
    assert "x" not in s.names
    told = [m["content"] for b in s.bodies for m in b["messages"] if m["role"] == "tool"]
    assert any("There is no tool named 'delegate_tasks'" in text for text in told)


def test_the_rounds_own_time_is_not_called_the_users_doing(session: Start) -> None:
    s = session(scenes(["task one"], task("one", "word " * 400)), delay_s=0.03, wall_clock_s=1.5)
    run, answer = s.ask()
    assert answer.finish == "timeout"
    assert "was not finished within 1.5 s" in finish(run).result
    assert states(run, "task one")[-1] == "timeout"


def test_four_work_at_once_and_never_more(session: Start) -> None:
    free, changed, here = threading.Event(), threading.Condition(), [0]

    def meet(word: str) -> str:
        """Stay until all may go."""
        with changed:
            here[0] += 1
            changed.notify_all()
        free.wait(60)
        return f"met {word}"

    words = "abcdef"
    s = session(scenes(
        [f"task {w}" for w in words],
        *[task(w, Step(calls=[Call("meet", {"word": w})]), f"Report {w}.") for w in words],
    ))  # fmt: skip
    s.agent.tools.register(meet, "reads")
    run = s.agent.ask("go")
    try:
        with changed:
            assert changed.wait_for(lambda: here[0] == 4, 60)
            assert not changed.wait_for(lambda: here[0] > 4, 1.5)
        assert [states(run, f"task {w}")[-1] for w in words] == ["running"] * 4 + ["waiting"] * 2
    finally:
        free.set()
    answer = s.finish(run)
    assert all(f"Report {w}." in finish(run).result for w in words)
    assert answer.usage.steps == 2 + 2 * len(words)
    assert s.agent.ledger.spent(run.round_id).steps == answer.usage.steps


@pytest.mark.parametrize(
    ("tasks", "why"),
    [
        ([f"task {n}" for n in range(7)], "At most 6"),
        ([], "at least one"),
        ([" "], "at least one"),
        (["Find papers about bees", "Search arxiv for papers about wasps"], "find_references"),
        (["检索关于蜜蜂的文献", "查找关于黄蜂的论文"], "find_references"),
    ],
)
def test_what_is_no_split_is_refused_with_the_reason(session: Start, tasks: list[str], why: str) -> None:
    s = session(scenes(tasks))
    run, _ = s.ask()
    assert not finish(run).ok
    assert why in finish(run).result
    assert len(s.bodies) == 2


def test_reading_several_papers_is_no_search_for_them(session: Start) -> None:
    tasks = ["task one: compare the methods of the two papers", "task two: summarise the literature note"]
    s = session(scenes(tasks, task("one", "A."), task("two", "B.")))
    run, _ = s.ask()
    assert finish(run).ok


def waiting(free: threading.Event, begun: threading.Event) -> Callable[[], str]:
    def wait() -> str:
        """Wait."""
        begun.set()
        free.wait(60)
        return "waited"

    return wait


def test_one_that_is_late_brings_back_what_it_has_and_the_others_are_whole(session: Start) -> None:
    free, begun = threading.Event(), threading.Event()
    slow = Step(say="So far: half.", calls=[Call("wait", {})])
    s = session(
        scenes(["task one", "task two"], task("one", slow, "Never."), task("two", "Whole.")), task_timeout_s=2.0
    )
    s.agent.tools.register(waiting(free, begun), "reads")
    try:
        run, answer = s.ask()
    finally:
        free.set()
    assert answer.finish == "answer"
    result = finish(run)
    assert "was not finished within 2 s" in result.result
    assert "Whole." in result.result
    assert states(run, "task one")[-1] == "timeout"


def test_one_that_fails_is_an_honest_result(session: Start) -> None:
    s = session(scenes(["task one", "task two"], task("one", Step(status=400, raw=b'{"error": "no such thing"}')),
                       task("two", "Whole.")))  # fmt: skip
    run, answer = s.ask()
    assert answer.finish == "answer"
    result = finish(run)
    assert result.ok
    assert "failed" in result.result
    assert "Whole." in result.result
    assert states(run, "task one")[-1] == "failed"


def test_a_stop_ends_the_whole_tree_at_once(session: Start) -> None:
    free, begun, hang = threading.Event(), threading.Event(), Step(calls=[Call("wait", {})])
    s = session(
        [
            *scenes(["task one", "task two"], *(task(w, hang, "Never.") for w in ("one", "two"))),
            Scene(["Next."], when="again"),
        ]
    )
    s.agent.tools.register(waiting(free, begun), "reads")
    try:
        run = s.agent.ask("go")
        assert begun.wait(30)
        s.agent.stop()
        answer = s.finish(run)
    finally:
        free.set()
    assert answer.finish == "stopped"
    assert states(run, "task one")[-1] == states(run, "task two")[-1] == "cancelled"
    assert s.ask("again")[1].text == "Next."


def test_one_can_be_stopped_alone(session: Start) -> None:
    free, begun = threading.Event(), threading.Event()
    s = session(scenes(["task one", "task two"], task("one", Step(calls=[Call("wait", {})]), "Never."),
                       task("two", "Whole.")))  # fmt: skip
    s.agent.tools.register(waiting(free, begun), "reads")
    try:
        run = s.agent.ask("go")
        assert begun.wait(30)
        task_id = next(e.task_id for e in run.events if isinstance(e, SubagentUpdate) and e.title == "task one")
        assert run.cancel(task_id)
        answer = s.finish(run)
    finally:
        free.set()
    assert answer.finish == "answer"
    assert "was cancelled by the user" in finish(run).result
    assert "Whole." in finish(run).result
    assert not run.cancel(task_id)


def test_a_cap_on_the_round_holds_the_whole_tree(session: Start) -> None:
    words = [f"task {w}" for w in "abcdef"]
    step = Step(say="Done.", usage={"prompt_tokens": 2900, "completion_tokens": 100})
    s = session(scenes(words, *[task(w, step) for w in "abcdef"]), cap_tokens_round=15_000)
    run, _ = s.ask()
    assert s.agent.ledger.spent(run.round_id).total <= 15_000
    ended = [states(run, word)[-1] for word in words]
    assert set(ended) == {"done", "failed"}
    assert finish(run).result.count("I made no further request") == ended.count("failed")
