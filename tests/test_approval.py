"""Approvals are decided once, by whom the policy says."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from nephele_nb.approval import Approval, Decision, check_policy, consult, rule_for
from nephele_nb.errors import SettingError


def pending(code: str | None = "total = 100", seconds: float = 30) -> Approval:
    """Return a fresh approval; needs a running loop."""
    return Approval(
        call_id="c1",
        tool="run_python",
        arguments={"code": code},
        code=code,
        description="",
        effects=[],
        expires_at=time.time() + seconds,
    )


def decide(act: Any, **kwargs: Any) -> tuple[Approval, Decision]:
    """Return an approval after ``act`` and how it was decided."""

    async def main() -> tuple[Approval, Decision]:
        approval = pending(**kwargs)
        act(approval)
        return approval, await approval.decided()

    return asyncio.run(main())


def test_first_decision_wins() -> None:
    answers: list[bool] = []

    def act(approval: Approval) -> None:
        answers.extend([approval.approve(), approval.approve(), approval.reject("late")])

    approval, decision = decide(act)
    assert answers == [True, False, False]
    assert decision == Decision("approved", "total = 100")
    assert approval.diff == ""


def test_an_edit_is_told_as_a_diff() -> None:
    approval, decision = decide(lambda a: a.approve("total = 5"))
    assert decision == Decision("edited", "total = 5")
    assert "-total = 100" in approval.diff
    assert "+total = 5" in approval.diff


def test_the_same_text_is_no_edit() -> None:
    assert decide(lambda a: a.approve("total = 100"))[1].outcome == "approved"


def test_emptied_code_rejects() -> None:
    assert decide(lambda a: a.approve(" \n"))[1].outcome == "rejected"


def test_nobody_answers() -> None:
    approval, decision = decide(lambda a: None, seconds=0.05)
    assert decision.outcome == "expired"
    assert approval.approve() is False


def test_too_late_is_expired_even_before_the_timer_has_run() -> None:
    _, decision = decide(lambda a: a.approve(), seconds=-1)
    assert decision.outcome == "expired"


def test_many_threads_decide_once() -> None:
    answers: list[bool] = []

    def act(approval: Approval) -> None:
        threads = [threading.Thread(target=lambda: answers.append(approval.approve())) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    decide(act)
    assert sorted(answers) == [False] * 15 + [True]


def test_a_note_has_no_code_to_edit() -> None:
    async def main() -> None:
        with pytest.raises(TypeError, match="no code to edit"):
            pending(code=None).approve("x")

    asyncio.run(main())


@pytest.mark.parametrize("code", [b"x = 2", 2, True, ["x = 2"], {"code": "x"}])
def test_code_that_is_no_text_decides_nothing(code: Any) -> None:
    def act(approval: Approval) -> None:
        with pytest.raises(TypeError, match=f"as text, not {type(code).__name__}; nothing was decided"):
            approval.approve(code)
        assert approval.decision is None
        assert approval.approve("x = 2") is True

    assert decide(act)[1] == Decision("edited", "x = 2")


@pytest.mark.parametrize(
    ("policy", "tool", "effect", "who"),
    [
        ("ask", "read_note", "reads", None),
        ("ask", "run_python", "runs", "ask"),
        ("ask", "mine", None, "ask"),
        ("never", "create_note", "writes", "never"),
        ({"run_python": "always"}, "run_python", "runs", "always"),
        ({"run_python": "always"}, "create_note", "writes", "ask"),
        ({"run": "always"}, "run_python", "runs", "ask"),
        ({"writes": "never", "create_note": "always"}, "create_note", "writes", "always"),
        ({"reads": "ask"}, "read_note", "reads", "ask"),
    ],
)
def test_policies_claim_exact_names(policy: Any, tool: str, effect: Any, who: Any) -> None:
    assert rule_for(check_policy(policy), tool, effect) == who


@pytest.mark.parametrize("policy", ["alwayz", {"run_python": "yes"}, {"run_python": ["ask"]}, 3, ["ask"]])
def test_a_wrong_policy_names_the_words(policy: Any) -> None:
    with pytest.raises(SettingError, match="'always'"):
        check_policy(policy)


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({"run_pyhton": "always"}, r"names 'run_pyhton'.*did you mean 'run_python'"),
        ({"run": "always"}, "did you mean 'runs'"),
        ({3: "always"}, "names 3"),
    ],
)
def test_a_policy_names_tools_that_are_there(policy: Any, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        check_policy(policy, ["run_python", "create_note"])


@pytest.mark.parametrize("policy", ["ask", {"run_python": "always", "writes": "never"}, {}, lambda a: True])
def test_a_policy_of_known_names_is_taken(policy: Any) -> None:
    assert check_policy(policy, ["run_python"]) is policy


def raises(approval: Approval) -> None:
    raise ValueError("no idea")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError("no idea"), "ValueError: no idea"),
        (TimeoutError("shop"), "TimeoutError: shop"),
        (SystemExit("no key"), "SystemExit: no key"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (StopIteration(), "StopIteration"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
def test_whatever_a_policy_raises_is_a_no_with_its_reason(error: BaseException, reason: str) -> None:
    def policy(approval: Approval) -> None:
        raise error

    async def main() -> Decision:
        approval = pending()
        await asyncio.wait_for(consult(policy, approval), 20)
        return await approval.decided()

    decision = asyncio.run(main())
    assert decision.outcome == "rejected"
    assert decision.reason.startswith("the approval policy raised ")
    assert decision.reason.endswith(reason)


def test_policies_that_hang_keep_no_other_waiting() -> None:
    free = threading.Event()

    async def main() -> Decision:
        hung = [asyncio.create_task(consult(lambda a: free.wait(), pending())) for _ in range(60)]
        approval = pending()
        await asyncio.wait_for(consult(lambda a: True, approval), 20)
        for task in hung:
            task.cancel()
        return await approval.decided()

    try:
        assert asyncio.run(main()).outcome == "approved"
    finally:
        free.set()


@pytest.mark.parametrize(
    ("policy", "outcome", "code"),
    [
        (lambda a: True, "approved", "total = 100"),
        (lambda a: "total = 7", "edited", "total = 7"),
        (lambda a: "", "rejected", None),
        (lambda a: 1, "rejected", None),
        (lambda a: None, "rejected", None),
        (raises, "rejected", None),
        (lambda a: time.sleep(1) or True, "rejected", None),
    ],
)
def test_callable_policies(policy: Any, outcome: str, code: str | None) -> None:
    async def main() -> Decision:
        approval = pending(seconds=0.4)
        await consult(policy, approval)
        return await approval.decided()

    decision = asyncio.run(main())
    # a policy that answers too late counts as no answer: rejected, or expired where the timer was first
    assert decision.outcome in ({outcome, "expired"} if outcome == "rejected" else {outcome})
    assert decision.code == code
