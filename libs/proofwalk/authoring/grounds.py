"""What says a value that the log has: META, the document, an earlier event, a default.

A walk leaves events whose requests are full of values. A rule may demand those alone
that a walker can know. They are looked for in this order, because the first survives a
change of names and ids and the last says least:

1. *META*: an output of what was prepared has the value, whole or as a part of it, or a
   phrase of the document stands for it.
2. *document*: the procedure says it, as it is or as the console shows it.
3. *event*: an earlier event of the same walk answered with it.
4. *default*: the console sends it unasked, and the document does not name its field, or
   it says which act it was.

A short value (`80`, `true`) is in many places by chance: of such a value the document
is asked first, and it has to stand in a line that names the field, where the field's
label is known. What none of them says is left open. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from proofwalk.kernel.evidence import AuditEvent
from proofwalk.kernel.json_values import JsonValue
from proofwalk.suites.rules.constants import Console, Sent, comparable, says, undoes
from proofwalk.suites.rules.event_members import decoded

_DISTINCT = re.compile(r"(?=.*[A-Za-z])(?:(?=.*[\d._:/-]).{6,}|.{12,})", re.S)
"""A value that stands nowhere by chance: letters with digits or marks, or many."""
_TELLING = re.compile(r"(?!(?:true|false|none|null|yes)$).{4,}", re.S | re.I)
"""A value that stands in a document for itself, wherever it stands."""
_LONG_WORD = re.compile(r"\S{12,}")
_LEAST_PART = 6
_LISTED = re.compile(r"\s*[,;]\s*")
_LEAST_LISTED = 3
_MASKED = re.compile(r"\*{3,}")
_TERM = 6
"""Words of a term in a list or a table, at most."""
_MAX_LEAVES = 400
_MAX_VALUE = 500
_REFERRING = re.compile(r"\$(?:meta|doc|event)\.")
"""A value that a rule would take for a reference."""
_NAME = re.compile(r"(?!\.)(?!.*\.\.)[^*\s](?:[^*\n]*[^*\s.])?")
"""A member that a rule's path can name."""
_MAX_DEPTH = 8
_NUMBERING = re.compile(r"^\s*(?:\d+|#|[a-z])[.)]\s+", re.M)


class Ground(StrEnum):
    """What says a value."""

    META = "meta"
    EVENT = "event"
    DOCUMENT = "document"
    DEFAULT = "default"
    ASKED = "asked"
    """The document has the field filled and leaves the value open."""


@dataclass(frozen=True, kw_only=True)
class Grounded:
    """A value of an event that something says."""

    path: str
    op: str
    """The rule's operator: `eq`, `contains`, `exists`."""
    value: str | bool
    """As a rule writes it: a constant, or a reference."""
    ground: Ground


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """An earlier event of the walk, under the name that the rule gives it."""

    name: str
    event: AuditEvent


