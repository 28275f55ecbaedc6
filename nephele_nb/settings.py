"""The settings: one traitlets ``Configurable`` named ``Nephele``; it never acts on them.

Later wins: defaults, IPython's config files (``c.Nephele.tier = "byok"``), the environment (``NEPHELE_TIER``),
``%config Nephele.tier = …``, arguments of ``Agent``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from traitlets import Any as AnyTrait
from traitlets import Bool, Enum, Float, Int, TraitError, Unicode
from traitlets.config import Config, Configurable

from .errors import SettingError, nearest


class Secret(str):
    """A text that no listing of the settings shows; ``str`` methods give it away."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<set>" if self else "''"


class Address(str):
    """An address whose user, password and query no listing of the settings shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        bare, asked, _ = self.partition("?")
        return repr(re.sub(r"//.*@", "//…@", str(bare)) + ("?…" if asked else ""))


class _SecretText(Unicode[Any, Any]):
    """A text that may hold a key; what it can't take is never repeated."""

    kind: type[str] = Secret

    def validate(self, obj: Any, value: Any) -> Any:
        if not isinstance(value, str):
            raise TraitError(f"{self.name} takes text (str), not {type(value).__name__}.")
        return self.kind(value)


class _AddressText(_SecretText):
    """An address, in which a password or a key may stand."""

    kind = Address


class _PathText(Unicode[Any, Any]):
    """A path, given as text or as a path object."""

    def validate(self, obj: Any, value: Any) -> Any:
        return super().validate(obj, os.fspath(value) if isinstance(value, os.PathLike) else value)


FIXED = ("home", "library", "embedder", "tape", "tape_mode")
"""Settings that an agent is made with, and keeps."""
MISSPELT = 0.9
"""How like a setting's variable another variable must be to be taken for a slip."""


