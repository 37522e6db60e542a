"""Marks source lines in HTML before it is parsed, since the parser (Lexbor) repairs
markup as a browser does and keeps no positions.

`annotate` puts two kinds of marks into the raw text: each run of text that is not blank
gets a *line mark* (noncharacters around the line number) at its start and after each
line break, and each start tag gets a `data-line` attribute. Both survive whatever the
parser does to the tree, because they travel with what they mark; `pieces` takes them
out again. The scanner follows the HTML tokenizer as far as needed (comments, quoted
attribute values, raw-text elements), and reads each character a bounded number of
times. It also bounds the nesting, because the parser's time grows with its square.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from proofwalk.procedures.outline import too_deep

LINE_ATTRIBUTE = "data-line"

_OPEN, _CLOSE, _ZERO = "\ufdd0", "\ufddb", 0xFDD1
_MARK = re.compile("\ufdd0([\ufdd1-\ufdda]+)\ufddb")
_RESERVED = re.compile("[\ufdd0-\ufddb]")
_NAME = re.compile(r"[^\s/>]+")
_TAG_REST = re.compile(r"""(?>(?>=\s*+(?>"[^"]*+"|'[^']*+'))|[^>])*+>""")
MAX_OPEN = 600
"""Most elements that may be open at once, by the count of start and end tags. Only a
page made to do so reaches it."""

_UNCOUNTED = frozenset(
    [
        *(
            "area",
            "base",
            "br",
            "col",
            "embed",
            "hr",
            "img",
            "input",
            "link",
            "meta",
            "param",
            "source",
            "track",
            "wbr",
        ),
        *(
            "p",
            "li",
            "dt",
            "dd",
            "td",
            "th",
            "tr",
            "thead",
            "tbody",
            "tfoot",
            "option",
            "a",
            "html",
            "head",
            "body",
        ),
    ]
)
_RAW_TEXT = frozenset(
    ["script", "style", "textarea", "title", "iframe", "noembed", "noframes", "xmp"]
)
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in _RAW_TEXT}


class TokenKind(Enum):
    """The kind of a stretch of raw HTML."""

    TEXT = auto()
    START = auto()
    END = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch raw[begin:end]; `name` is a tag's name in lower case."""

    kind: TokenKind
    begin: int
    end: int
    name: str = ""


def tokens(raw: str) -> Iterator[Token]:
    """Yield the stretches of `raw` in order, without gaps. What follows an unfinished
    tag or comment is one OTHER."""
    at = text_from = 0
    while True:
        at = raw.find("<", at)
        if at < 0:
            break
        token = _markup(raw, at)
        if token is None:
            at += 1
            continue
        if at > text_from:
            yield Token(TokenKind.TEXT, text_from, at)
        yield token
        at = text_from = token.end
        if token.kind is TokenKind.START and token.name in _RAW_TEXT:
            end = _RAW_END[token.name].search(raw, at)
            at = text_from = end.start() if end else len(raw)
            yield Token(TokenKind.OTHER, token.end, at)
        elif token.kind is TokenKind.START and token.name == "plaintext":
            break
    if text_from < len(raw):
        yield Token(TokenKind.TEXT, text_from, len(raw))


def _markup(raw: str, at: int) -> Token | None:
    following = raw[at + 1 : at + 2]
    if raw.startswith("<!--", at):
        return Token(TokenKind.OTHER, at, _comment_end(raw, at + 4))
    if following and following in "!?":
        end = raw.find(">", at)
        return Token(TokenKind.OTHER, at, end + 1 if end >= 0 else len(raw))
    closing = following == "/"
    first = raw[at + 2 : at + 3] if closing else following
    if not (first.isascii() and first.isalpha()):
        return None
    name = _NAME.match(raw, at + (2 if closing else 1))
    assert name is not None
    rest = _TAG_REST.match(raw, name.end())
    if rest is None:
        return Token(TokenKind.OTHER, at, len(raw))
    return Token(
        TokenKind.END if closing else TokenKind.START, at, rest.end(), name.group().lower()
    )


def _comment_end(raw: str, begin: int) -> int:
    if raw.startswith(">", begin):
        return begin + 1
    if raw.startswith("->", begin):
        return begin + 2
    ends = [
        end + size
        for mark, size in (("-->", 3), ("--!>", 4))
        if (end := raw.find(mark, begin)) >= 0
    ]
    return min(ends, default=len(raw))


def _mark(line: int) -> str:
    return _OPEN + "".join(chr(_ZERO + int(digit)) for digit in str(line)) + _CLOSE


def annotate(raw: str, first_line: int = 1) -> str:
    """Return `raw` with its lines marked and with LF line breaks. `first_line` is the
    number of its first line."""
    raw = _RESERVED.sub("\ufffd", raw)
    out: list[str] = []
    line = first_line
    opened = 0
    for token in tokens(raw):
        source = raw[token.begin : token.end]
        if token.kind is TokenKind.TEXT and source.strip():
            for offset, part in enumerate(source.split("\n")):
                out.append(("\n" if offset else "") + _mark(line + offset) + part)
        elif token.kind is TokenKind.START:
            cut = 1 + len(token.name)
            out.append(f'{source[:cut]} {LINE_ATTRIBUTE}="{line}"{source[cut:]}')
            opened += token.name not in _UNCOUNTED
            if opened > MAX_OPEN:
                raise too_deep()
        else:
            out.append(source)
            if token.kind is TokenKind.END and token.name not in _UNCOUNTED:
                opened = max(0, opened - 1)
        line += source.count("\n")
    return "".join(out)


def pieces(text: str, line: int) -> Iterator[tuple[str, int]]:
    """Yield a parsed text without its marks, as (text, line) runs. `line` holds until
    the first mark."""
    at = 0
    for mark in _MARK.finditer(text):
        if mark.start() > at:
            yield text[at : mark.start()], line
        line = int("".join(str(ord(digit) - _ZERO) for digit in mark.group(1)))
        at = mark.end()
    if at < len(text):
        yield text[at:], line


def unmarked(text: str) -> str:
    """Return `text` without line marks."""
    return _MARK.sub("", text)
