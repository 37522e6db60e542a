"""A text that is walked, with the files that its lines come from.

A page of a folder is walked with its includes and variables in place, and any text with
one sort of line end. Edits are made in the text and taken over to its files, by line
and column, and only where the lines that they touch are the same there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from proofwalk.findings.attempts import NoPatch, Refusal
from proofwalk.findings.source import Edit, NotKept, Source
from proofwalk.kernel.errors import ProofwalkError

_LINE_END = re.compile(r"\r\n|\r|\n")
Origin = tuple[str, int]
"""A file and a 1-based line in it."""


def lines_of(file: str, text: str) -> tuple[Origin, ...]:
    """Return the origins of a text that is this file's."""
    source = Source.read(text.encode())
    return tuple((file, line) for line in range(1, len(source.starts) + 1))


@dataclass(frozen=True, kw_only=True)
class Manuscript:
    """A text and its files; `origins` are of the text's lines. A file that cannot be
    read has no bytes."""

    text: str
    origins: tuple[Origin, ...]
    files: Mapping[str, bytes | None]

    @property
    def is_one_file(self) -> bool:
        """True if the text is one file, line by line: edits of the edited text can be
        taken over as well."""
        file, count = self._first_file, len(self.origins)
        return self.origins == tuple((file, line) for line in range(1, count + 1))

    def at_home(self, edits: Sequence[Edit]) -> dict[str, tuple[Edit, ...]]:
        """Return the edits of the text as edits of its files. Raises `NoPatch`."""
        by_file: dict[str, list[Edit]] = {}
        for edit in edits:
            file, there = self._at_home(edit)
            by_file.setdefault(file, []).append(there)
        return {file: tuple(own) for file, own in by_file.items()}

    def edited(self, edits: Sequence[Edit]) -> Manuscript:
        """Return the manuscript with these edits in its text and its files. Raises
        `NoPatch`."""
        files = dict(self.files)
        try:
            for file, own in self.at_home(edits).items():
                files[file] = self._read(file).edited(own).encoded()
        except NotKept as error:
            raise NoPatch(Refusal.NOT_KEPT, str(error)) from None
        text = self._source.edited(edits).text
        origins = lines_of(self._first_file, text) if self.is_one_file else ()
        return replace(self, text=text, origins=origins, files=files)

    @cached_property
    def _source(self) -> Source:
        return Source.read(self.text.encode())

    @property
    def _first_file(self) -> str:
        return self.origins[0][0] if self.origins else ""

    def _read(self, file: str) -> Source:
        body = self.files.get(file)
        if body is None:
            raise NoPatch(Refusal.NO_FILE, f"{file} is no file that can be read")
        try:
            return Source.read(body)
        except ProofwalkError as error:
            raise NoPatch(Refusal.UNREADABLE, error.message) from None
        except NotKept as error:
            raise NoPatch(Refusal.NOT_KEPT, str(error)) from None

    def _at_home(self, edit: Edit) -> tuple[str, Edit]:
        text = self._source
        line, column = text.position(edit.begin)
        end_line, end_column = text.position(edit.end)
        ends_before = end_line > line and end_column == 1
        last = end_line - 1 if ends_before else end_line
        file, first = self._origin(line)
        home = self._read(file)
        for number in range(line, last + 1):
            at = first + number - line
            if self._origin(number) != (file, at) or text.line(number) != home.line(at):
                reason = f"the words are not in {file} as they were walked"
                raise NoPatch(Refusal.NO_SENTENCE, reason)
        last_begin, last_end = home.lines(first + last - line, first + last - line)
        return file, Edit(
            begin=home.lines(first, first)[0] + column - 1,
            end=last_end if ends_before else last_begin + end_column - 1,
            text=_LINE_END.sub(home.newline, edit.text),
        )

    def _origin(self, line: int) -> Origin:
        """Return the origin of a line; behind the last one the text ends as its file
        does."""
        if line <= len(self.origins):
            return self.origins[line - 1]
        file, last = self.origins[-1] if self.origins else ("", 0)
        return file, last + line - len(self.origins)
