"""What a card must not hold: the passing and the secret, told by signs that can be named; it never rewrites a text.

A sentence is passing that says itself it holds only now ("today", "in this session", a temporary file), unless it
tells of a habit ("every", "always"). A secret is a value known to be one, or what has the form of a key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

_NOW = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|right now|just now|for now|at the moment|for the time being|this time"
    r"|this (?:morning|afternoon|evening))\b(?!['’]s)|\bthis (?:session|conversation|chat|round|run)\b"
    r"|今天|今日|今晚|今早|昨天|昨日|明天|明日|刚才|刚刚|此刻|眼下|暂时|这一次|这次|本次|这会儿|本轮"
    r"|(?:这个|当前|本次)(?:会话|对话)",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"\b(?:every|each|daily|weekly|always|never|whenever|usually|often|by default)\b|每|总是|一直|从不|通常|经常|默认",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?<![\w/])/(?:tmp|var/tmp|var/folders|private/var|run/user|dev/shm)/[^\s\"'`)]*"
    r"|\b[A-Za-z]:\\[^\s\"']*\\Temp\\[^\s\"']*"
    r"|\bipykernel_\d+\S*|\bkernel-[\w-]+\.json|\bUntitled\d*\.ipynb|\b0x[0-9a-f]{8,}\b"
)
_QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』", re.DOTALL)
_SENTENCES = re.compile(r"[^.!?。！？；;\n]+")
_KEYS = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]+[-_])*[A-Za-z0-9]{16,}",
    r"\b(?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|npm|pypi|dop_v1|xox[abprs])[-_][A-Za-z0-9_-]{16,}",
    r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"\bAIza[A-Za-z0-9_-]{30,}",
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"\b[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@",
    r"(?:密码|口令|密钥|令牌)\s*(?:是|为|[:：=])\s*[!-~]{4,}",
)
_NAMED_KEY = (
    r"\b(?:password|passwd|passphrase|passcode|pwd|secret(?: key)?|api[ _-]?key|(?:access[ _-]?|auth[ _-]?)?token)"
    r"\b[\"'`]?\s*(?:is|are|[:=])\s*[\"'`]?(?=\S*[\d!@#$%^&*_-])[^\s\"'`,;，。]{4,}"
)
_SECRET = re.compile("|".join((*_KEYS, f"(?i:{_NAMED_KEY})")))


class Refusal(NamedTuple):
    """Why a text is no memory: what kind of thing it holds, and the sign it was told by (never a secret itself)."""

    kind: Literal["passing", "place", "secret"]
    sign: str


def refusal(texts: tuple[str, ...], hide: Callable[[str], str]) -> Refusal | None:
    """Return why these texts should not be remembered, None where nothing speaks against it.

    ``hide`` replaces the secret values that are known.
    """
    if any(hide(text) != text or _SECRET.search(text) for text in texts):
        return Refusal("secret", "")
    for text in texts:
        if found := _PLACE.search(text):
            return Refusal("place", found.group())
        for sentence in _SENTENCES.findall(_QUOTED.sub(" ", text)):
            found = _NOW.search(sentence)
            if found and not _HABIT.search(sentence):
                return Refusal("passing", found.group())
    return None