class Nephele(Configurable):
    """Settings of nephele_nb; all times are seconds."""

    tier = Enum(
        ["auto", "lite", "zephyr", "tempest", "byok"],
        "auto",
        help="Who answers. auto: byok where a base URL, or a key and a model, is given; else zephyr where a "
        "platform endpoint is set; else lite.",
    ).tag(config=True)
    mode = Enum(["chat", "research", "agent"], "agent", help="The mode of a message that names none.").tag(config=True)
    base_url = _AddressText("", help="Base URL of your own OpenAI-compatible endpoint.").tag(config=True)
    api_key = _SecretText("", help="Key for that endpoint; never shown or stored.").tag(config=True, secret=True)
    model = Unicode("", help="Name of the model at that endpoint.").tag(config=True)
    platform_url = _AddressText("", help="Base URL of the platform endpoint (tiers zephyr and tempest).").tag(
        config=True
    )
    platform_key = _SecretText("", help="Key for the platform endpoint.").tag(config=True, secret=True)
    home = Unicode("", help="The home folder; empty means ~/.nephele_workshop.").tag(config=True)
    library = _AddressText("", help="Path or URI of the library; empty means home/library.").tag(config=True)
    embedder = _AddressText(
        "auto", help='"auto", "none" for full text only, or the address of an OpenAI-compatible embeddings endpoint.'
    ).tag(config=True)
    language = Enum(["auto", "en", "zh"], "auto", help="Language of prompts and of the chat.").tag(config=True)
    approve = AnyTrait(
        "ask",
        help='"ask", "never", "always", "replay" (decisions on tape), a callable, or a mapping of tool name or effect '
        "to one of the words.",
    ).tag(config=True)
    headless_approve = AnyTrait(
        "", help="The policy where no front end can answer (nbval, jupyter execute); empty: the same as approve."
    ).tag(config=True)
    headless = Enum(
        ["", "strict"],
        "",
        help='"strict": without a front end, an approval nobody answers fails the notebook, and so does what is left '
        "of a replayed tape. A conversation off its tape fails it in either case.",
    ).tag(config=True)
    max_steps = Int(6, min=1, help="Steps with tools in research mode.").tag(config=True)
    max_tool_calls = Int(50, min=1, help="Tool calls of a round in agent mode.").tag(config=True)
    wall_clock_s = Float(
        None, allow_none=True, min=0, help="A round's wall clock; none means 600 in research, no limit in agent."
    ).tag(config=True)
    confirm_timeout_s = Float(120.0, min=0, help="How long an approval waits before it expires.").tag(config=True)
    run_timeout_s = Float(600.0, min=0, help="How long approved code may run.").tag(config=True)
    tool_timeout_s = Float(60.0, min=0, help="How long any other tool may take.").tag(config=True)
    task_timeout_s = Float(120.0, min=0, help="How long a sub-agent may take.").tag(config=True)
    connect_timeout_s = Float(10.0, min=0, help="How long a connection to the model may take.").tag(config=True)
    first_byte_timeout_s = Float(180.0, min=0, help="How long the model may take to begin.").tag(config=True)
    chunk_timeout_s = Float(90.0, min=0, help="The longest pause inside the model's answer.").tag(config=True)
    hello_timeout_s = Float(
        2.0, min=0, help="How long a magic waits for a view before it takes the run as headless."
    ).tag(config=True)
    context_tokens = Int(
        0, min=0, help="How many tokens the model can take; 0 means what is known or learnt about it."
    ).tag(config=True)
    cap_round = Float(
        0.0, min=0, help="What a round may cost: credits at zephyr and tempest, money at byok; 0 means no cap."
    ).tag(config=True)
    cap_day = Float(0.0, min=0, help="What the rounds of a day may cost, of all kernels; 0 means no cap.").tag(
        config=True
    )
    cap_tokens_round = Int(
        0, min=0, help="Tokens a round may use; where no price is known it stands for cap_round. 0 means no cap."
    ).tag(config=True)
    cap_tokens_day = Int(
        0, min=0, help="Tokens the rounds of a day may use; where no price is known it stands for cap_day."
    ).tag(config=True)
    lite_model = _PathText(
        "auto",
        help='The model file (GGUF) of tier lite; "auto": the one from `%nephele lite install`, else one that fits '
        'from the caches of Ollama, LM Studio and the hub; "none": answers are quoted without a model.',
    ).tag(config=True)
    lite_context = Int(8192, min=512, help="How many tokens the model of tier lite takes at once.").tag(config=True)
    lite_threads = Int(
        0, min=0, help="Threads of that model, never more than there are cores; 0 means all cores but one."
    ).tag(config=True)
    lite_idle_s = Float(
        300.0, min=0, help="After how long without a question that model gives its memory back; 0 means never."
    ).tag(config=True)
    tape = _PathText("", help="File that keeps the exchanges with the model; empty means one beside the notebook.").tag(
        config=True, env="NEPHELE_TAPE_FILE"
    )
    tape_mode = Enum(
        ["", "record", "replay", "auto"],
        "",
        help="record: write the tape anew. replay: answer from it, offline. auto (where only tape is given): replay "
        "a tape that exists, record one that does not.",
    ).tag(config=True, env="NEPHELE_TAPE")
    network = Bool(
        False, help="Let find_references ask open web APIs (arXiv, Crossref, OpenAlex, Wikimedia Commons)."
    ).tag(config=True)
    figures = Enum(
        ["auto", "always", "never"],
        "auto",
        help="Whether figures that code draws go to the model. auto: where it is known to see pictures.",
    ).tag(config=True)
    thinking = Bool(True, help="Show the model's thinking, folded.").tag(config=True)

    def _load_config(self, cfg: Config, section_names: Any = None, traits: Any = None) -> None:
        known = self.class_trait_names(config=True)
        for section in cfg.get("Nephele", {}):
            if section not in known:
                raise SettingError(f"Nephele has no setting {section!r}{nearest(section, known)}.")
        super()._load_config(cfg, section_names, traits)

    def apply_environment(self, environ: Mapping[str, str] = os.environ) -> None:
        """Take each ``NEPHELE_<TRAIT>``; raises SettingError for a value it can't take and for a misspelt name."""
        variables = {n: t.metadata.get("env", f"NEPHELE_{n.upper()}") for n, t in self.traits(config=True).items()}
        for name in environ:
            ours = name.startswith("NEPHELE_") and name not in variables.values()
            if ours and (close := get_close_matches(name, variables.values(), n=1, cutoff=MISSPELT)):
                raise SettingError(f"The environment's {name} is no setting (did you mean {close[0]}?).")
        for name, trait in self.traits(config=True).items():
            variable = variables[name]
            text = environ.get(variable)
            if text is None:
                continue
            try:
                setattr(self, name, trait.from_string(text) if not isinstance(trait, AnyTrait | Enum) else text)
            except (TraitError, ValueError) as error:
                raise SettingError(f"{variable}={text!r} can't be used: {error}") from error


