"""Options of the process that approved code changed are put back: of matplotlib, of pandas, and more."""

from __future__ import annotations

import os
import random

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from nephele_nb.kernel import attach
from nephele_nb.kernel.effects import analyse
from nephele_nb.kernel.keeping import Keeping


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = attach({"__name__": "__main__"})
    yield made
    made.bridge.close()


@pytest.fixture
def run(kernel):
    def run(code):
        keeping = Keeping(code, analyse(code, kernel.executor.namespace))

        async def go():
            return await kernel.executor.start(code, timeout=60, keeping=keeping).result()

        assert kernel.bridge.submit(go()).result(120).status == "ok"
        return kernel.executor.kept.add(keeping.changes), keeping.changes

    return run


@pytest.mark.parametrize(
    "code",
    [
        "import matplotlib; matplotlib.rcParams['lines.linewidth'] = 7",
        "import matplotlib.pyplot as plt; plt.rcParams.update({'font.size': 31})",
        "import matplotlib.pyplot as plt; plt.rcParams['font.family'].append('none')",
        "import matplotlib.pyplot as plt; plt.style.use('dark_background')",
        "import pandas as pd; pd.set_option('display.max_rows', 7)",
        "import pandas as pd; pd.options.display.precision = 2",
        "import random; random.seed(5)",
        "import numpy as np; np.random.seed(5)",
        "import os; os.environ['NEPHELE_NO_SUCH'] = '1'",
    ],
)
def test_options_of_the_process_are_put_back(code, kernel, run):
    before = options()
    inverse, changes = run(code)
    after = options()
    assert after != before
    assert changes.beyond == []
    back = kernel.executor.take_back(inverse)
    assert (options(), back.left) == (before, ())
    kernel.executor.take_back(kernel.executor.take_back(back.inverse).inverse)
    assert options() == before


def options():
    plots = {name: str(value) for name, value in mpl.rcParams.items() if not name.startswith("backend")}
    frames = [pd.get_option(name) for name in ("display.max_rows", "display.precision")]
    return plots, frames, random.getstate(), repr(np.random.get_state()), dict(os.environ)
