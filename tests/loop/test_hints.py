"""After an error the model hears what would help: a variable that is there, the columns a table has."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from tests.loop.session import Session, python

Start = Callable[..., Session]


def told(start: Start, code: str) -> str:
    frame = pd.DataFrame({"region": ["E"], "units": [3]})
    s = start([python(code), "Done."], namespace={"sales": frame, "k": 1}, approve="always")
    s.ask()
    return s.results()[0]


def test_a_file_that_is_a_variable_is_named(session: Start) -> None:
    said = told(session, "import pandas as pd\nx = pd.read_csv('data/sales.csv')")
    assert "sales is a variable here already (pandas.DataFrame)" in said
    assert "pd.read_csv('data/sales.csv')" in said
    assert "site-packages" not in said
    assert "FileNotFoundError" in said


def test_a_column_that_is_not_there_brings_those_that_are(session: Start) -> None:
    said = told(session, "sales['unit'].max()")
    assert "sales has these columns: region: " in said
    assert "units: int64" in said
    assert "sales['unit'].max()" in said
    assert "KeyError: 'unit'" in said
    assert "site-packages" not in said


def test_other_errors_get_no_advice(session: Start) -> None:
    assert "columns" not in told(session, "1 / 0")
    assert "columns" not in told(session, "{}['a']")
    assert "variable here" not in told(session, "open('none.csv')")
