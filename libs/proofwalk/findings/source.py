"""A document's source as bytes that can be edited at a place, and the unified diff of
an edit.

Edits are made in the decoded text, with the line ends that it has. Byte order mark,
encoding, line ends and a missing last newline stay as they are: an encoding that does
not give the same bytes back is refused (`Source.read`), and so are characters that it
lacks (`Source.edited`). A diff's lines end at LF, as `git apply` and `patch` count
them, whatever ends the lines of the document.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from proofwalk.procedures.loading import decode

_LINE_END = re.compile(r"\r\n|\r|\n")
_NO_NEWLINE = b"\n\\ No newline at end of file\n"
_QUOTED = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
_SHORT = {7: b"a", 8: b"b", 9: b"t", 10: b"n", 11: b"v", 12: b"f", 13: b"r", 34: b'"', 92: b"\\"}


class NotKept(ValueError):
    """The source's encoding does not give its bytes back, or lacks a character."""


@dataclass(frozen=True, kw_only=True)
class Edit:
    """`text` in the place of the characters [begin, end) of a source."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document's text, and what its bytes are made of."""

    bom: bytes
    charset: str
    text: str

    @classmethod
    def read(cls, body: bytes, media_type: str | None = None) -> Source:
        """Return the source of these bytes. Raises `document.not_text`, and `NotKept`
        if its encoding does not give the same bytes back."""
        decoded = decode(body, media_type)
        source = cls(bom=decoded.bom, charset=decoded.charset, text=decoded.text)
        if source.encoded() != body:
            raise NotKept(f"{decoded.charset} does not give the document's bytes back")
        return source

    def encoded(self) -> bytes:
        """Return the bytes. Raises `NotKept`."""
        try:
            return self.bom + self.text.encode(self.charset)
        except UnicodeEncodeError as error:
            raise NotKept(f"{self.charset} lacks {self.text[error.start : error.end]!r}") from None

    def edited(self, edits: Iterable[Edit]) -> Source:
        """Return the source with the edits, which do not overlap. Raises `NotKept`."""
        text, end = [], len(self.text)
        for edit in sorted(edits, key=lambda one: (one.begin, one.end), reverse=True):
            if not edit.begin <= edit.end <= end:
                raise ValueError("edits overlap, or lie beyond the text")
            text += [self.text[edit.end : end], edit.text]
            end = edit.begin
        text.append(self.text[:end])
        changed = Source(bom=self.bom, charset=self.charset, text="".join(reversed(text)))
        changed.encoded()
        return changed

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset of each line's first character."""
        return (0, *(end.end() for end in _LINE_END.finditer(self.text)))

    def position(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of a character."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def lines(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of the 1-based lines `first` to `last`, their ends
        included."""
        starts = (*self.starts, len(self.text))
        begin = starts[min(max(first, 1), len(starts)) - 1]
        return begin, max(begin, starts[min(max(last, 1), len(starts) - 1)])

    def line(self, number: int) -> str:
        """Return a line without its end."""
        begin, end = self.lines(number, number)
        return self.text[begin:end].rstrip("\r\n")

    @property
    def newline(self) -> str:
        """The line end that the source uses first; LF if it has none."""
        end = _LINE_END.search(self.text)
        return end[0] if end else "\n"


def unified_diff(before: bytes, after: bytes, path: str) -> bytes:
    """Return the diff that `git apply` and `patch -p1` take; empty for equal bytes."""
    rows = difflib.diff_bytes(
        difflib.unified_diff,
        _lf_lines(before),
        _lf_lines(after),
        _name(b"a/", path),
        _name(b"b/", path),
        lineterm=b"\n",
    )
    return b"".join(row if row.endswith(b"\n") else row + _NO_NEWLINE for row in rows)


def _lf_lines(body: bytes) -> Sequence[bytes]:
    lines = body.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]


def _name(side: bytes, path: str) -> bytes:
    """Return a name as git writes it in a header: quoted where it holds what would end
    the name or the line."""
    name = side + path.encode("utf-8", "surrogateescape")
    if not _QUOTED.search(name):
        return name + (b"\t" if b" " in name else b"")
    return b'"' + _QUOTED.sub(_escaped, name) + b'"'


def _escaped(match: re.Match[bytes]) -> bytes:
    code = match[0][0]
    return b"\\" + (_SHORT[code] if code in _SHORT else b"%03o" % code)
