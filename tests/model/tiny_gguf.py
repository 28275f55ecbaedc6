"""Writes a real model file of two megabytes that says one given sentence to whatever it is asked."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

GO = "<|go|>"
TEMPLATE = "{% for message in messages %}{{ message.content }}\n{% endfor %}" + GO
WIDTH, INNER = 288, 32
TEXT, ARRAY, UINT, INT, FLOAT = 8, 9, 4, 5, 6
UNKNOWN, CONTROL, NORMAL, BYTE = 2, 3, 1, 6
BYTES = [f"<0x{n:02X}>" for n in range(256)]


def write(path: Path, words: Sequence[str], *, endless: bool = False, **more: Any) -> Path:
    """Write a model whose every answer is ``words``, each one token; ``endless`` begins again and again.

    ``more`` overwrites what the header says, with dots for double underscores; None leaves an entry out.
    """
    tokens = ["<unk>", "<s>", "</s>", *BYTES, GO, *(word.replace(" ", "▁") for word in words)]
    first = tokens.index(GO)
    last = len(tokens) - 1
    following = {n: n + 1 for n in range(first, last)} | {last: first + 1 if endless else 2}
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, CONTROL, *[NORMAL] * len(words)]
    header = _header(tokens, kinds) | {name.replace("__", "."): value for name, value in more.items()}
    tensors = _tensors(len(tokens), following)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_file({name: value for name, value in header.items() if value is not None}, tensors))
    return path


def _header(tokens: Sequence[str], kinds: Sequence[int]) -> dict[str, Any]:
    return {
        "general.architecture": "llama",
        "general.name": "tiny",
        "llama.context_length": 2048,
        "llama.embedding_length": WIDTH,
        "llama.block_count": 1,
        "llama.feed_forward_length": INNER,
        "llama.attention.head_count": 2,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": WIDTH // 2,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": TEMPLATE,
    }


def _tensors(count: int, following: Mapping[int, int]) -> dict[str, np.ndarray[Any, Any]]:
    """Return weights in which nothing but the last token counts: it alone says which one comes next."""
    said = np.zeros((count, WIDTH), np.float32)
    for now, then in following.items():
        said[then, now] = 1.0
    square, wide = np.zeros((WIDTH, WIDTH), np.float32), np.zeros((INNER, WIDTH), np.float32)
    ones = np.ones(WIDTH, np.float32)
    block = {f"attn_{part}": square for part in ("q", "k", "v", "output")}
    block |= {"ffn_gate": wide, "ffn_up": wide, "ffn_down": np.ascontiguousarray(wide.T)}
    block |= {"attn_norm": ones, "ffn_norm": ones}
    return {
        "token_embd.weight": np.eye(count, WIDTH, dtype=np.float32),
        "output_norm.weight": ones,
        "output.weight": said,
        **{f"blk.0.{name}.weight": value for name, value in block.items()},
    }


def _file(header: Mapping[str, Any], tensors: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    out = bytearray(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(header)))
    for name, value in header.items():
        out += _text(name) + _value(value)
    offset = 0
    for name, tensor in tensors.items():
        shape = tensor.shape[::-1]
        out += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        offset += -(-tensor.nbytes // 32) * 32
    for tensor in tensors.values():
        out += bytes(-len(out) % 32) + tensor.tobytes()
    return bytes(out)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", TEXT) + _text(value)
    if isinstance(value, list):
        kind = {str: TEXT, int: INT, float: FLOAT}[type(value[0])]
        items = b"".join(_text(v) if kind == TEXT else struct.pack("<f" if kind == FLOAT else "<i", v) for v in value)
        return struct.pack("<IIQ", ARRAY, kind, len(value)) + items
    return struct.pack("<If", FLOAT, value) if isinstance(value, float) else struct.pack("<II", UINT, value)