class Effective:
    """The settings one agent sees: its own arguments over the shared instance, read at the moment of use."""

    def __init__(self, base: Nephele, arguments: Mapping[str, Any]) -> None:
        known = Nephele.class_trait_names(config=True)
        for name in arguments:
            if name not in known:
                raise SettingError(f"Agent has no argument or setting {name!r}{nearest(name, known)}.")
        try:
            checked = Nephele(**arguments)
        except TraitError as error:
            raise SettingError(str(error)) from error
        self._base = base
        self._own = {name: getattr(checked, name) for name in arguments}

    def with_(self, **arguments: Any) -> Effective:
        """Return these settings with some others over them."""
        return Effective(self._base, self._own | arguments)

    def set(self, name: str, value: Any) -> None:
        """Take a setting for this agent from now on; raises SettingError for a name or a value that can't be."""
        if name in FIXED:
            raise SettingError(f"{name} is fixed once an agent is made: make another with Agent({name}=…).")
        checked = Effective(self._base, {name: value})
        self._own[name] = getattr(checked, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            super().__setattr__(name, value)
        else:
            self.set(name, value)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__["_own"]
        return own[name] if name in own else getattr(self.__dict__["_base"], name)

    @property
    def home_folder(self) -> Path:
        """The home folder, not yet made."""
        return Path(self.home).expanduser() if self.home else Path.home() / ".nephele_workshop"


class Adjustable:
    """What has settings, and gives them as attributes: to assign one sets it, to assign what is none is an error."""

    settings: Effective
    _made: bool = False
    """True from when on no other public attribute may be assigned."""
    _checks: ClassVar[Mapping[str, Callable[[Any], object]]] = {}
    """What raises SettingError for a value that a setting's type doesn't rule out."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or not self._made:
            super().__setattr__(name, value)
            return
        is_setting = name in Nephele.class_trait_names(config=True)
        if not is_setting and (hasattr(type(self), name) or name in self.__dict__):
            raise SettingError(f"{type(self).__name__}.{name} can't be assigned.")
        if name in self._checks:
            self._checks[name](value)
        self.settings.set(name, value)

    if not TYPE_CHECKING:  # a checker that knew of it would let any name pass

        def __getattr__(self, name: str) -> Any:
            known = Nephele.class_trait_names(config=True)
            if name in known:
                return getattr(self.settings, name)
            near = "" if name.startswith("_") else nearest(name, [*known, *dir(type(self))])
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{near}.", name=name, obj=self)


_outside: list[Nephele] = []


def shared(ip: Any = None) -> Nephele:
    """Return the one instance of this process; inside IPython it stands in ``ip.configurables``."""
    found = [c for c in getattr(ip, "configurables", _outside) if isinstance(c, Nephele)]
    if found:
        return found[0]
    settings = Nephele(parent=ip) if ip is not None else Nephele()
    settings.apply_environment()
    (ip.configurables if ip is not None else _outside).append(settings)
    return settings
