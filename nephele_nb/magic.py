"""``%nephele`` and ``%%nephele``: text is taken as it was typed; it never interprets a question.

A word after the magic is a subcommand only when the whole line fits its form; all else is a question, and
``%nephele -- TEXT`` always is.
"""

from __future__ import annotations

import io
import os
import re
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class, no_var_expand

from . import export, keys
from .agent import Agent
from .commands.report import added, embedding, help_text, status, taken_back
from .doctor import examine
from .errors import ApprovalUnanswered, ModelError, NepheleError, SettingError, nearest, slip
from .kernel.front import forbids_stdin, ipython, publish, say
from .lite_install import install
from .model.tiers import key_host
from .rules import FORCE
from .run import Run
from .settings import shared
from .strings import Strings, language_of
from .twin import markdown
from .widget import ChatWidget, saved, show

LINE = re.compile(r"^(\s*)%nephele(?:[ \t]+(.*?))?[ \t]*$")
SLIPS = ("status", "stop", "undo", "help", "doctor", "export")
"""Commands of one word that are long enough for a slip of theirs to be no other word, most of the time."""
OPTION = re.compile(r"--(\w+)(?=\s|$)\s*")


@dataclass(slots=True)
class Options:
    """What stood before the question."""

    mode: Any = None
    tier: str | None = None
    research: bool = False
    wait: bool = False


@magics_class
class NepheleMagics(Magics):
    """The magics of one IPython shell."""

    @no_var_expand
    @line_cell_magic
    def nephele(self, line: str, cell: str | None = None) -> None:
        """Show the chat, ask a question, or run a subcommand; see ``%nephele help``."""
        try:
            self._take(line, cell)
        except NepheleError as error:
            if _must_fail(error):
                raise
            say(str(error))

    def _take(self, line: str, cell: str | None) -> None:
        options, text = parse_options(line)
        if cell is not None:
            if text:
                raise SettingError(f"%%nephele takes options only on its first line, not {text!r}; type below it.")
            self._ask(cell.strip("\n"), options)
            return
        if text == "--" or text.startswith("-- "):
            question = text[2:].strip()
            self._ask(f"{FORCE} {question}" if question else "", options)
            return
        command = self._command(text) if options == Options() else None
        if command is not None:
            command()
        else:
            self._ask(text, options)

    def _command(self, text: str) -> Callable[[], Any] | None:
        word, _, rest = text.partition(" ")
        rest = rest.strip()
        if not text:
            return lambda: show(_agent())
        if text == "doctor":
            return lambda: say(examine(_agent))
        if text == "export":
            return lambda: say(export.report(_agent()))
        if text == "lite install":
            return lambda: install(_agent().settings, say)
        simple = {"stop": self._stop, "status": self._status, "help": self._help, "undo": self._undo, "key": self._key}
        if text in simple:
            return simple[text]
        if word == "undo" and rest in _agent().journal.rounds():
            return lambda: self._undo(rest)
        if word == "add" and (path := _path(rest)) is not None:
            return lambda: self._add(path)
        if word == "export" and (file := export.named(rest) or (Path(rest) if looks_like_path(rest) else None)):
            return lambda: say(export.report(_agent(), file))
        if word == "add" and looks_like_path(rest):
            raise SettingError(_say(_agent(), "")("no_such_path", path=rest))
        if (command := slip(text, SLIPS)) and not _agent().follows(text):
            raise SettingError(_say(_agent(), "")("command_slip", word=text, command=command))
        return None

    def _ask(self, text: str, options: Options) -> None:
        agent = _agent()
        if not text.strip():
            raise SettingError(_say(agent, text)("ask_empty"))
        headless = forbids_stdin()
        run = agent.ask(text, mode=options.mode, research=options.research, tier=options.tier)
        if headless:
            _finish(agent, run, None)
        else:
            widget = show(agent, run)
            if options.wait:
                _finish(agent, run, widget)

    def _stop(self) -> None:
        agent = _agent()
        if all(run.done for run in agent.runs):
            say(_say(agent, "")("nothing_runs"))
        agent.stop()

    def _undo(self, round_id: str | None = None) -> None:
        agent = _agent()
        say("\n".join(taken_back(agent.undo(round_id), _say(agent, ""))))

    def _status(self) -> None:
        agent = _agent()
        words = _say(agent, "")
        running = words("status_rounds", count=sum(not run.done for run in agent.runs))
        say("\n".join(f"- {line}" for line in [*status(agent, (), words), running]))

    def _key(self) -> None:
        agent = _agent()
        words = _say(agent, "")
        if forbids_stdin():
            raise SettingError(words("key_no_prompt"))
        host = key_host(agent.settings, os.environ)
        kept = keys.ask(host, words("key_prompt", host=host))
        say(words("key_none" if kept is None else "key_kept" if kept else "key_held", host=host))

    def _help(self) -> None:
        say(help_text(_say(_agent(), "")))

    def _add(self, path: Path) -> None:
        from .library.progress import fitting

        agent = _agent()
        words = _say(agent, "")
        show_step = fitting()
        show_step(path.name, 0, 0)  # the library's first opening takes a while
        try:
            report = agent.library.add(path, progress=show_step)
        except KeyboardInterrupt:
            say(words("add_interrupted"))
            raise
        say("\n".join([*added(report, words), *embedding(agent.library.stats(), words)]))


