"""Who answers: finds the endpoint that the settings and the environment name; it never opens a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

from nephele_nb.errors import ModelError
from nephele_nb.settings import Effective
from nephele_nb.types import Tier

OPENAI_URL = "https://api.openai.com/v1"
NO_PLATFORM = "Tier {tier!r} needs the platform endpoint: set platform_url (NEPHELE_PLATFORM_URL)."
NO_BYOK = (
    'Tier "byok" needs an endpoint: set base_url (OPENAI_BASE_URL), '
    "or api_key and model (OPENAI_API_KEY, NEPHELE_MODEL, or a key typed after %nephele key)."
)
# Neither repeats what was given: a key may stand anywhere in it.
NO_ADDRESS = (
    "The base URL is not a whole address: write it with http:// or https://, a host and, where it needs one, "
    "a port number, up to /v1 (base_url, OPENAI_BASE_URL or platform_url)."
)
NO_KEY = (
    "The key for {host} holds a character that no key has (a space of another kind, a quote, a line break?): "
    "copy it again (api_key, OPENAI_API_KEY or platform_key)."
)


@dataclass(frozen=True, slots=True)
class Terms:
    """What a tier is: its model on the platform, what a token costs there, whether it follows a loop of tool use."""

    model: str = ""
    credits_per_token: float = 0.0
    loops: bool = True
    platform: bool = False


TIERS: dict[Tier, Terms] = {
    "lite": Terms(loops=False),
    "zephyr": Terms("axioma-zephyr", 0.5 / 1000, platform=True),
    "tempest": Terms("axioma-tempest", 1 / 1000, platform=True),
    "byok": Terms(),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A chat model's address. ``host`` names it to people; lite has none and all of its fields are empty.

    ``spoke`` is, for a tape, who answered when it was recorded, and whom its errors name.
    """

    tier: Tier
    base_url: str = field(default="", repr=False)
    api_key: str = field(default="", repr=False)
    model: str = ""
    host: str = ""
    spoke: str = ""

    @property
    def origin(self) -> str:
        """The address without anything secret: what marks a message as issued by this endpoint."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{self.host}{parts.path}"

    @property
    def on_platform(self) -> bool:
        """Whether this is the platform, whose word on credits and stamina counts."""
        return TIERS[self.tier].platform

    @property
    def loops(self) -> bool:
        """Whether this tier can follow many steps of tool use."""
        return loops(self.tier)


def endpoint(tier: Tier, base_url: str, api_key: str, model: str) -> Endpoint:
    """Return the endpoint at ``base_url``; raises ModelError: ``no_model`` for no address, ``auth`` for no key."""
    address, mark, asked = base_url.strip().partition("?")
    url = address.rstrip("/").removesuffix("/chat/completions") + mark + asked
    host = host_of(url)
    if not host or urlsplit(url).scheme not in ("http", "https"):
        raise ModelError(NO_ADDRESS, code="no_model")
    key = api_key.strip()
    if not (key.isascii() and key.isprintable()):
        raise ModelError(NO_KEY.format(host=host), code="auth")
    return Endpoint(tier, url, key, model.strip(), host)


def resolve(
    settings: Effective, environ: Mapping[str, str], stored: Callable[[str], str] = lambda host: ""
) -> Endpoint:
    """Return the endpoint of the tier that is set; raises ModelError (``no_model``) where a part is missing.

    ``stored`` gives the key kept for a host, where no setting and no variable gives one.
    ``auto`` is byok where a base URL, or a key and a model, is given; else zephyr where a platform endpoint is set;
    else lite. A key that merely lies in the environment chooses nothing.
    """
    base_url = settings.base_url or environ.get("OPENAI_BASE_URL", "")
    key = settings.api_key or environ.get("OPENAI_API_KEY", "")
    if not key and settings.tier in ("auto", "byok") and (base_url or settings.model):
        key = stored(host_of(base_url or OPENAI_URL))
    tier = cast("Tier", settings.tier)
    if settings.tier == "auto":
        byok = base_url or (key and settings.model)
        tier = "byok" if byok else "zephyr" if settings.platform_url else "lite"
    if tier == "lite":
        return Endpoint("lite")
    if tier == "byok":
        if not base_url and not (key and settings.model):
            raise ModelError(NO_BYOK, code="no_model")
        return endpoint("byok", base_url or OPENAI_URL, key, settings.model)
    if not settings.platform_url:
        raise ModelError(NO_PLATFORM.format(tier=tier), code="no_model")
    key = settings.platform_key or stored(host_of(settings.platform_url))
    return endpoint(tier, settings.platform_url, key, TIERS[tier].model)


def key_host(settings: Effective, environ: Mapping[str, str]) -> str:
    """Return the host that a key is asked for: of the endpoint that is set, or would be with a key."""
    platform = TIERS[cast("Tier", settings.tier)].platform if settings.tier != "auto" else False
    url = "" if platform else settings.base_url or environ.get("OPENAI_BASE_URL", "")
    url = url or ("" if settings.model and not platform else settings.platform_url)
    return host_of(url or OPENAI_URL)


def host_of(url: str) -> str:
    """Return what names an address to people, host and port; empty for what is no address."""
    try:
        parts = urlsplit(url.strip())
        return (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    except ValueError:
        return ""


def loops(tier: Tier) -> bool:
    """Tell whether a tier can follow many steps of tool use."""
    return TIERS[tier].loops
