"""Which evaluation documents stand word for word in what a policy is to learn from.

A text holds a document when every sentence of its procedure stands in it, whatever the
markup and the spacing. That tells something only of a procedure that names values of
its own: `Click Disable` and `Click OK` stand in every chain that disables something,
and a chain is no leak (docs/adr/0005). So a procedure with fewer than two values is
held only along with its document's title and introduction. What reads alike without
being the same is `decontamination`'s, which needs the task. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from proofwalk.procedures.loading import load
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.selection import select
from proofwalk.suites.model import Task

_OWN_VALUES = 2
"""Of the thousand training tasks none holds a procedure of the suites with so many;
with one, 4 do."""
_TELLING = 16
"""Letters and digits from which a sentence is looked for; Chinese characters say more
each."""
_TELLING_WIDE = 7
_MARKUP = re.compile(r"<[^<>]*>|&\w+;|:[\w-]+:(?=`)|(?<=\])\([^()\s]*\)")
_NO_WORD = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """The text's letters and digits alone, in lower case."""
    return _NO_WORD.sub("", _MARKUP.sub("", text)).casefold()


class HeldTexts:
    """Evaluation documents, prepared for asking whether a text holds one of them.
    Preparing parses each: some seconds for five hundred."""

    def __init__(self, evaluation: Iterable[Task]) -> None:
        self._known = [_held_of(task) for task in evaluation]

    def held_by(self, texts: Iterable[str]) -> str | None:
        """The id of the first document that these texts, taken together, hold."""
        # A line break, which no plain text has, keeps what stands in two texts from
        # being joined.
        told = list(texts)
        whole = "\n".join(plain(text) for text in told)
        lines = {plain(line) for text in told for line in text.splitlines()}
        for known in self._known:
            if known.title and known.title not in lines:
                continue
            if known.sentences and all(sentence in whole for sentence in known.sentences):
                return known.task
        return None


@dataclass(frozen=True, kw_only=True)
class _TaskTexts:
    task: str
    title: str
    """Must be a line of its own, since a chain's title begins with that of its first
    unit; empty: not asked for."""
    sentences: Sequence[str]
    """Longest first: a longer one is the rarer one."""


def _held_of(task: Task) -> _TaskTexts:
    document = load(task.document_name, task.document.encode(), task.media_type)
    sentences = [one for substep in select(document).substeps for one in substep.sentences]
    values = {
        part.text for one in sentences for part in one.inlines if part.role is InlineRole.CODE
    }
    found = {told for one in sentences if _tells(told := plain(one.text))}
    own = len(values) >= _OWN_VALUES
    if not own:
        found |= set(_introduction(task.document))
    return _TaskTexts(
        task=task.id,
        title="" if own else plain(document.title),
        sentences=sorted(found, key=lambda one: (-len(one), one)),
    )


def _introduction(document: str) -> Iterator[str]:
    """The prose around the procedure: lines that belong to no list, table or
    heading."""
    for line in document.splitlines():
        if (line[:1].isalpha() or line.startswith("<p>")) and _tells(told := plain(line)):
            yield told


def _tells(sentence: str) -> bool:
    return len(sentence) >= (_TELLING if sentence.isascii() else _TELLING_WIDE)