def parse_options(line: str) -> tuple[Options, str]:
    """Return the options a line begins with, and the rest as typed; raises SettingError for an unknown one."""
    options, rest = Options(), line.strip()
    while (found := OPTION.match(rest)) is not None:
        name, rest = found.group(1), rest[found.end() :]
        if name in ("research", "wait"):
            setattr(options, name, True)
        elif name in ("mode", "tier"):
            value, _, rest = rest.partition(" ")
            setattr(options, name, value)
            rest = rest.lstrip()
        else:
            known = [f"--{word}" for word in ("mode", "tier", "research", "wait")]
            raise SettingError(f"%nephele has no option --{name}{nearest('--' + name, known)}.")
    return options, rest


def take_as_typed(lines: list[str]) -> list[str]:
    """Rewrite ``%nephele TEXT`` lines so that IPython leaves TEXT alone: ``?``, braces, ``$`` and quotes."""
    if lines and lines[0].startswith("%%"):
        return lines
    result: list[str] = []
    for index, line in enumerate(lines):
        found = LINE.match(line.rstrip("\n"))
        if found and found.group(2) and not _in_string(lines[:index]):
            line = f"{found.group(1)}get_ipython().run_line_magic('nephele', {found.group(2)!r})\n"
        result.append(line)
    return result


def load(ip: Any) -> None:
    """Register the magics and the transformer in one shell, once."""
    if take_as_typed not in ip.input_transformers_cleanup:
        ip.input_transformers_cleanup.append(take_as_typed)
    ip.register_magics(NepheleMagics)


def unload(ip: Any) -> None:
    """Take the transformer out again."""
    if take_as_typed in ip.input_transformers_cleanup:
        ip.input_transformers_cleanup.remove(take_as_typed)


def _finish(agent: Agent, run: Run, widget: ChatWidget | None) -> None:
    run.result()
    if widget is None:
        publish(saved(markdown(run.events, agent.settings.language)))
    else:
        widget.save()


def _must_fail(error: NepheleError) -> bool:
    """Tell whether an error ends the notebook: what says that a run without a person is not what it was meant to be."""
    settings, alone = shared(ipython()), forbids_stdin()
    off_tape = isinstance(error, ModelError) and error.code == "tape"
    no_tape = isinstance(error, SettingError) and alone and settings.tape_mode == "replay"
    return off_tape or no_tape or isinstance(error, ApprovalUnanswered) or (alone and settings.headless != "")


def _agent() -> Agent:
    return Agent.latest or Agent()


def _say(agent: Agent, text: str) -> Strings:
    return Strings(language_of(text, agent.settings.language))


def _path(text: str) -> Path | None:
    """Return the path that a text names, or None where it can't be one: too long, no such user, a null character."""
    quoted = re.fullmatch(r"(['\"])(.+)\1", text)
    try:
        path = Path(quoted.group(2) if quoted else text).expanduser()
        exists = path.exists()
    except (OSError, RuntimeError, ValueError):
        return None
    return path if text and "\0" not in text and (quoted or exists) else None


def looks_like_path(text: str) -> bool:
    """Say whether a text can hardly be anything but a path: by how it begins, or one word with the end of a file."""
    from .library.formats import READERS
    from .library.table_files import READERS as TABLES

    if re.match(r"(/|\.{1,2}/|~/|[A-Za-z]:[\\/])\S", text):
        return True
    return " " not in text and Path(text).suffix.casefold() in {*READERS, *TABLES}


def _in_string(lines: list[str]) -> bool:
    if not any('"""' in line or "'''" in line for line in lines):
        return False
    plain = [line if not LINE.match(line.rstrip("\n")) else "pass\n" for line in lines]
    try:
        for _ in tokenize.generate_tokens(io.StringIO("".join(plain)).readline):
            pass
    except tokenize.TokenError as error:
        return "string" in str(error)
    except SyntaxError:
        return False
    return False
