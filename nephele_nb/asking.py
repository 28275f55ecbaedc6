"""What a message comes in as: checks what was asked, and builds its round; it starts nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from uuid import uuid4

from .approval import Policy, check_policy
from .conversation import Conversation
from .errors import SettingError, nearest
from .images import Album, Picture, listed, prepare
from .model.budget import Budget, Caps
from .model.ledger import Ledger
from .model.tape import Tape
from .model.tiers import Endpoint, loops
from .results import Results
from .round import Limits, Round
from .secrets import Secrets
from .settings import Effective
from .strings import Strings, language_of
from .types import Mode

RESEARCH_CLOCK_S = 600.0


@dataclass(frozen=True, slots=True)
class Asking:
    """What all rounds of one agent share."""

    settings: Effective
    conversation: Conversation
    secrets: Secrets
    album: Album
    tape: Tape | None
    ledger: Ledger
    tools: Callable[[], Iterable[str]] = tuple
    """The names of the tools, which a policy may name."""

    def mode(self, text: str, mode: str | None, research: bool) -> Mode:
        """Return the mode of a message; raises SettingError for what can't be asked."""
        if mode not in (None, *get_args(Mode)):
            known = ", ".join(get_args(Mode))
            raise SettingError(f"mode={mode!r} is not known{nearest(str(mode), get_args(Mode))}; use one of {known}.")
        if not text.strip():
            raise SettingError("The message is empty; ask something.")
        if research and mode not in (None, "research"):
            raise SettingError(f'mode="{mode}" and research=True contradict each other; give one of them.')
        return "research" if research else mode or self.settings.mode  # type: ignore[return-value]

    def pictures(self, images: Any) -> Sequence[Picture]:
        """Return what goes with a message as pictures ready to be sent; raises SettingError for what is none.

        One that is kept already may be named by its reference.
        """
        return [prepare(self.album.kept(image)) for image in listed(images)]

    def _policy(self, headless: bool) -> Policy:
        """Return the policy that counts; a wrong name in the other one is told too, before it is needed."""
        approve, alone = self.settings.approve, self.settings.headless_approve or self.settings.approve
        # The tools are made at their first use, and a plain word needs none.
        tools = self.tools() if isinstance(approve, Mapping) or isinstance(alone, Mapping) else None
        checked = check_policy(approve, tools), check_policy(alone, tools)
        return checked[headless]

    def round(
        self, text: str, mode: Mode, endpoint: Endpoint, headless: bool, pictures: Sequence[Picture] = ()
    ) -> Round:
        """Return a new round; the pictures that go with it are kept, and named below its text."""
        settings = self.settings
        clock = settings.wall_clock_s
        say = Strings(language_of(text, settings.language))
        names = ", ".join(map(_named, pictures))
        round_id = uuid4().hex[:12]
        nowhere = settings.tier == "auto" and not settings.base_url and not settings.api_key
        return Round(
            id=round_id,
            text=text,
            mode=mode if loops(endpoint.tier) else "chat",
            tier=endpoint.tier,
            unused_model=settings.model if nowhere and endpoint.tier == "lite" else "",
            say=say,
            history=self.conversation.history,
            limits=Limits(
                settings.max_steps,
                settings.max_tool_calls,
                RESEARCH_CLOCK_S if clock is None and mode == "research" else clock,
                settings.confirm_timeout_s,
                settings.tool_timeout_s,
            ),
            policy=self._policy(headless),
            on_operation=self.conversation.journal.operation,
            budget=Budget(
                round_id,
                Caps(settings.cap_round, settings.cap_day, settings.cap_tokens_round, settings.cap_tokens_day),
                self.ledger,
            ),
            secrets=self.secrets,
            results=Results(settings.home_folder / "results"),
            attached=f"\n\n{say('pictures_attached', names=names)}" if names else "",
            pictures=[self.album.keep(picture) for picture in pictures],
            album=self.album,
            tape=self.tape,
            headless=headless,
        )


def _named(picture: Picture) -> str:
    note = f"; {picture.note}" if picture.note else ""
    return f"{picture.name} ({picture.width}×{picture.height}{note})"
