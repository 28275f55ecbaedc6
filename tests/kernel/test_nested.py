"""Event loops that nothing a task raises may break off, and the user's interrupt beside them."""

from __future__ import annotations

import asyncio
import signal

import pytest

from nephele_nb.kernel.nested import run_nested

EXITS = [KeyboardInterrupt, SystemExit]


def raising(exit_kind):
    def callback():
        raise exit_kind

    return callback


@pytest.mark.parametrize("exit_kind", EXITS)
def test_a_callback_that_exits_leaves_the_work_alone(exit_kind):
    done = []

    async def work():
        asyncio.get_running_loop().call_soon(raising(exit_kind))
        await asyncio.sleep(0.02)
        done.append("work")

    run_nested(work())
    assert done == ["work"]


@pytest.mark.parametrize("exit_kind", EXITS)
def test_a_task_that_exits_leaves_the_work_alone_and_has_what_it_raised(exit_kind):
    kept = []

    async def exits():
        raise exit_kind

    async def work():
        task = asyncio.create_task(exits())
        await asyncio.wait([task])
        kept.append(task.exception())

    run_nested(work())
    assert [type(error) for error in kept] == [exit_kind]


@pytest.mark.parametrize("exit_kind", EXITS)
def test_a_left_task_that_exits_when_it_is_cancelled_stays_inside(exit_kind):
    left = []

    async def stubborn():
        try:
            await asyncio.sleep(60)
        finally:
            left.append("cancelled")
            raise exit_kind

    async def other():
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.02)
            left.append("ended")

    tasks = []

    async def work():
        tasks.extend([asyncio.create_task(stubborn()), asyncio.create_task(other())])
        await asyncio.sleep(0)

    run_nested(work())
    assert left == ["cancelled", "ended"]
    assert type(tasks[0].exception()) is exit_kind


def test_what_the_work_raises_comes_out():
    async def work():
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        run_nested(work())


def test_the_users_interrupt_waits_for_the_work_and_then_comes_out():
    done = []

    async def work():
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(0.02)
        done.append("work")

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run_nested(work())
    assert done == ["work"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_users_interrupt_ends_a_clean_up_that_never_ends():
    tasks = []

    async def spins():
        try:
            await asyncio.sleep(60)
        finally:
            signal.raise_signal(signal.SIGINT)
            while True:
                await asyncio.sleep(0)

    async def work():
        tasks.append(asyncio.create_task(spins()))
        await asyncio.sleep(0)

    with pytest.raises(KeyboardInterrupt):
        run_nested(work())
    assert type(tasks[0].exception()) is KeyboardInterrupt


def test_the_outer_loop_goes_on_afterwards():
    async def outer():
        task = asyncio.current_task()
        run_nested(asyncio.sleep(0))
        assert asyncio.current_task() is task
        return await asyncio.sleep(0, "outer")

    assert asyncio.run(outer()) == "outer"
