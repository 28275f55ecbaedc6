"""Attributes held by several at once and let go of in any order."""

from __future__ import annotations

from types import SimpleNamespace

from nephele_nb.kernel.swap import ABSENT, covered, swapped


def hold(context):
    context.__enter__()
    return lambda: context.__exit__(None, None, None)


def test_the_original_comes_back_with_the_last_in_any_order():
    owner = SimpleNamespace(a="original")
    first, second = hold(swapped(owner, a="first")), hold(swapped(owner, a="second"))
    assert owner.a == "second"
    first()
    assert owner.a == "second"
    second()
    assert owner.a == "original"


def test_what_was_absent_is_absent_again():
    owner = SimpleNamespace()
    first, second = hold(swapped(owner, a=1, b=2)), hold(swapped(owner, a=3))
    first()
    assert vars(owner) == {"a": 3}
    second()
    assert vars(owner) == {}


def test_what_the_code_puts_there_itself_goes():
    owner = SimpleNamespace(a="original")
    with swapped(owner, a="ours"):
        owner.a = "left behind"
    assert owner.a == "original"


def test_a_choosing_value_stays_above_and_knows_what_is_beneath():
    owner = SimpleNamespace(a="original")
    beneath = []
    chooses = hold(covered(owner, "a", lambda look: beneath.append(look) or "chooses"))
    swap = hold(swapped(owner, a="swapped"))
    assert (owner.a, beneath[0]()) == ("chooses", "swapped")
    swap()
    assert (owner.a, beneath[0]()) == ("chooses", "original")
    chooses()
    assert (owner.a, beneath[0]()) == ("original", "original")


def test_a_choosing_value_over_nothing():
    owner = SimpleNamespace()
    beneath = []
    with covered(owner, "a", lambda look: beneath.append(look) or "chooses"):
        assert beneath[0]() is ABSENT
    assert vars(owner) == {}