@dataclass(frozen=True, kw_only=True)
class DocumentLines:
    """A document's lines as values are looked for in them."""

    lines: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """All of it."""
        return " ".join(self.lines)

    def lines_naming(self, names: Set[str]) -> list[str]:
        """The lines that have one of the names; a term that stands alone has what is
        said of it in the line below."""
        return [
            f"{line} {below}" if len(line.split()) <= _TERM else line
            for line, below in zip_longest(self.lines, self.lines[1:], fillvalue="")
            if any(says(line, name, ()) for name in names)
        ]

    def says(self, value: str, sent: Sent) -> bool:
        """Whether it says the value of a field. A value that is in many places by
        chance has to stand where the field is named, unless the console shows it as one
        long word, and a digit is no switch."""
        if any(
            _LONG_WORD.fullmatch(label) and says(self.text, label, ())
            for label in sent.labels.get(value.lower(), ())
        ):
            return True
        if value.isdigit():
            labels = {value: sent.labels[value]} if value in sent.labels else {}
            told = Sent(labels=labels)
        else:
            told = sent
        if _TELLING.fullmatch(value) or not sent.names:
            return says(self.text, value, [told])
        return any(says(line, value, [told]) for line in self.lines_naming(sent.names))


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Everything that may say a value."""

    document: DocumentLines
    outputs: Mapping[str, str]
    """META's."""
    meta: str
    """META's text."""
    binds: Set[str]
    """Values that META has the document's phrases stand for, in lower case."""
    console: Console

    def grounded(
        self, event: AuditEvent, earlier: Sequence[Earlier]
    ) -> tuple[list[Grounded], list[str]]:
        """The request's values that something says, and the paths of those that are
        left open."""
        values: list[Grounded] = []
        open_: list[str] = []
        for path, value in leaves("request", event.request):
            if not value or _MASKED.fullmatch(value):
                continue
            if len(value) > _MAX_VALUE or _REFERRING.search(value):
                open_.append(path)
                continue
            sent = self.console.sent(event.service, event.name, path.removeprefix("request."))
            found = self._conditions(path, value, sent, earlier)
            values += found
            open_ += [] if found else [path]
        return [*values, *self._beside(event)], open_

    def _beside(self, event: AuditEvent) -> Iterator[Grounded]:
        """What logs tell beside the request: the thing's name in the answer, or in the
        record's own members. Only what META made or binds counts."""
        for head in ("response", "raw"):
            seen: set[str] = set()
            members = {
                name: value
                for name, value in getattr(event, head).items()
                if isinstance(value, str) and value[:1] not in ("{", "[")
            }
            for path, value in leaves(head, members):
                if value in seen or _REFERRING.search(value) or len(value) > _MAX_VALUE:
                    continue
                output = self._output(path, value)
                if output is not None or value.lower() in self.binds:
                    seen.add(value)
                    told = output or value
                    yield Grounded(path=path, op="eq", value=told, ground=Ground.META)

    def _conditions(
        self, path: str, value: str, sent: Sent, earlier: Sequence[Earlier]
    ) -> list[Grounded]:
        said = self._source_of(path, value, sent, earlier)
        if said is not None:
            told, ground = said
            return [Grounded(path=path, op="eq", value=told, ground=ground)]
        part = self._part(value)
        if part is not None:
            return [Grounded(path=path, op="contains", value=part, ground=Ground.META)]
        parts = [part for part in _LISTED.split(value) if len(part) >= _LEAST_LISTED]
        if len(parts) > 1:
            found = [part for part in parts if says(self.document.text, part, [sent])]
            if found:
                return [
                    Grounded(path=path, op="contains", value=part, ground=Ground.DOCUMENT)
                    for part in found
                ]
        if self.document.lines_naming(sent.names):
            return [Grounded(path=path, op="exists", value=True, ground=Ground.ASKED)]
        return []

    def _source_of(
        self, path: str, value: str, sent: Sent, earlier: Sequence[Earlier]
    ) -> tuple[str, Ground] | None:
        if value.lower() in self.binds:
            return value, Ground.META
        distinct = _DISTINCT.fullmatch(value) is not None
        in_document = self.document.says(value, sent)
        if in_document and not distinct:
            return value, Ground.DOCUMENT
        output = self._output(path, value)
        if output is not None:
            return output, Ground.META
        if in_document:
            return value, Ground.DOCUMENT
        answer = _answered(path, value, earlier) if distinct else None
        if answer is not None:
            return answer, Ground.EVENT
        if value.lower() in sent.acts:
            return value, Ground.DEFAULT
        if self.document.lines_naming(sent.names):
            return None
        if value.lower() in sent.unasked:
            return value, Ground.DEFAULT
        if (distinct and says(self.meta, value, ())) or undoes(self.meta, value, [sent]):
            return value, Ground.META
        return None

    def _output(self, path: str, value: str) -> str | None:
        """A reference to META's output with the value."""
        same = [name for name, one in self.outputs.items() if one == value]
        if same:
            return f"$meta.{max(same, key=lambda name: _likeness(name, path))}"
        return None

    def _part(self, value: str) -> str | None:
        """A reference to META's output that is a part of the value."""
        parts = sorted(self.outputs.items(), key=lambda item: -len(item[1]))
        for name, one in parts:
            if (
                len(one) >= _LEAST_PART
                and _DISTINCT.fullmatch(one)
                and re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", value)
            ):
                return f"$meta.{name}"
        return None


class UnknownConsole:
    """A console of which nothing is known but what its log and the document say."""

    def sent(self, service: str, event: str, parameter: str) -> Sent:
        """A parameter's own words are taken for its field's label."""
        members = [part for part in parameter.split(".") if not part.isdigit()]
        label = " ".join(words_of(members[-1])) if members else ""
        return Sent(names=frozenset({label} if label else ()))


def lines_of(document: str) -> DocumentLines:
    """What a document says, line by line, without the numbers of its steps."""
    lines = (comparable(_NUMBERING.sub("", line)) for line in document.splitlines())
    return DocumentLines(lines=tuple(line for line in lines if line))


def leaves(path: str, value: JsonValue) -> Iterator[tuple[str, str]]:
    """Path and text of each single value in it, at most some hundred; JSON inside text
    is looked into."""
    for number, one in enumerate(_leaves(path, value, 0)):
        if number >= _MAX_LEAVES:
            return
        yield one


def _leaves(path: str, value: JsonValue, depth: int) -> Iterator[tuple[str, str]]:
    value = decoded(value)
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for name, one in value.items():
            if _NAME.fullmatch(name) is None:
                continue
            if "." in name and not isinstance(one, (Mapping, list)):
                # A name with dots is one member, and nothing is reached behind it.
                yield f"{path}.{name}", _text(one)
            elif "." not in name:
                yield from _leaves(f"{path}.{name}", one, depth + 1)
    elif isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            yield from _leaves(f"{path}.{number}", one, depth + 1)
    elif value is not None:
        yield path, _text(value)


def _text(value: JsonValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _answered(path: str, value: str, earlier: Sequence[Earlier]) -> str | None:
    for one in reversed(earlier):
        same = [at for at, have in leaves("response", one.event.response) if have == value]
        if same:
            return f"$event.{one.name}.{max(same, key=lambda at: _likeness(at, path))}"
    return None


def _likeness(one: str, other: str) -> tuple[int, int]:
    """How alike the last members of two names are; of equals the shorter name."""
    words = [set(words_of(text.rpartition(".")[2])) for text in (one, other)]
    return len(words[0] & words[1]), -len(one)


def words_of(text: str) -> list[str]:
    """The words that a name is made of, in lower case: `AddTank_2` has add, tank, 2."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", text)]
