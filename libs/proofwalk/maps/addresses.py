"""Addresses and names with what belongs to one resource folded to `{}`, so that pages
and controls are the same on another day, with other data.

An address becomes its path and its route in the fragment, without host. A segment is
folded if it looks like an id (a number, a UUID, long hex, a prefix with a random rest
such as `vpc-bp1k2…`, an ARN, an IP address, a domain name) or is one of the texts that
the caller knows to be data. Of the query only what routes is kept, for a region, a page
number or a filter is a state and no place. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import parse_qsl, unquote, urlsplit

FOLDED = "{}"
_ROUTING = frozenset({"page", "view", "section", "module", "route", "path", "menu", "screen"})
_WORD = re.compile(r"[A-Za-z][A-Za-z_/-]*")
_PROGRAM = re.compile(r".+\.(?:html?|php|aspx?|jsp|do|action|cgi)", re.I)
_ID = re.compile(
    r"""
      \d+ (?:[._:,/-]\d+)*                                    # numbers, dates, IPv4, ranges
    | [0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}             # UUID
    | (?=[0-9a-f]*\d)[0-9a-f]{8,}                             # hex with a digit
    | arn:\S+ | acs:\S+
    | [0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}                    # IPv6, MAC
    | [a-z]{1,8}-(?=[0-9a-z]*\d[0-9a-z]*\d)[0-9a-z]{6,}       # vpc-bp1k2…
    | [a-z]{1,8}-(?=[0-9a-z]*\d)[0-9a-z]{10,}
    | (?=[\w=-]*\d)(?=[\w=-]*[A-Za-z])(?=[\w=-]*[A-Z0-9][a-z0-9]*[A-Z0-9])[A-Za-z0-9_=]{16,}
    | [^\s@/]+@[^\s@/]+\.[a-z]{2,}                            # e-mail
    """,
    re.X | re.I,
)
_DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}", re.I)
_COUNT = re.compile(r"\s*[(（\[]\s*\d[\d,.]*\+?\s*[)）\]]\s*$|\s*[:：]\s*\d[\d,.]*$")
_SPLIT = re.compile(r"(\s+|[()（）\[\]|,，;；])")


def is_id(text: str) -> bool:
    """Return True if the text looks like an id of a resource."""
    return _ID.fullmatch(text) is not None


def fold_address(url: str, data: Collection[str] = ()) -> str:
    """Return the address pattern of a page: `/vpc/vpcs/{}`. `data` holds texts that are
    the data of a resource, such as its name."""
    parts = urlsplit(url)
    pattern = _fold_path(parts.path, data) or "/"
    routing = [
        f"{name}={value}"
        for name, value in parse_qsl(parts.query)
        if name.lower() in _ROUTING and _WORD.fullmatch(value)
    ]
    if routing:
        pattern += "?" + "&".join(sorted(routing))
    route, _, _ = parts.fragment.partition("?")
    if "/" in route or route.endswith(":"):
        pattern += "#" + _fold_path(route, data)
    return pattern


def _fold_path(path: str, data: Collection[str]) -> str:
    segments = (unquote(segment) for segment in path.split("/"))
    folded = "/".join(_fold_segment(segment, data) for segment in segments)
    return folded.rstrip("/") if len(folded) > 1 else folded


def _fold_segment(segment: str, data: Collection[str]) -> str:
    if not segment or _PROGRAM.fullmatch(segment):
        return segment
    if segment in data or is_id(segment) or _DOMAIN.fullmatch(segment):
        return FOLDED
    return segment


def fold_name(name: str, data: Collection[str] = ()) -> str:
    """Return a name with ids and data folded, and without the count at its end. Words
    that stand beside an id are kept: `Edit i-bp1k2…` is `Edit {}`."""
    name = _COUNT.sub("", " ".join(name.split()))
    if name in data:
        return FOLDED
    for text in sorted(data, key=len, reverse=True):
        if len(text) > 1:
            name = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", FOLDED, name)
    return "".join(FOLDED if is_id(piece) else piece for piece in _SPLIT.split(name))
