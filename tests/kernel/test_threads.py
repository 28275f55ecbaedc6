"""Whom the work of threads and pools belongs to: the run that started it, or whoever submitted it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Thread

import pytest

from nephele_nb.kernel.interrupt import CURRENT, Run
from nephele_nb.kernel.threads import follow_threads, unfollow_threads


@pytest.fixture(autouse=True)
def followed():
    start, submit = Thread.start, ThreadPoolExecutor.submit
    follow_threads()
    yield
    unfollow_threads()
    assert (Thread.start, ThreadPoolExecutor.submit) == (start, submit)


@pytest.fixture
def run():
    return Run()


def inside(run, fn, *args):
    context = copy_context()
    context.run(CURRENT.set, run)
    return context.run(fn, *args)


def test_a_thread_of_a_run_belongs_to_it(run):
    seen = []
    thread = Thread(target=lambda: seen.append(CURRENT.get()))
    inside(run, thread.start)
    thread.join(10)
    assert seen == [run]
    assert run.threads == [thread]


def test_a_pool_that_a_run_made_works_for_whoever_submits(run):
    with ThreadPoolExecutor(1) as pool:
        assert inside(run, pool.submit, CURRENT.get).result(10) is run
        assert pool.submit(CURRENT.get).result(10) is None
        assert list(pool.map(lambda _: CURRENT.get(), [1])) == [None]
        assert inside(run, pool.submit, CURRENT.get).result(10) is run


def test_a_pool_of_the_users_works_for_a_run_under_the_run(run):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(CURRENT.get).result(10) is None
        assert inside(run, pool.submit, CURRENT.get).result(10) is run
        assert pool.submit(CURRENT.get).result(10) is None


def test_arguments_reach_the_work(run):
    with ThreadPoolExecutor(1) as pool:
        assert inside(run, lambda: pool.submit(dict, [("a", 1)], b=2)).result(10) == {"a": 1, "b": 2}
