"""The agent's thread and the waits for it, in a plain process and on a kernel's main thread."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from nephele_nb.errors import ReentryError
from nephele_nb.kernel.bridge import Bridge
from nephele_nb.kernel.interrupt import CURRENT, Run


@pytest.fixture
def bridge():
    made = Bridge()
    yield made
    made.close()


def test_submit_runs_on_the_agents_thread(bridge):
    async def where() -> str:
        return threading.current_thread().name

    assert bridge.submit(where()).result(5) == "nephele-agent"


def test_post_calls_on_the_agents_loop(bridge):
    called = threading.Event()
    bridge.post(lambda a, b: called.set() if (a, b) == (1, 2) else None, 1, 2)
    assert called.wait(5)


def test_wait_returns_when_ready_and_when_time_is_up(bridge):
    flag = threading.Event()

    async def later() -> None:
        await asyncio.sleep(0.05)
        flag.set()
        bridge.notify()

    bridge.submit(later())
    assert bridge.wait(flag.is_set, 10)
    assert not bridge.wait(lambda: False, 0.05)
    assert bridge.wait(lambda: True, 0)


def test_a_notice_between_looking_and_sleeping_is_not_lost(bridge):
    looks = []

    def ready() -> bool:
        looks.append(None)
        if len(looks) == 2:
            bridge.notify()
        return len(looks) > 2

    began = time.monotonic()
    assert bridge.wait(ready, 30)
    assert time.monotonic() - began < 20
    assert len(looks) == 3


def test_many_threads_may_wait(bridge):
    flag = threading.Event()
    seen = []
    threads = [threading.Thread(target=lambda: seen.append(bridge.wait(flag.is_set, 10))) for _ in range(8)]
    for thread in threads:
        thread.start()
    flag.set()
    bridge.notify()
    for thread in threads:
        thread.join(10)
    assert seen == [True] * 8


def test_wait_async_leaves_the_loop_free(bridge):
    async def both() -> tuple[bool, bool]:
        flag = threading.Event()
        waiting = asyncio.create_task(bridge.wait_async(flag.is_set, 10))
        await asyncio.sleep(0.02)
        flag.set()
        bridge.notify()
        return await waiting, await bridge.wait_async(lambda: False, 0.05)

    assert asyncio.run(both()) == (True, False)


def test_wait_from_inside_a_run_raises_at_once(bridge):
    run = Run()
    run.active = True
    token = CURRENT.set(run)
    try:
        with pytest.raises(ReentryError, match="can never end"):
            bridge.wait(lambda: False)
        run.active = False
        assert not bridge.wait(lambda: False, 0.01)
    finally:
        CURRENT.reset(token)


def test_the_agent_is_no_part_of_the_run_that_called_it(bridge):
    async def current() -> object:
        return CURRENT.get()

    token = CURRENT.set(Run())
    try:
        assert bridge.submit(current()).result(5) is None
    finally:
        CURRENT.reset(token)


def test_on_main_runs_in_place_where_there_is_no_kernel(bridge):
    async def job() -> str:
        return threading.current_thread().name

    assert bridge.submit(bridge.on_main(job)).result(5) == "nephele-agent"
    assert not bridge.main_is_waiting


def test_close_cancels_what_runs_and_refuses_more(bridge):
    ended = threading.Event()

    async def endless() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    future = bridge.submit(endless())
    bridge.submit(asyncio.sleep(0)).result(5)
    closed = []
    bridge.on_close(lambda: closed.append(True))
    bridge.close()
    bridge.close()
    assert ended.wait(5)
    assert future.cancelled()
    assert closed == [True]
    coroutine = asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="closed"):
        bridge.submit(coroutine)


def test_close_of_an_unused_bridge():
    bridge = Bridge()
    bridge.close()
    assert bridge.loop.is_closed()


@pytest.mark.parametrize("exit_kind", [SystemExit, KeyboardInterrupt])
def test_no_task_ends_the_agents_thread(bridge, exit_kind):
    """Also not by way of a thread that it waits for; whoever waits is told, and what runs beside it goes on."""

    def exits() -> None:
        raise exit_kind("no key")

    async def in_task() -> None:
        exits()

    beside = bridge.submit(asyncio.sleep(0.2, "beside"))
    for work in (in_task(), asyncio.to_thread(exits)):
        with pytest.raises(exit_kind, match="no key"):
            bridge.submit(work).result(5)
    bridge.post(exits)
    assert beside.result(5) == "beside"
    assert bridge.submit(asyncio.sleep(0, "after")).result(5) == "after"
    assert bridge.alive


def test_a_loop_that_someone_stops_goes_on(bridge):
    bridge.post(bridge.loop.stop)
    assert bridge.submit(asyncio.sleep(0.02, "after")).result(5) == "after"


def test_a_task_that_exits_while_it_is_closed_holds_nothing_up():
    bridge = Bridge()

    async def stubborn() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            raise SystemExit

    bridge.submit(stubborn())
    bridge.submit(asyncio.sleep(0)).result(5)
    bridge.close()
    assert bridge.loop.is_closed()
    assert not bridge.alive


def test_what_is_held_by_one_is_waited_for_by_the_next(bridge):
    lock, inside, order = threading.Lock(), threading.Event(), []

    def first() -> None:
        with bridge.alone(lock):
            inside.set()
            time.sleep(0.1)
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    assert inside.wait(5)
    with bridge.alone(lock):
        order.append("second")
    thread.join(5)
    assert order == ["first", "second"]
    assert not lock.locked()
