"""Tasks of a run whose exits must not end the loop."""

from __future__ import annotations

import asyncio

import pytest

from nephele_nb.kernel.interrupt import CURRENT, Run
from nephele_nb.kernel.tasks import TaskExitError, contain_tasks, release_tasks


@pytest.fixture
def in_a_run():
    token = CURRENT.set(Run())
    yield
    CURRENT.reset(token)


async def exits(kind):
    await asyncio.sleep(0)
    raise kind


@pytest.mark.usefixtures("in_a_run")
@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_exit_comes_out_as_an_error(kind):
    async def main():
        contain_tasks(asyncio.get_running_loop())
        with pytest.raises(TaskExitError, match=kind.__name__) as caught:
            await asyncio.create_task(exits(kind))
        return type(caught.value.__cause__)

    assert asyncio.run(main()) is kind


@pytest.mark.usefixtures("in_a_run")
def test_values_errors_names_and_cancelling_stay_as_they_are():
    async def main():
        contain_tasks(asyncio.get_running_loop())
        assert await asyncio.create_task(asyncio.sleep(0, "value")) == "value"
        with pytest.raises(ZeroDivisionError):
            await asyncio.create_task(exits(ZeroDivisionError))
        never = asyncio.create_task(exits(SystemExit), name="never begun")
        assert "exits" in repr(never)
        never.cancel()
        await asyncio.wait([never])
        return never.get_name(), never.cancelled()

    assert asyncio.run(main()) == ("never begun", True)


def test_tasks_of_anyone_else_are_left_alone():
    async def main():
        contain_tasks(asyncio.get_running_loop())
        return asyncio.iscoroutine(coro := asyncio.create_task(exits(ValueError)).get_coro()), type(coro).__name__

    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)
    assert loop.run_until_complete(main()) == (True, "coroutine")
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()


def test_the_factory_that_was_there_is_kept_and_comes_back():
    made = []

    def theirs(loop, coro, **options):
        made.append(coro)
        return asyncio.Task(coro, loop=loop, **options)

    async def main():
        loop = asyncio.get_running_loop()
        loop.set_task_factory(theirs)
        contain_tasks(loop)
        contain_tasks(loop)
        await asyncio.create_task(asyncio.sleep(0))
        release_tasks(loop)
        return loop.get_task_factory(), len(made)

    assert asyncio.run(main()) == (theirs, 1)
