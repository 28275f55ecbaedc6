"""Makes the indexes of one open table of LanceDB, each the kind that was measured to suit; it says nothing of when."""

from __future__ import annotations

from typing import Any


def index_words(table: Any) -> None:
    """Index passages by their words, unless they are."""
    from lancedb.index import FTS

    if not table.list_indices():
        # words are cut and normalised by words.py, so white space is all that parts them here
        config = FTS(base_tokenizer="whitespace", stem=True, remove_stop_words=False, with_position=False)
        table.create_index("words", config=config)


def index_lookup(table: Any, column: str) -> None:
    """Index a column for looking rows up by its value."""
    from lancedb.index import BTree

    table.create_index(column, config=BTree())


def index_vectors(table: Any) -> None:
    """Index vectors by cosine, and by language, because a search asks for those of other languages too."""
    from lancedb.index import Bitmap, IvfRq

    table.create_index("vector", config=IvfRq(distance_type="cosine"))
    table.create_index("lang", config=Bitmap())
