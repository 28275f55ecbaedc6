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


@pytest.mark.parametrize("policy", ["alwayz", {"run_python": "yes"}, 3])
def test_a_wrong_policy_names_the_words(policy: Any) -> None:
    with pytest.raises(SettingError, match="'always'"):
        check_policy(policy)


def raises(approval: Approval) -> None:
    raise ValueError("no idea")


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
