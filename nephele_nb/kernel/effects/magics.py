"""What IPython's magics and shell lines do, by their text; it never runs them."""

from __future__ import annotations

from collections.abc import Callable

from .catalogue import FETCHING, INSTALLING
from .report import Found

_LONGEST = 120
_INSTALLERS = {"pip", "conda", "mamba", "micromamba", "uv"}
_TIMERS = {"time", "timeit", "prun", "lprun", "memit", "mprun", "capture", "debug", "snakeviz", "code_wrap"}
_HARMLESS = set(
    "matplotlib config precision autoreload aimport who whos who_ls pwd lsmagic pdoc psource pinfo pinfo2 pdef pfile "
    "history hist magic quickref pprint doctest_mode xmode colors automagic page psearch recall rerun_not dhist "
    "html svg latex markdown HTML SVG nephele ldir pylab gui connect_info qtconsole".split()
)
_SHELLS = {
    "bash",
    "sh",
    "script",
    "perl",
    "ruby",
    "cmd",
    "system",
    "sx",
    "python2",
    "python3",
    "python",
    "pypy",
    "R",
    "!",
}
_ALIASES = {"ls", "cat", "less", "more", "man", "ll", "lf", "lk", "ld", "lx"}
_FILE_ALIASES = {"mkdir", "rm", "rmdir", "cp", "mv", "ln", "touch"}
_WRITERS = {"writefile", "file", "save", "notebook", "logstart", "store", "bookmark"}
_NO_CODE = {"javascript", "js"}


def shell(found: Found, command: str) -> None:
    """Note what a shell command does."""
    found.add("processes", _brief(command))
    if INSTALLING.search(command):
        found.add("installs", _brief(command))
    if FETCHING.search(command):
        found.add("network", _brief(command))


def magic(found: Found, name: str, line: str, body: str | None, run: Callable[[str], None]) -> None:
    """Note what a magic does; ``run`` takes code that it would run."""
    if name in _INSTALLERS:
        shell(found, f"{name} {line}")
        if line.split() and line.split(maxsplit=1)[0] in {"install", "uninstall", "update", "add", "remove", "sync"}:
            found.add("installs", _brief(f"{name} {line}"))
    elif name in _TIMERS:
        run(_after_options(line) if body is None or name == "time" else "")
        run(body or "")
    elif name in _SHELLS or name in _ALIASES or name in _FILE_ALIASES:
        shell(found, " ".join(filter(None, (name, line, body))) if name != "!" else f"{line}\n{body or ''}")
        if name in _FILE_ALIASES:
            found.add("files_written", _brief(line))
    elif name in _WRITERS:
        found.add("files_written", _brief(line.rsplit(maxsplit=1)[-1] if line.split() else name))
    elif name == "cd":
        found.add("changes", "os.getcwd()")
    elif name in ("env", "set_env"):
        if "=" in line or " " in line.strip():
            found.add("changes", "os.environ")
    else:
        _of_names(found, name, line)


def _of_names(found: Found, name: str, line: str) -> None:
    if name in ("reset", "reset_selective"):
        found.add("deletes", f"%{name} {line}".strip())
    elif name in ("xdel", "del"):
        found.add("deletes", line.rsplit(maxsplit=1)[-1] if line.split() else "")
    elif name == "load_ext" and line.strip() in ("autoreload", "nephele_nb"):
        return
    elif name in ("run", "load", "loadpy"):
        found.add("files_read", _brief(line))
        if name == "run":
            found.add("unknown", _brief(f"%{name} {line}"))
    elif name in _NO_CODE or name not in _HARMLESS:
        found.add("unknown", _brief(f"%{name} {line}"))


def _after_options(line: str) -> str:
    words = line.split(" ")
    while words and words[0].startswith("-") and len(words[0]) > 1:
        words.pop(0)
    return " ".join(words).strip()


def _brief(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    cut = first[:_LONGEST]
    return cut + ("…" if rest.strip() or len(first) > _LONGEST else "")
