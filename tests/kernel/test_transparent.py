"""A word for the round holds only for code in which all that it does can be read."""

from __future__ import annotations

import os
from typing import Any

import pytest

from nephele_nb.kernel.effects.transparent import transparent

NAMES: dict[str, Any] = {"system": os.system, "counts": [1, 2], "helper": lambda: None}


@pytest.mark.parametrize(
    "code",
    [
        "x = 1",
        "total = sum(counts) / len(counts)\nprint(f'{total:.2f}')",
        "import pandas as pd\nby = df.groupby('region')['units'].sum().sort_values(ascending=False)\nby.plot.bar()",
        "from collections import Counter\nCounter(words).most_common(3)",
        "df['month'] = df['date'].dt.month",
        "plt.plot(df.index, df['units'], label=str(df.shape))",
        "sorted(names, key=len)",
        "[n ** 2 for n in range(10) if n % 2]",
        "open('out.txt', 'w').write('x')",
        "df.groupby('a').agg('sum')",
        "df['a'].map(str)",
        "df.groupby(['region', 'month'])['units'].agg(['sum', 'mean'])",
        "print(counts)",
    ],
)
def test_what_can_be_read(code: str) -> None:
    assert transparent(code, NAMES)


@pytest.mark.parametrize(
    "code",
    [
        "list(map(open, ['/tmp/f'], ['w']))",
        "sorted(['1'], key=exec)",
        "max(['1'], key=eval)",
        "import os\nlist(map(os.system, ['touch /tmp/f']))",
        "import threading\nthreading.Thread(target=run).start()",
        "pd.Series(['1']).map(exec)",
        "df.apply(os.system)",
        "list(map(path.write_text, ['x']))",
        "class A:\n    def __add__(self, other): return open('/tmp/f', 'w')\nA() + 1",
        "class A:\n    __del__ = 1\nA()",
        "def f(): return 1\nf()",
        "list(map(lambda p: p, [1]))",
        "with thing: pass",
        "import subprocess",
        "from os import system",
        "from . import x",
        "().__class__.__base__.__subclasses__()",
        "[exec][0]('1')",
        "{'a': eval}['a']('1')",
        "(f if x else g)()",
        "run = exec",
        "%time x = 1",
        "!ls",
        "await thing()",
        "x = (",
        "list(map(system, ['touch /tmp/f']))",
        "df.agg(helper)",
        "f = table['x']\nlist(map(f, [1]))",
        "sorted([1], key=helper)",
        "f = getattr(counts, 'append')",
        "max(counts, key=chosen)",
        "df.pipe(chosen)",
        "f = table['x']\nre.sub('a', f, 'b')",
        "pd.read_pickle('frame.pkl')",
        "df.query('units > @f()')",
        "np.load('a.npy', allow_pickle=True)",
        "df.groupby(chosen)",
    ],
)
def test_what_cannot(code: str) -> None:
    assert not transparent(code, NAMES)
