"""The shapes of the library's tables and their version number; it never opens anything."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

VERSION = 2
"""Grows when a stored shape changes; a library with a higher number was written by a newer release."""

NOTES = "notes"
PASSAGES = "passages"
TABLES = "tables"
EDGES = "edges"
META = "meta"
DATA = "data_"
"""What the names of the users' own tables begin with; each is written whole, and its versions are kept."""

RESERVED = ("table:", "tag:")
"""What the content ids of tables and of tags begin with; no note's id does."""

KEYS = {NOTES: "content_id", PASSAGES: "id", TABLES: "content_id", EDGES: "id", META: "key"}
"""The column that names a row of each table."""

VECTORS = "vectors"
"""What the name of each table of vectors begins with, up to an underscore."""

LOOKUPS = {
    NOTES: ("content_id", "title_key"),
    PASSAGES: ("id", "content_id"),
    EDGES: ("source", "label"),
    VECTORS: ("id",),
}
"""The columns by whose value rows are looked up, which get an index in a large table."""


def schema_of(name: str) -> pa.Schema:
    """Return the shape of one of the library's own tables. Times are Unix seconds, spans characters of the note."""
    import pyarrow as pa

    text, number, whole, words = pa.string(), pa.float64(), pa.int64(), pa.list_(pa.string())
    shapes: dict[str, dict[str, pa.DataType]] = {
        NOTES: {
            "content_id": text, "kind": text, "title": text, "title_key": text, "text": text, "tags": words,
            "tag_keys": words, "names": words, "path": text, "root": text, "hash": text, "lang": text, "words": whole,
            "created": number, "updated": number,
        },
        PASSAGES: {
            "id": text, "content_id": text, "n": whole, "title": text, "head": text, "text": text, "start": whole,
            "end": whole, "words": text, "plain": text, "lang": text, "updated": number,
        },
        TABLES: {"content_id": text, "name": text, "data": text, "columns": text, "rows": whole, "updated": number},
        EDGES: {
            "id": text, "source": text, "kind": text, "label": text, "start": whole, "end": whole, "evidence": text,
        },
        META: {"key": text, "value": text},
    }  # fmt: skip
    return pa.schema(list(shapes[name].items()))


def vectors_table(embedder_id: str, dim: int) -> str:
    """Return the name of the table that holds one embedder's vectors; two embedders never share one."""
    return f"{VECTORS}_{digest(embedder_id, str(dim))}"


def vectors_schema(dim: int) -> pa.Schema:
    """Return the shape of a vectors table; ``id`` is a passage's id, which changes with the passage's words."""
    import pyarrow as pa

    text = pa.string()
    return pa.schema(
        [
            ("id", text),
            ("content_id", text),
            ("lang", text),
            ("embedder", text),
            ("vector", pa.list_(pa.float32(), dim)),
        ]
    )


def digest(*parts: str, size: int = 10) -> str:
    """Return a short hexadecimal name for a sequence of strings."""
    h = blake2b(digest_size=size)
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        h.update(len(raw).to_bytes(8, "big") + raw)
    return h.hexdigest()
