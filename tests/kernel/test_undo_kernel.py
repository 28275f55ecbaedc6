"""What approved code changed is put back: names, contents, attributes, files; what can't be is named."""

from __future__ import annotations

import os
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nephele_nb.errors import NepheleError
from nephele_nb.kernel import attach
from nephele_nb.kernel.effects import analyse
from nephele_nb.kernel.keeping import Keeping
from nephele_nb.kernel.kept import NOTHING
from nephele_nb.types import Inverse
from tests.fixtures.kernel import mutations
from tests.kernel.conftest import FIXTURES

SETUP = (FIXTURES / "mutations_setup.py").read_text("utf-8")


def described(value, seen=()):
    """Return a value as plain data that can be compared, with each object's identity where it can change."""
    if id(value) in seen:
        return "seen"
    inner = (*seen, id(value))
    if isinstance(value, pd.DataFrame | pd.Series):
        data = value.to_dict("tight") if value.ndim == 2 else (value.to_dict(), value.name)
        kinds = value.dtypes.astype(str).tolist() if value.ndim == 2 else str(value.dtype)
        return id(value), repr(data), kinds, repr(value.index), dict(value.attrs)
    if isinstance(value, pd.Index | pl.DataFrame):
        return id(value), repr(value)
    if isinstance(value, np.ndarray):
        return id(value), value.shape, described(list(value), inner)[1] if value.dtype == object else repr(value)
    if isinstance(value, np.random.Generator):
        return repr(value.bit_generator.state)
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, dict):
        return id(value), [(k, described(v, inner)) for k, v in value.items()], attributes(value, inner)
    if isinstance(value, set):
        return id(value), sorted(map(repr, value))
    if isinstance(value, tuple | list) or type(value).__name__ in ("deque", "array", "bytearray"):
        return id(value), [described(v, inner) for v in value], attributes(value, inner)
    if type(value).__name__ == "StringIO":
        return value.getvalue(), value.tell()
    if type(value).__name__ == "function":
        cells = [described(c.cell_contents, inner) for c in value.__closure__ or ()]
        return id(value), value.__defaults__, cells, dict(value.__dict__)
    if isinstance(value, type):
        return id(value), {k: id(v) for k, v in vars(value).items() if k != "__dict__"}
    if getattr(type(value), "__module__", "") == "__main__":
        return id(value), attributes(value, inner)
    return repr(value)


def attributes(value, seen):
    slots = [(n, getattr(value, n)) for n in getattr(type(value), "__slots__", ()) if hasattr(value, n)]
    return {n: described(v, seen) for n, v in [*getattr(value, "__dict__", {}).items(), *slots]}


def surroundings(folder):
    files = {str(p): (p.is_dir() or p.read_bytes(), p.stat().st_mode) for p in sorted(folder.rglob("*"))}
    state = (random.getstate(), repr(np.random.get_state()), list(sys.path), list(warnings.filters))
    return files, dict(os.environ), str(Path.cwd()), state


