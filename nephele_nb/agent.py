"""The agent: builds its parts, and is the surface its user holds; it decides nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

from .approval import check_policy
from .asking import Asking
from .conversation import Conversation
from .delegate import Delegation
from .errors import ModelError, NepheleError
from .images import Album
from .journal import name_for_notebook
from .kernel import attach
from .kernel.front import forbids_stdin, ipython, notebook_name, say
from .kernel.reactive import at_end_of_cell
from .knowledge import Knowledge
from .memory import Memory
from .model.ledger import Ledger
from .model.taped import tape_for
from .model.tiers import Endpoint
from .rounds import Batch, Rounds
from .route import Route
from .ruled import STOP, Rules
from .rules import Ruling, forced
from .run import Run
from .secrets import Secrets
from .settings import Adjustable, Effective, shared
from .skills import Skills
from .strings import Strings, language_of
from .tools import Organs, Toolbox, built_in
from .types import Message, Mode, Why
from .undo import TakeBack, UndoReport, take_back

if TYPE_CHECKING:
    from .library import Library

NOBODY = Endpoint("lite")  # who answers where no model is set up and a rule does


class Agent(Adjustable):
    """An agent in this kernel. The settings of ``Nephele`` may be given as arguments, and assigned as attributes."""

    face: ClassVar[Callable[[Agent], Any]] = print
    """Shows the agent in the running cell or returns what marimo shows; handed in where the package resolves this."""
    latest: ClassVar[Agent | None] = None
    """The agent last made or shown in this process."""
    followed: ClassVar[Callable[[Agent], Any] | None] = None
    """Told of each new latest one; handed in as ``face`` is."""
    _here: ClassVar[WeakSet[Agent]] = WeakSet()
    _checks: ClassVar = {"approve": check_policy, "headless_approve": lambda value: check_policy(value or "ask")}

    def __init__(
        self,
        *,
        library: Library | str | Path | None = None,
        home: str | Path | None = None,
        conversation: str | None = None,
        namespace: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        own = {name: value for name, value in settings.items() if value is not None}
        own |= {"home": str(home)} if home is not None else {}
        own |= {"library": str(library)} if isinstance(library, str | Path) else {}
        self.settings = Effective(shared(ipython()), own)
        check_policy(self.settings.approve)
        self._secrets = secrets = Secrets(self.settings)
        self.notebook = notebook_name()
        tape = tape_for(self.settings, self.notebook, secrets)
        self._given_library = None if isinstance(library, str | Path) else library
        self.home: Path = self.settings.home_folder
        self._say = Strings(language_of("", self.settings.language))
        self.conversation = self._take_over(conversation or name_for_notebook(self.notebook))
        album = Album(self.home / "journal" / "images")
        self._kernel = attach(namespace)  # after whatever may raise: it has a loop that must be closed
        self._route = Route(
            self.settings,
            lambda: self.library,
            lambda: self.tools,
            Knowledge(self.memory, self.skills),
            Rules(self, self._kernel.executor),
            album.url,
            self._kernel.executor.describe,
            self.conversation.started,
            tape,
        )
        self._asking = Asking(self.settings, self.conversation, secrets, album, tape, self.ledger, lambda: self.tools)
        self._rounds = Rounds(self.conversation, self._route, self._kernel, self.settings, self._say, self._again)
        self._closed, self._made = False, True
        at_end_of_cell(self.close)
        Agent._here.add(self)
        self._become_latest()

    def _take_over(self, name: str) -> Conversation:
        """Open a conversation; an agent of this process that has it and rests is closed: its cell was run again."""
        for other in list(Agent._here):
            same = (other.home, other.conversation.journal.conversation) == (self.home, name)
            if same and all(run.done for run in other.runs):
                other.close()
        return Conversation(self.home / "journal", name, self._say)

    def ask(
        self,
        text: str,
        mode: Mode | None = None,
        research: bool = False,
        images: Sequence[Any] = (),
        tier: str | None = None,
        instead: Mapping[str, Why] | None = None,
    ) -> Run:
        """Begin a round and return at once; a second one waits its turn. Raises SettingError for what can't be.

        A rule answers a plain command; ``//`` before it asks the model. ``images``: paths, bytes, figures, arrays.
        ``instead``: rounds that leave the model's context when this one begins, and why.
        """
        self._check_open()
        text, for_model = forced(self._secrets.hide(text))
        wanted, pictures = self._asking.mode(text, mode, research), self._asking.pictures(images)
        meant = () if for_model or pictures or research or mode == "research" else self._route.rules.meant(text)
        if any(candidate.call == STOP for candidate in meant):
            self._route.rules.stopped = self._stop()
        endpoint = self._answerer(tier, needed=not meant)
        round = self._asking.round(text, wanted, endpoint, not self._rounds.heard and forbids_stdin(), pictures)
        round.meant, round.no_model, round.instead = meant, endpoint is NOBODY, instead or {}
        if round.mode == "agent":
            seconds = self.settings.task_timeout_s
            round.delegate = Delegation(
                round, endpoint, self.tools, self._route.client, self.conversation.started, seconds
            )
        return self._rounds.begin(round, endpoint)

    def run_again(self, approval_id: str) -> Run:
        """Ask once more about a call that nobody decided on, in a round without a model; NepheleError for others."""
        self._check_open()
        text, call = self.conversation.undecided(approval_id, self.settings.language)
        round = self._asking.round(text, "agent", NOBODY, not self._rounds.heard and forbids_stdin())
        round.ruling = Ruling(call.tool, call.arguments, again=approval_id)
        return self._rounds.begin(round, NOBODY)

    def follows(self, text: str) -> bool:
        """Tell whether a rule may answer a message."""
        return bool(self._route.rules.meant(text))

    def _check_open(self) -> None:
        if self._closed:
            raise NepheleError("This agent is closed, or a newer one has its conversation: use that, or make another.")

    @property
    def runs(self) -> list[Run]:
        """The rounds of this agent, oldest first."""
        return self._rounds.runs

    def _again(self, text: str) -> None:
        if not self._closed:
            self.ask(text)

    def endpoint_of(self, tier: str | None = None) -> Endpoint:
        """Return who would answer, on another tier than the one that is set; raises ModelError where nobody could."""
        return self._route.endpoint(self.settings.with_(tier=tier) if tier else self.settings)

    def _answerer(self, tier: str | None, needed: bool) -> Endpoint:
        """Return who answers; where a rule may do so, nobody need be there."""
        try:
            return self.endpoint_of(tier)
        except ModelError:
            if needed:
                raise
            return NOBODY

    def stop(self) -> None:
        """Stop the running round and those that wait."""
        self._stop()

    def _stop(self) -> int:
        running = [run for run in self.runs if not run.done]
        for run in running:
            run.stop()
        return len(running)

    def undo(self, round_id: str | None = None) -> UndoReport:
        """Take back a round's operations: of the last round that has some left, if none is named."""
        organs: dict[str, TakeBack] = {"memory": self.memory.take_back, "kernel": self._kernel.executor.take_back}
        with self.bridge.alone(self.journal.undoing):
            return take_back(self.conversation.journal, round_id, lambda: self.library, organs)

    def close(self) -> None:
        """Stop what runs and let the conversation go."""
        if self._closed:
            return
        self.stop()
        self.bridge.wait(lambda: all(run.done for run in self.runs), 10)
        self._closed = True
        self.conversation.close()
        closing = self.bridge.submit(self._route.close())
        self.bridge.wait(closing.done, 5)
        if not self._kernel.live:
            self.bridge.close()
        if self._given_library is None and self.library_is_open:
            self.library.close()
        self._route.tell_left(say if self._kernel.live else sys.stderr.write)

    @cached_property
    def library(self) -> Library:
        """The library, opened at first use."""
        if self._given_library is not None:
            return self._given_library
        from .library import Library

        where = self.settings.library or self.home / "library"
        return Library(where, embedder=self.settings.embedder)

    @property
    def bridge(self) -> Any:
        return self._kernel.bridge

    @property
    def in_kernel(self) -> bool:
        """True where code runs in a live kernel, False where it runs in a dict."""
        return bool(self._kernel.live)

    @property
    def library_is_open(self) -> bool:
        """True once the library has been used; asking doesn't open it."""
        return self._given_library is not None or "library" in self.__dict__

    @cached_property
    def tools(self) -> Toolbox:
        """The agent's tools by name; ``tools.register(fn)`` adds one."""
        return built_in(
            Organs(
                lambda: self.library,
                self._kernel.executor,
                lambda: self.settings.run_timeout_s,
                self.memory,
                self.skills,
                self._secrets.hide,
                lambda: self.settings.network,
            )
        )

    @cached_property
    def ledger(self) -> Ledger:
        """What was spent."""
        return Ledger(self.home, saved=not self._route.replays)

    @cached_property
    def memory(self) -> Memory:
        """The memory cards; what is written or deleted here can be undone as a round's operations can."""
        return Memory(self.home / "memory", self.conversation.changed)

    @cached_property
    def skills(self) -> Skills:
        """The skills in home, in the project's folder, and those that come with the package."""
        return Skills(self.home, Path.cwd())

    @property
    def namespace(self) -> Mapping[str, Any]:
        """The names that the agent's code sees; to look at, not to change."""
        return self._kernel.executor.namespace

    @property
    def journal(self) -> Any:
        return self.conversation.journal

    @property
    def history(self) -> list[Message]:
        """The conversation as Chat Completions messages."""
        return self.conversation.history.public()

    @property
    def endpoint(self) -> Endpoint:
        """Who would answer a message now."""
        return self.endpoint_of()

    def listen(self, batch: Batch) -> Callable[[], None]:
        """Have ``batch`` called with new events, on the agent's thread, every 30 ms at most; returns the way out."""
        return self._rounds.listen(batch)

    def tell(self) -> None:
        """Let every view look again at what stands around the conversation."""
        self._rounds.tell()

    def _become_latest(self) -> None:
        Agent.latest = self
        if Agent.followed is not None:
            Agent.followed(self)

    def _ipython_display_(self) -> Any:
        self._become_latest()
        return Agent.face(self)

    _display_ = _ipython_display_

    def __repr__(self) -> str:
        return f"Agent(tier={self.endpoint.tier!r}, mode={self.settings.mode!r})"
