"""Which model file is taken: what headers say, what fits, the usual caches, and what is passed over."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from nephele_nb.model.choice import LARGEST, choose, fits
from nephele_nb.model.gguf import Gguf, look
from tests.model.tiny_gguf import write

WORDS = ["Hello", " there."]


def test_a_header_says_name_size_context_and_that_it_chats(tmp_path: Path) -> None:
    path = write(tmp_path / "tiny.gguf", WORDS)
    assert look(path) == Gguf(path, "tiny", path.stat().st_size, 2048, True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plain.gguf", {"tokenizer__chat_template": None}),
        ("e5.gguf", {"llama__pooling_type": 1}),
        ("adapter.gguf", {"general__type": "adapter"}),
        ("mmproj-model-f16.gguf", {}),
        ("nomic-embed-text.gguf", {}),
        ("bge-reranker.gguf", {}),
    ],
)
def test_what_makes_no_chat_is_told(tmp_path: Path, name: str, said: dict[str, object]) -> None:
    found = look(write(tmp_path / name, WORDS, **said))
    assert found is not None
    assert not found.chat


@pytest.mark.parametrize("size", [0, 3, 20, 200, 5000])
def test_a_cut_file_is_no_model(tmp_path: Path, size: int) -> None:
    whole = write(tmp_path / "tiny.gguf", WORDS).read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[:size])
    assert look(tmp_path / "cut.gguf") is None


@pytest.mark.parametrize("bad", [b"NOPE" + bytes(60), b"GGUF" + struct.pack("<IQQ", 99, 0, 0) + bytes(60)])
def test_another_file_is_no_model(tmp_path: Path, bad: bytes) -> None:
    (tmp_path / "x.gguf").write_bytes(bad)
    assert look(tmp_path / "x.gguf") is None


def test_a_text_of_absurd_length_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 60) + bytes(100))
    assert look(tmp_path / "x.gguf") is None


def test_a_model_in_parts_is_one_where_all_are_there(tmp_path: Path) -> None:
    first = write(tmp_path / "big-00001-of-00002.gguf", WORDS)
    assert look(first) is None
    second = tmp_path / "big-00002-of-00002.gguf"
    second.write_bytes(bytes(1000))
    found = look(first)
    assert found is not None
    assert found.bytes == first.stat().st_size + 1000
    assert look(second) is None


def everywhere(root: Path) -> dict[str, str]:
    """Return an environment whose every cache lies below ``root``."""
    return {"HOME": str(root), "OLLAMA_MODELS": str(root / "ollama"), "HF_HUB_CACHE": str(root / "hub")}


def test_the_installed_model_goes_before_the_caches(tmp_path: Path) -> None:
    installed = write(tmp_path / "home/models/a.gguf", WORDS)
    write(tmp_path / ".lmstudio/models/maker/kind/b.gguf", WORDS)
    assert choose("auto", tmp_path / "home", everywhere(tmp_path)).model == look(installed)


@pytest.mark.parametrize(
    "place",
    [
        "hub/models--maker--kind/snapshots/abc/m.gguf",
        "hub/models--maker--kind/snapshots/abc/q4/m.gguf",
        ".lmstudio/models/maker/kind/m.gguf",
        ".cache/lm-studio/models/maker/kind/m.gguf",
    ],
)
def test_the_usual_caches_are_looked_through(tmp_path: Path, place: str) -> None:
    path = write(tmp_path / place, WORDS)
    write(path.with_name("mmproj.gguf"), WORDS)
    found = choose("auto", tmp_path / "home", everywhere(tmp_path)).model
    assert found is not None
    assert found.path == path


def test_ollamas_models_are_found_by_their_manifests(tmp_path: Path) -> None:
    root = tmp_path / "ollama"
    write(root / "blobs/sha256-abc", WORDS)
    manifest = root / "manifests/registry.ollama.ai/library/qwen2.5/1.5b"
    manifest.parent.mkdir(parents=True)
    layers = [{"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:x"}]
    layers.append({"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc"})
    manifest.write_text(json.dumps({"layers": layers}))
    manifest.with_name("broken").write_text("{")
    found = choose("auto", tmp_path / "home", everywhere(tmp_path)).model
    assert found is not None
    assert (found.name, found.path.name) == ("qwen2.5:1.5b", "sha256-abc")


def test_a_model_that_is_too_large_is_named_but_never_taken_unasked(tmp_path: Path) -> None:
    path = write(tmp_path / "home/models/huge.gguf", WORDS)
    with path.open("r+b") as file:
        file.truncate(LARGEST + 1)  # a hole: it takes no room
    choice = choose("auto", tmp_path / "home", everywhere(tmp_path))
    assert (choice.model, choice.why) == (None, "too_large")
    assert [m.name for m in choice.passed] == ["huge"]
    named = choose(str(path), tmp_path / "home").model
    assert named is not None
    assert named.path == path


def test_only_what_fits_in_memory_fits() -> None:
    model = Gguf(Path("m.gguf"), "m", 4_000_000_000, 0, True)
    assert fits(model, 8_000_000_000)
    assert not fits(model, 4_500_000_000)


def test_without_a_model_the_reason_is_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert choose("auto", home, everywhere(tmp_path)).why == "none"
    assert choose("none", home).why == "off"
    assert choose(str(tmp_path / "no.gguf"), home).why == "missing"
    (tmp_path / "text.gguf").write_text("not a model")
    assert choose(str(tmp_path / "text.gguf"), home).why == "unreadable"
    assert choose(str(write(tmp_path / "embed.gguf", WORDS)), home).why == "not_chat"
