"""Values for what nobody chose: names that no two walks share, and texts that a form
accepts."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

PREFIX = "${var.name_prefix}"
"""What META puts before every name, so that walks do not meet."""
_ANY = "web"
_MOMENT = "2038-01-01T08:00Z"
_AS_PREFIX = "pw0a1b2c"
"""A prefix as the resource provisioner makes them."""
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")
_WORDS = ("web", "api", "orders", "billing", "search", "media", "stock", "mail", "edge", "audit")
_NAMES = (
    "{prefix}-{word}",
    "{prefix}_{word}",
    "alias/{prefix}-{word}",
    "{prefix}-{word}.com",
    "{word}_{prefix}",
    "{word}{number}_app",
)
_TEXTS = (
    "203.0.113.20",
    "10.0.0.0/8",
    "10.0.1.0/24",
    "ops@example.com",
    "80",
    "3306",
    "acs:ecs:*:*:instance",
    "https://www.example.com/",
    "Init-Pass-4821",
    "web",
    "day,visits\\n1,42\\n",
)


def name(pattern: str, at: int, taken: frozenset[str], example: str = "") -> str:
    """A name with the prefix of the walk in it, if the pattern has room for one, else a
    text that the pattern allows. `at` tells the names of one record apart."""
    word = _WORDS[at % len(_WORDS)]
    for template in _NAMES:
        made = template.format(prefix=PREFIX, word=word, number=at)
        if made not in taken and _fits(pattern, made.replace(PREFIX, _AS_PREFIX)):
            return made
    free = (one for one in texts(pattern, None, example) if one not in taken)
    return next(free, f"{PREFIX}-{word}") if pattern else f"{PREFIX}-{word}"


def texts(
    pattern: str, least: float | None, example: str = "", *, moment: bool = False
) -> Iterator[str]:
    """Texts that the pattern allows, the form's own example first; a number that is not
    below the least; a moment that is far off."""
    if moment:
        yield _MOMENT
    elif least is not None and not pattern:
        yield str(int(least or 1))
    elif not pattern:
        yield _ANY
    else:
        yield from (one for one in (example, *_TEXTS) if one and _fits(pattern, one))


def network_around(network: str) -> str:
    """The private network in which a network lies; empty for none."""
    try:
        inner = ipaddress.IPv4Network(network, strict=False)
    except ValueError:
        return ""
    return next((one for one in _PRIVATE if inner.subnet_of(ipaddress.IPv4Network(one))), "")


def secret(pattern: str) -> str:
    """A password that the pattern allows."""
    return next((one for one in ("Init-Pass-4821", "InitPass4821") if _fits(pattern, one)), "")


def _fits(pattern: str, value: str) -> bool:
    return not pattern or re.search(pattern, value) is not None