@pytest.fixture
def space(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("there.txt", "second.txt", "folder/one.txt", "folder/two/three.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"content of {name}")
    names = {"__name__": "__main__"}
    exec(SETUP, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield names


@pytest.fixture
def kernel(space):
    made = attach(space)
    yield made
    made.bridge.close()


@pytest.fixture
def run(kernel):
    def run(code, *, ok=True):
        keeping = Keeping(code, analyse(code, kernel.executor.namespace))

        async def go():
            return await kernel.executor.start(code, timeout=60, keeping=keeping).result()

        result = kernel.bridge.submit(go()).result(120)
        assert not ok or result.status == "ok", result
        return kernel.executor.kept.add(keeping.changes), keeping.changes

    return run


@pytest.fixture
def whole(space, tmp_path):
    def whole():
        names = {n: described(v) for n, v in space.items() if not n.startswith("__")}
        return names, surroundings(tmp_path)

    return whole


EVERY = [*mutations.NAMES, *mutations.CONTAINERS, *mutations.TABLES, *mutations.OBJECTS, *mutations.FILES]


@pytest.mark.parametrize("code", EVERY)
def test_it_is_put_back_into_the_same_objects(code, kernel, run, whole):
    assert len(EVERY) >= 40
    before = whole()
    inverse, changes = run(code)
    after = whole()
    assert after != before
    assert changes.beyond == []
    back = kernel.executor.take_back(inverse)
    assert whole() == before
    assert back.left == ()
    again = kernel.executor.take_back(back.inverse)
    assert whole() == after
    assert again.left == ()
    kernel.executor.take_back(again.inverse)
    assert whole() == before


@pytest.mark.parametrize(
    "code", ["total + 1", "sum(arr)", "df.describe()", "sorted(d)", "print(frame)", "open('there.txt').read()"]
)
def test_code_that_only_looks_leaves_nothing_to_take_back(code, run):
    inverse, changes = run(code)
    assert inverse is None
    assert not changes.any
    assert changes.beyond == []


def left_of(kernel, inverse):
    back = kernel.executor.take_back(inverse)
    return dict(back.left), back.restored


def test_a_name_that_the_user_bound_since_is_left(space, kernel, run):
    inverse, _ = run("total = 11; text = 'other'")
    space["total"] = 99
    assert left_of(kernel, inverse) == ({"total": "it was changed since"}, ("text",))
    assert (space["total"], space["text"]) == (99, "text")


@pytest.mark.parametrize(
    ("code", "since", "name"),
    [
        ("lst.append(4)", "lst.append(5)", "lst"),
        ("d['b'] = 1", "d['c'] = 2", "d"),
        ("df['n'] = 1", "df.loc[0, 'n'] = 7", "df"),
        ("arr[0] = 9", "arr[1] = 9", "arr"),
        ("root.name = 'a'", "root.name = 'b'", "root"),
        ("frame[0, 'a'] = 9", "frame[1, 'a'] = 9", "frame"),
        ("st.add(8)", "st.add(9)", "st"),
    ],
)
def test_content_that_the_user_changed_since_is_left(code, since, name, space, kernel, run, whole):
    inverse, _ = run(code)
    exec(since, space)
    before = whole()
    left, _ = left_of(kernel, inverse)
    assert left == {name: "it was changed since"}
    assert whole() == before


def test_a_file_that_someone_changed_since_is_left(kernel, run, tmp_path):
    inverse, _ = run("open('there.txt', 'w').write('mine'); open('made.txt', 'w').write('x')")
    Path("there.txt").write_text("theirs")
    left, restored = left_of(kernel, inverse)
    assert left == {str(tmp_path / "there.txt"): "it was changed since"}
    assert restored == (str(tmp_path / "made.txt"),)
    assert Path("there.txt").read_text() == "theirs"


@pytest.mark.parametrize(
    ("code", "what", "reason"),
    [
        ("next(gen)", "gen", "a generator that was advanced can't be wound back"),
        ("import subprocess; subprocess.run(['true'])", "true", "a process that was started can't be undone"),
        ("huge[0] = 1", "huge", "it is too large to keep a copy of (61 MB)"),
        ("conn.execute('insert into t values (1)')", "conn", "what was written to a database can't be taken back"),
        ("made.close()", "made", "what was closed can't be opened again from here"),
        ("link.close()", "link", "what was closed can't be opened again from here"),
        ("tree.append(ET.Element('b'))", "tree", "the former state of an Element can't be kept"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_back_is_named_and_the_rest_is_put_back(code, what, reason, space, kernel, run):
    run("import sqlite3, socket; conn = sqlite3.connect(':memory:'); conn.execute('create table t (a)')")
    run("import xml.etree.ElementTree as ET; tree = ET.Element('a'); made = open('made.txt', 'w')")
    run("huge = np.zeros(8_000_000); link = socket.socket()")
    inverse, changes = run(f"marker = 1; lst.append(9); {code}")
    assert (what, reason) in changes.beyond
    left, restored = left_of(kernel, inverse)
    assert left[what] == reason
    assert {"marker", "lst"} <= set(restored)
    assert "marker" not in space
    run("link.close(); conn.close(); made.close()")


def test_a_file_that_nobody_saw_is_named(kernel, run, tmp_path):
    inverse, _ = run("import uuid\nwhere = ''.join(['out', '.parquet'])\nframe.write_parquet(where)")
    assert (tmp_path / "out.parquet").exists()
    assert left_of(kernel, inverse)[0] == {"where": "a file may have been written that could not be followed"}


def test_where_nothing_can_be_put_back_the_reasons_are_kept_as_data(kernel, run):
    inverse, changes = run("import subprocess as sp; del sp; __import__('subprocess').run(['true'])")
    assert not changes.any
    assert inverse == Inverse(NOTHING, {"left": [["true", "a process that was started can't be undone"]]})
    assert kernel.executor.take_back(inverse).left == (("true", "a process that was started can't be undone"),)


def test_a_request_is_named(kernel, run):
    import http.server
    import threading

    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    server.RequestHandlerClass.log_message = lambda *_args: None
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    port = server.server_address[1]
    inverse, _ = run(f"import urllib.request; got = urllib.request.urlopen('http://127.0.0.1:{port}/').status")
    thread.join(10)
    server.server_close()
    left, restored = left_of(kernel, inverse)
    assert f"a request to 127.0.0.1:{port}" in left
    assert "got" in restored


def test_code_that_fails_half_way_is_taken_back_too(space, kernel, run):
    inverse, _ = run("lst.append(1); total = 3; 1 / 0", ok=False)
    assert left_of(kernel, inverse)[0] == {}
    assert (space["lst"], space["total"]) == ([3, 1, [2]], 10)


def test_an_inverse_of_another_kernel_is_refused_in_words(space, kernel, run):
    inverse, _ = run("total = 1")
    other = attach({})
    with pytest.raises(NepheleError, match="the kernel was restarted"):
        other.executor.take_back(inverse)
    other.bridge.close()
    kernel.executor.take_back(inverse)
    with pytest.raises(NepheleError):
        kernel.executor.take_back(inverse)


def test_old_runs_make_room_for_new_ones(space, kernel, run):
    first, _ = run("total = 0")
    for number in range(60):
        last, _ = run(f"total = {number + 100}")
    with pytest.raises(NepheleError):
        kernel.executor.take_back(first)
    kernel.executor.take_back(last)
    assert space["total"] == 158


def test_nothing_of_the_users_runs_while_things_are_kept(space, kernel, run):
    space["touched"] = touched = []
    exec(
        "class Meta(type):\n"
        "    def __getattribute__(cls, n): touched.append(n); return type.__getattribute__(cls, n)\n"
        "class Trap(metaclass=Meta):\n"
        "    def __getattribute__(self, n): touched.append(n); return object.__getattribute__(self, n)\n"
        "    def __eq__(self, o): touched.append('eq'); return True\n"
        "    def __hash__(self): touched.append('hash'); return 1\n"
        "    def __bool__(self): touched.append('bool'); return True\n"
        "class Trapped(list):\n"
        "    def __iter__(self): touched.append('iter'); return iter(())\n"
        "    def __len__(self): touched.append('len'); return 5\n"
        "trap = Trap(); trapped = Trapped([1, trap]); kept = {'t': trap, trap: 1}; bag = {trap}",
        space,
    )
    touched.clear()
    run("total = 2")
    assert touched == []


def test_undo_from_inside_approved_code(space, kernel, run):
    inverse, _ = run("lst.append(7)")
    space["take_back"] = lambda: kernel.executor.take_back(inverse)
    run("done = take_back()")
    assert space["lst"] == [3, 1, [2]]
