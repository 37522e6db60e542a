"""How a document sets its labels, and the sentence that a missing step gets.

The type is learnt where the procedure already has a label: what stands directly around
it in the source (`**…**`, ``:guilabel:`…` ``, `<span class="ui">…</span>`). Where it
has none, the format's own bold is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from proofwalk.findings.attempts import Attempts
from proofwalk.findings.spelling import pattern, spellings
from proofwalk.findings.units import Place, Unit, visible
from proofwalk.procedures.loading import HTML
from proofwalk.procedures.model import Document, Inline, InlineRole

_CHINESE = re.compile("[\u4e00-\u9fff]")
_OPENING = re.compile(r"(?:\*\*|__|\*|_|`{1,2}|:[a-z:]+:`|<(?P<tag>[a-z]+)(?:\s[^<>]*)?>)$", re.I)
_LABEL_ROLES = (InlineRole.STRONG, InlineRole.CODE, InlineRole.EMPHASIS)
_BEFORE = 200
"""Characters before a label that may hold the tag that opens it."""


@dataclass(frozen=True, kw_only=True)
class LabelStyle:
    """What stands before and behind a label, and the type that a reader sees."""

    before: str
    behind: str
    role: InlineRole


def style_near(attempts: Attempts, document: Document, place: Place) -> LabelStyle:
    """Return how the labels nearest to `place` are set."""
    for line, end_line, run in _labels(document, place):
        begin, end = attempts.source.lines(line, end_line)
        text = attempts.source.text
        for spot in pattern(run.text, attempts.media_type).finditer(text, begin, end):
            opening = _OPENING.search(text, max(begin, spot.start() - _BEFORE), spot.start())
            if opening is None:
                continue
            closing = _closing(opening)
            if text.startswith(closing, spot.end()):
                return LabelStyle(before=opening[0], behind=closing, role=run.role)
    before, behind = ("<b>", "</b>") if attempts.media_type == HTML else ("**", "**")
    return LabelStyle(before=before, behind=behind, role=InlineRole.STRONG)


def sentences_for(
    field: str, value: str, style: LabelStyle, attempts: Attempts, *, like: str
) -> Iterator[tuple[str, Unit]]:
    """Yield the sentence that tells to set a field, to `value` if there is one, as
    source and as it reads, in the language of the sentence `like`; once for each
    spelling of the field's name."""
    for label in spellings(field, attempts.media_type):
        for choice in spellings(value, attempts.media_type) if value else [""]:
            source, runs = "", []
            for part in _parts(field, value, is_chinese=bool(_CHINESE.search(like))):
                is_label = part in (field, value)
                runs.append(Inline(role=style.role if is_label else InlineRole.TEXT, text=part))
                written = {field: label, value: choice}.get(part, part)
                source += f"{style.before}{written}{style.behind}" if is_label else written
            yield source, Unit(kind="sentence", runs=tuple(runs))


def _parts(field: str, value: str, *, is_chinese: bool) -> tuple[str, ...]:
    if is_chinese:
        return ("将", field, "设置为", value, "。") if value else ("填写", field, "。")
    return ("Set ", field, " to ", value, ".") if value else ("Specify ", field, ".")


def _closing(opening: re.Match[str]) -> str:
    if opening["tag"]:
        return f"</{opening['tag']}>"
    return "`" if opening[0].startswith(":") else opening[0]


def _labels(document: Document, place: Place) -> Iterator[tuple[int, int, Inline]]:
    """Yield the procedure's labels, those of the nearest steps first."""
    steps = document.procedures[place.procedure].substeps
    for number in sorted(range(len(steps)), key=lambda at: abs(at - place.step)):
        for sentence in steps[number].sentences:
            for run in visible(sentence.inlines):
                if run.role in _LABEL_ROLES:
                    yield sentence.span.line, sentence.span.end_line, run
