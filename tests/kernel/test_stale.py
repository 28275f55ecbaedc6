"""What the agent looked at and the user changed since is told; what is unchanged never is."""

from __future__ import annotations

import pytest

from nephele_nb.kernel.fingerprint import fingerprint
from nephele_nb.kernel.seen import Seen
from tests.kernel.conftest import FIXTURES

SETUP = (FIXTURES / "mutations_setup.py").read_text("utf-8")
CHANGED = [
    ("total", "total = 11"),
    ("text", "text += '!'"),
    ("lst", "lst.append(1)"),
    ("lst", "lst[2][0] = 3"),
    ("alias", "lst.clear()"),
    ("d", "d['inner']['z'].append(0)"),
    ("d", "d['a'] = 2"),
    ("st", "st.discard(1)"),
    ("ba", "ba[0] = 66"),
    ("pair", "pair[1]['k'] = 5"),
    ("dq", "dq.rotate(1)"),
    ("counts", "counts['a'] += 1"),
    ("arr", "arr[7] = 0"),
    ("view", "arr[3] = 40"),
    ("boxes", "boxes[0].append(1)"),
    ("df", "df.loc[2, 'b'] = 0.0"),
    ("df", "df['n'] = 1"),
    ("df", "df.columns = list('wxyz')"),
    ("df", "df.at[1, 's'] = 'q'"),
    ("df", "df = df.iloc[::-1]"),
    ("df", "df.index = [1, 2, 3]"),
    ("s", "s.name = 'z'"),
    ("frame", "frame[2, 't'] = 'q'"),
    ("frame", "frame = frame.head(2)"),
    ("root", "root.name = 'x'"),
    ("root", "leaf.name = 'x'"),
    ("settings", "settings.tags.append('n')"),
    ("slotted", "slotted.x = 3"),
    ("stack", "stack.append(3)"),
    ("Node", "Node.kind = 'k'"),
    ("grow", "def grow(x): return x"),
    ("rng", "rng.normal()"),
    ("buffer", "buffer.write('z')"),
    ("gen", "next(gen)"),
    ("total", "del total"),
    ("big", "big[0] = 1.5"),
    ("big", "big = big[:-1]"),
    ("long", "long.append(1)"),
    ("wide", "wide.loc[77_777, 's'] = 'z'"),
]
UNCHANGED = [
    "pass",
    "total = 10; text = 'te' + 'xt'",
    "lst = [3, 1, [2]]",
    "st = {3, 2, 1}",
    "df = df.copy()",
    "df2 = df.assign(n=1); df.head(); df.describe()",
    "arr = arr.copy(); arr.sum()",
    "frame = frame.clone(); frame.lazy()",
    "d = {'a': 1, 'inner': {'z': [1]}}",
    "other = 5; lst2 = [*lst]",
    "repr(root); str(df); sorted(counts)",
    "big.mean(); len(long); wide.shape",
]


@pytest.fixture
def space():
    names = {"__name__": "__main__"}
    exec(SETUP, names)
    exec("big = np.zeros(5_000_000); long = list(range(200_000))", names)
    exec("wide = pd.DataFrame({'s': [str(i) for i in range(100_000)], 'n': range(100_000)})", names)
    return names


@pytest.mark.parametrize(("name", "code"), CHANGED)
def test_a_change_is_never_silent(name, code, space):
    assert len(CHANGED) >= 20
    seen = Seen()
    seen.look(space, space)
    exec(code, space)
    assert name in seen.stale([name], space)
    seen.look([name], space)
    assert seen.stale([name], space) == []


@pytest.mark.parametrize("code", UNCHANGED)
def test_what_is_unchanged_raises_no_alarm(code, space):
    seen = Seen()
    names = [n for n in space if not n.startswith("__")]
    seen.look(names, space)
    exec(code, space)
    assert seen.stale(names, space) == []


def test_what_was_never_looked_at_is_not_stale(space):
    seen = Seen()
    seen.look(["lst"], space)
    space["total"] = 5
    assert seen.stale(["total", "lst", "nowhere"], space) == []


def test_nothing_of_the_users_runs():
    touched = []
    names = {"touched": touched}
    exec(
        "class Meta(type):\n"
        "    def __getattribute__(cls, n): touched.append(n); return type.__getattribute__(cls, n)\n"
        "class Trap(metaclass=Meta):\n"
        "    def __getattribute__(self, n): touched.append(n); return object.__getattribute__(self, n)\n"
        "    def __eq__(self, o): touched.append('eq'); return True\n"
        "    def __hash__(self): touched.append('hash'); return 1\n"
        "    def __repr__(self): touched.append('repr'); return 'x'\n"
        "class Trapped(tuple):\n"
        "    def __iter__(self): touched.append('iter'); return iter(())\n"
        "    def __len__(self): touched.append('len'); return 5\n"
        "trap = Trap(); trapped = Trapped([1, trap]); kept = {'t': trap, trap: 1}; bag = {trap}",
        names,
    )
    touched.clear()
    for name in ("trap", "trapped", "kept", "bag", "Trap"):
        fingerprint(names[name])
    assert touched == []
