"""What the approval card says of code before it runs, held to a labelled set."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from nephele_nb.kernel.effects import CLASSES, analyse, sentences
from nephele_nb.strings import Strings
from tests.kernel.conftest import FIXTURES

ALWAYS = "Runs in your live kernel, where it can read and change anything you can."
NAMED = ("reads", "writes", "deletes", "changes")
LABELLED = [json.loads(line) for line in (FIXTURES / "effects.jsonl").read_text("utf-8").splitlines()]


def told(code, namespace=None, language="en"):
    return sentences(analyse(code, namespace), Strings(language))


@pytest.fixture(scope="module")
def space():
    path = FIXTURES / "effects_setup.py"
    names = {"__name__": "__main__"}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return names


def compare(space):
    """Return, by class, what was found of the labels, what was missed, and what was said beyond them."""
    found, missed, beyond = defaultdict(list), defaultdict(list), defaultdict(list)
    for line in LABELLED:
        effects = analyse(line["code"], space)
        for name in CLASSES:
            got, wanted = getattr(effects, name), line["effects"].get(name, [])
            if wanted is True:
                (found if got else missed)[name].append((line["code"], True))
                continue
            for item in wanted:
                (found if item in got else missed)[name].append((line["code"], item))
            extra = [i for i in got if i not in wanted] if name in NAMED else got
            beyond[name] += [(line["code"], item) for item in extra]
    return found, missed, beyond


def test_recall_and_precision_of_each_class(space, record_property):
    assert len(LABELLED) >= 120
    found, missed, beyond = compare(space)
    for name in CLASSES:
        right, wrong, more = len(found[name]), len(missed[name]), len(beyond[name])
        record_property(name, f"recall {right / (right + wrong):.3f}, precision {right / (right + more):.3f}")
        assert right + wrong >= 6, name
        assert right / (right + wrong) >= 0.95, missed[name]
        assert right / (right + more) >= 0.85, beyond[name]


def test_ordinary_code_still_is_not_called_safe():
    assert told("1 + 1") == [ALWAYS]
    assert told("df = 1\ndf + 1") == ["Sets the names df", ALWAYS]


def test_a_class_has_its_sentence_in_both_languages(space):
    code = (
        "import requests\nlst.append(requests.get('http://h/x').text)\ndf.to_csv('o.csv')\ndel d\n!pip install x\n"
        "pd.read_csv('i.csv')\nexec(text)"
    )
    assert told(code, space) == [
        "Can't tell what this does: exec.",
        "Installs or removes packages: pip install x",
        "Starts a process: pip install x",
        "Uses the network: http://h/x",
        "Writes, moves or deletes files: o.csv",
        "Deletes the names d",
        "Changes in place: lst",
        "Sets the names requests",
        "Reads files: i.csv",
        "Reads lst, df, text",
        ALWAYS,
    ]
    chinese = told(code, space, "zh")
    assert len(chinese) == 11
    assert chinese[5] == "删除变量 d"


def test_a_long_list_is_cut_and_counted():
    code = "\n".join(f"n{i} = {i}" for i in range(20))
    assert told(code)[0] == "Sets the names n0, n1, n2, n3, n4, n5, n6, n7 and 12 more"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import os; os._exit(9)", "os._exit"),
        ("from os import _exit as leave\nleave(1)", "os._exit"),
        ("import os as o\no.kill(o.getpid(), 9)", "os.kill"),
        ("def f():\n    import os\n    os.abort()\nf()", "os.abort"),
    ],
)
def test_what_ends_the_process_is_named(code, name):
    assert told(code)[0] == f"{name} can end the kernel."


@pytest.mark.parametrize(
    ("code", "name"), [("import sys\nsys.exit()", "sys.exit"), ("quit()", "quit"), ("exit", "exit")]
)
def test_what_is_refused_is_named_as_such(code, name):
    assert told(code)[0] == f"{name} asks the kernel to end; that is refused."


@pytest.mark.parametrize("code", ["def f(:", "\x00", "((((" * 200])
def test_what_cannot_be_read_is_said(code):
    assert told(code)[0].startswith("Can't tell what it does")


def test_classes_tell_whether_a_call_asks_for_anything_new(space):
    assert analyse("lst.append(1)", space).classes == {"reads", "changes"}
    assert analyse("sum(lst)", space).classes <= analyse("lst.append(1)", space).classes
    assert "unknown" in analyse("anything(lst)", space).classes


TRAPS = """
touched = []
class Meta(type):
    def __getattribute__(cls, name):
        touched.append(("meta", name)); return type.__getattribute__(cls, name)
    def __instancecheck__(cls, other):
        touched.append(("instancecheck",)); return True
class Trap(metaclass=Meta):
    def __getattribute__(self, name):
        touched.append(name); return object.__getattribute__(self, name)
    def __getattr__(self, name):
        touched.append(name); raise AttributeError(name)
    def __eq__(self, other):
        touched.append("eq"); return True
    def __hash__(self):
        touched.append("hash"); return 1
    def __bool__(self):
        touched.append("bool"); return True
    def __len__(self):
        touched.append("len"); return 3
    def __iter__(self):
        touched.append("iter"); return iter(())
    def __repr__(self):
        touched.append("repr"); return "Trap"
    @property
    def cost(self):
        touched.append("cost"); return 1
    @property
    def __class__(self):
        touched.append("class"); return int
    def method(self):
        touched.append("method")
trap = Trap()
held = {"t": trap}
listed = [trap, trap]
touched.clear()
"""


@pytest.mark.parametrize(
    "code",
    [
        "trap.cost", "trap.method()", "trap.x = 1", "trap[0]", "trap == 1", "for t in trap: pass", "Trap()", "trap + 1",
        "held['t'].method()", "listed[0].cost", "trap()", "del trap.x", "print(trap)", "isinstance(1, Trap)", "Trap.y",
        "trap.method", "len(trap)", "getattr(trap, 'cost')", "@trap\ndef f(): pass", "with trap: pass", "trap += 1",
    ],
)  # fmt: skip
def test_nothing_of_the_users_runs(code):
    names = {"__name__": "__main__"}
    exec(TRAPS, names)
    analyse(code, names)
    assert names["touched"] == []


def test_a_function_without_source_is_unknown_and_not_clean():
    names = {"__name__": "__main__"}
    exec("def f(x):\n    x.clear()", names)
    assert analyse("f([])", names).unknown == ("f",)


def test_functions_that_call_each_other_come_to_an_end(space):
    code = "def a(x):\n    b(x)\ndef b(x):\n    a(x)\n    x.append(1)\na(lst)"
    assert analyse(code, space).changes == ("lst",)
