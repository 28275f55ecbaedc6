"""Variables described without running any code of theirs."""

from __future__ import annotations

import functools
import json
import math
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nephele_nb.kernel.namespace import describe, lines

TOUCHED = []


def touch(*args):
    TOUCHED.append(args)
    raise AssertionError("code of the user's ran")


class HostileMeta(type):
    def __getattribute__(cls, name):
        touch("metaclass", name)

    def __instancecheck__(cls, other):
        touch("instancecheck")


class Hostile(metaclass=HostileMeta):
    __slots__ = ("x",)
    __getattribute__ = __repr__ = __len__ = __iter__ = __eq__ = __sizeof__ = touch
    __hash__ = touch


class LoudList(list):
    __len__ = __iter__ = __repr__ = __getitem__ = touch


class LoudStr(str):
    __slots__ = ()
    __len__ = __repr__ = __getitem__ = touch


class LoudFrame(pd.DataFrame):
    @property
    def shape(self):
        touch("shape")


class WithProperty:
    @property
    def value(self):
        touch("property")


def one(value, name="v"):
    (found,) = describe({name: value}, [name])
    return found


@pytest.fixture(autouse=True)
def nothing_ran():
    TOUCHED.clear()
    yield
    assert TOUCHED == []


@pytest.mark.parametrize("make", [lambda: object.__new__(Hostile), LoudList, LoudStr, WithProperty, LoudFrame])
def test_unknown_objects_are_named_by_their_type_alone(make):
    value = make()
    found = one(value)
    assert found.type.endswith((".Hostile", ".LoudList", ".LoudStr", ".WithProperty", ".LoudFrame"))
    assert (found.summary, found.shape) == ("", None)


def test_hostile_members_do_no_harm():
    hostile = object.__new__(Hostile)
    assert "items of" in one([hostile, 1]).summary
    assert one({"k": hostile}).summary == "1 keys: 'k'"
    assert "Hostile" in one((hostile,)).summary


@pytest.mark.parametrize(
    ("value", "summary"),
    [
        (None, "None"),
        (True, "True"),
        (42, "42"),
        (1.5, "1.5"),
        (math.nan, "nan"),
        ("text", "'text'"),
        (b"x", "b'x'"),
        ([1, "a"], "2 items: 1, 'a'"),
        ({"a": 1, 2: 3}, "2 keys: 'a', 2"),
        (range(3), "0:3:1"),
        ([], "0 items"),
        ([[1], {2}], "2 items of list, set"),
    ],
)
def test_plain_values(value, summary):
    assert one(value).summary == summary


def test_large_values_stay_short():
    assert one(10**5000).summary == "a whole number of 16610 bits"
    assert one("x" * 10**6).summary.endswith("… (1000000 long)")
    for value in (list(range(10**6)), dict.fromkeys(range(10**5)), ["y" * 10**5] * 50):
        found = one(value)
        assert len(found.summary) <= 400
        assert found.shape == (len(value),)


def test_pandas():
    found = one(pd.DataFrame({"price": [1.0, 2.0], "name": ["a", "b"]}))
    assert found.type.endswith("DataFrame")
    assert found.shape == (2, 2)
    assert found.summary.startswith("price: float64, name: ")
    assert found.size_bytes > 0
    series = one(pd.Series([1, 2], name="s"))
    assert (series.summary, series.shape) == ("'s' int64", (2,))
    wide = one(pd.DataFrame(np.zeros((1, 500))))
    assert "480 more columns" in wide.summary


def test_polars_and_lazy_data_stay_lazy():
    frame = pl.DataFrame({"a": [1], "b": ["x"]})
    assert one(frame).summary == "a: Int64, b: String"
    assert one(frame["a"]).summary == "'a' Int64"
    lazy = frame.lazy().map_batches(lambda _frame: touch("collected"))
    assert one(lazy).summary == "lazy; not computed"


def test_arrow_and_numpy():
    table = one(pa.table({"a": [1, 2]}))
    assert (table.summary, table.shape, table.size_bytes) == ("a: int64", (2, 1), 16)
    array = one(np.zeros((3, 4)))
    assert (array.summary, array.shape, array.size_bytes) == ("float64", (3, 4), 96)
    objects = np.empty(1, dtype=object)
    objects[0] = object.__new__(Hostile)
    assert one(objects).summary == "object"


def test_code_is_named_and_not_called():
    def f(a, b=touch, *, c=1):
        touch(a, b, c)

    assert one(f).summary == "function of (a, b, c)"
    assert one(sys).summary == "module sys"
    assert one(WithProperty).summary == "class WithProperty"
    assert one(functools.partial(touch)).summary == ""
    generator = (touch(i) for i in [1])
    assert one(generator).summary == "not started or under way; left as it is"


def test_what_is_not_there_is_said():
    (found,) = describe({}, ["nowhere"])
    assert (found.name, found.type, found.summary) == ("nowhere", "", "is not defined")


def test_the_list_leaves_out_what_is_ipythons_and_puts_data_first():
    hidden = {"x": (same := object())}
    space = {"sys": sys, "f": lambda: 0, "In": [], "_1": 2, "x": same, "n": 1, "exit": 0, 3: 4, "df": [1]}
    assert [v.name for v in describe(space, hidden=hidden)] == ["n", "df", "sys", "f"]
    assert [v.name for v in describe(space | {"x": 5}, hidden=hidden)][:2] == ["x", "n"]


def test_lines_name_what_holds_data_with_its_shape_and_none_of_its_values() -> None:
    space = {"key": "sk-secret", "rows": [1, 2], "frame": pd.DataFrame({"a": [1]}), "json": json, "f": len, "C": object}
    shown = lines(describe(space))
    assert shown == ["key: str", "rows: list 2", "frame: pandas.DataFrame 1×1 (a: int64)"]
    many = lines(describe({f"v{n}": n for n in range(50)}))
    assert many[-1] == "and 10 more"
    assert len(many) == 41
