"""Keeps approved code from waiting for a keyboard that nobody sits at; it never answers for the user."""

from __future__ import annotations

import builtins
import codecs
import getpass
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .swap import swapped

_END_OF_INPUT = b"\x04"
"""What Ctrl-D sends: no prompt takes it for a yes, as it might an empty line."""


@contextmanager
def refused(kernel: Any, shell: Any) -> Iterator[Callable[[], bool]]:
    """Refuse input() and getpass(), and give end of input to all else; yields a test whether anything read."""
    allowed = kernel._allow_stdin
    kernel._allow_stdin = False
    command = partial(_command, shell)
    try:
        with (
            swapped(builtins, input=kernel.raw_input),
            swapped(getpass, getpass=kernel.getpass),
            swapped(shell, system=command),
            _end_of_input() as was_read,
        ):
            yield was_read
    finally:
        kernel._allow_stdin = allowed


@contextmanager
def _end_of_input() -> Iterator[Callable[[], bool]]:
    """Put a file of one byte in the place of descriptor 0: its position tells whether anybody has read."""
    try:
        kept = os.dup(0)
    except OSError:
        yield lambda: False
        return
    with tempfile.TemporaryFile() as empty:
        empty.write(_END_OF_INPUT)
        empty.seek(0)
        os.dup2(empty.fileno(), 0)
        try:
            yield lambda: os.lseek(empty.fileno(), 0, os.SEEK_CUR) > 0
        finally:
            os.dup2(kept, 0)
            os.close(kept)


def _command(shell: Any, cmd: str) -> None:
    """Run a ``!`` line as IPython does, but without the terminal it would lend: a read there waits for ever."""
    if cmd.rstrip().endswith("&"):
        raise OSError("Background processes not supported.")
    text = shell.var_expand(cmd, depth=1)
    process = subprocess.Popen(  # noqa: S602 - the line is what the user approved
        text,
        shell=True,
        executable=os.environ.get("SHELL") if os.name == "posix" else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
    )
    try:
        _copy(process)
    finally:
        _end(process)
    shell.user_ns["_exit_code"] = process.returncode
    if getattr(shell, "system_raise_on_error", False) and process.returncode:
        raise subprocess.CalledProcessError(process.returncode, text)


def _copy(process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while chunk := process.stdout.read(65536):
        sys.stdout.write(decoder.decode(chunk))
    process.wait()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, and end a command that an interrupt has left behind, with all it started."""
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is not None:
        return
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
