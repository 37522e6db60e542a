"""Which requests only read: the rule of a session that must change nothing.

GET, HEAD and OPTIONS pass, for HTTP says that they change nothing; a console that
changes something by GET breaks this rule, and no filter of requests sees it. A POST
passes where the caller has named it as one that reads, or where its body is GraphQL of
queries alone. Every other method is refused, and so is what is not understood. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from proofwalk.kernel.errors import invalid

_HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
_IGNORED = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*', re.S)
"""Strings and comments of a GraphQL document."""
_TOKEN = re.compile(r"[{}]|[A-Za-z_]\w*")
_PARTS = frozenset({"query", "fragment"})
_MEMBERS = frozenset({"query", "variables", "operationName", "extensions"})
"""What a GraphQL request has; a search to be saved has more beside its `query`."""


@dataclass(frozen=True, kw_only=True)
class ReadingRule:
    """Tells requests that only read from all others."""

    posts: tuple[re.Pattern[str], ...] = ()

    @classmethod
    def parse(cls, patterns: Iterable[str]) -> ReadingRule:
        """Read the patterns of POSTs that only read. A pattern is a path from its first
        slash on; `*` stands for anything but a slash, `**` for anything. With a `?` it
        also names the query. Raises `reading.bad_pattern`."""
        return cls(posts=tuple(map(_compiled, patterns)))

    def allows(self, method: str, url: str, body: str | None = None) -> bool:
        """Return True if the request only reads."""
        if method.upper() in _HARMLESS:
            return True
        if method.upper() != "POST":
            return False
        parts = urlsplit(url)
        whole = f"{parts.path}?{parts.query}"
        named = any(
            pattern.fullmatch(whole if r"\?" in pattern.pattern else parts.path)
            for pattern in self.posts
        )
        return named or (body is not None and only_queries(body))


def _compiled(pattern: str) -> re.Pattern[str]:
    if not pattern.startswith("/") or not pattern.strip("/*"):
        raise invalid(
            "reading.bad_pattern",
            f"{pattern!r} is no path of requests that only read",
            hint="begin with a slash and name a part of the path, such as /api/list/*",
        )
    pieces = re.split(r"(\*\*|\*)", pattern)
    return re.compile("".join(map(_piece, pieces)))


def _piece(piece: str) -> str:
    return {"*": "[^/]*", "**": ".*"}.get(piece) or re.escape(piece)


def only_queries(body: str) -> bool:
    """Return True if a request's body is GraphQL, one document or several, whose
    operations all are queries. A document begins with `query` or a fragment."""
    try:
        content = json.loads(body)
    except ValueError:
        return False
    batch = content if isinstance(content, list) else [content]
    documents = [
        one.get("query") if isinstance(one, dict) and set(one) <= _MEMBERS else None
        for one in batch
    ]
    return bool(documents) and all(
        isinstance(document, str) and _queries(document) for document in documents
    )


def _queries(document: str) -> bool:
    definitions = list(_definitions(_IGNORED.sub(" ", document)))
    return "query" in definitions and set(definitions) <= _PARTS


def _definitions(document: str) -> Iterator[str]:
    """Yield the keyword of each definition at the document's top, `{` for one without;
    a document that is not whole yields something that is no keyword."""
    depth, begun = 0, False
    for mark in _TOKEN.findall(re.sub(r"\([^()]*\)", " ", document)):
        if mark == "}":
            depth -= 1
            begun = begun and depth > 0
        elif mark == "{":
            if depth == 0 and not begun:
                yield mark
            depth, begun = depth + 1, True
        elif depth == 0 and not begun:
            begun = True
            yield mark
        if depth < 0:
            break
    if depth != 0 or begun:
        yield "unfinished"
