"""Repeats an instruction for each row of the table under it, or for each value that a
later sentence adds.

`For each row of the following table, click **Add tag**, and enter the key and the
value.` is played row by row: a field without a value takes the cell of the column that
has its name. `Repeat this for `b`.` repeats what the sentence before it did with its
value.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.reading.intents import Intent, IntentKind, Origin
from proofwalk.agent.reading.marks import begun
from proofwalk.procedures.model import Block, BlockKind, InlineRole, Sentence

_EACH_ROW = re.compile(
    r"^\W*(?:(?:do|repeat) (?:this|the following|these steps|so) )?for (?:each|every) "
    r"(?:row|line|entry|parameter|setting|[a-z]+) (?:of|in|from) (?:the |this )?"
    r"(?:following |table below|next )?(?:table|list)?(?: below)?[,:]\s*",
    re.I,
)
_AGAIN_FOR = re.compile(
    r"^\W*(?:then )?(?:repeat (?:this|it|the (?:last )?steps?|that|the same)(?: steps?)?|"
    r"do (?:the same|this|it)(?: again)?) (?:for|with) (?P<values>.+?)\W*$",
    re.I,
)
_EDGES = " `“”\"'*_."


def skipped(sentence: Sentence) -> Sentence:
    """Return the sentence without `For each row of the table,`."""
    found = _EACH_ROW.match(sentence.text)
    if found is None:
        return sentence
    left = found.end()
    inlines = []
    for inline in sentence.inlines:
        text = inline.text[left:]
        left = max(0, left - len(inline.text))
        if text:
            inlines.append(replace(inline, text=text))
    if inlines and inlines[0].role is InlineRole.TEXT:
        first = inlines[0].text
        inlines[0] = replace(inlines[0], text=begun(first))
    return replace(sentence, inlines=tuple(inlines))


def speaks_of_rows(sentence: Sentence) -> bool:
    """True for a sentence whose act is done for each row of a table."""
    return _EACH_ROW.match(sentence.text) is not None


def for_each_row(intents: list[Intent], table: Block) -> list[Intent] | None:
    """Return the acts for each row of the table, with its cells as values; None where a
    column has no field, or a field no column."""
    if table.kind is not BlockKind.TABLE or len(table.rows) < 2:
        return None
    header, *rows = table.rows
    opened = [one for one in intents if one.kind is IntentKind.SET and one.value is None]
    columns = {id(one): _column_of(one, header) for one in opened}
    if not opened or None in columns.values() or len({*columns.values()}) != len(header):
        return None
    acts: list[Intent] = []
    for position, row in enumerate(rows):
        line = table.row_lines[-len(rows) :][position] if table.row_lines else table.span.line
        sentence = " | ".join(cell for cell in row if cell)
        origin = Origin(file=table.span.file, line=line, sentence=sentence)
        for one in intents:
            column = columns.get(id(one))
            if column is None:
                acts.append(one)
            elif column < len(row):
                value = row[column].strip(_EDGES)
                filled = replace(one, value=value, words=(*one.words, value), origin=origin)
                acts.append(replace(filled, phrase=""))
    return acts


def _column_of(field: Intent, header: tuple[str, ...]) -> int | None:
    """Return the column that has the name of a field."""
    name = {*tokens(field.label or field.phrase)}
    fits = [at for at, cell in enumerate(header) if cell and {*tokens(cell)} & name]
    return fits[0] if len(fits) == 1 else None


def again_for(before: list[Intent], sentence: Sentence) -> list[Intent]:
    """Return the acts of the sentence before with the values that this one gives:
    `Repeat this for `b` and `c`.` Empty for other sentences."""
    found = _AGAIN_FOR.match(sentence.text)
    if found is None:
        return []
    names = [one.text.strip() for one in sentence.inlines if one.role is not InlineRole.TEXT]
    values = [one for one in names if one and normalise(one) in normalise(found["values"])]
    given = [at for at, one in enumerate(before) if one.kind is IntentKind.SET and one.value]
    left = normalise(found["values"])
    for value in values:
        left = left.replace(normalise(value), " ")
    if not values or len(given) != 1 or not {*left.split()} <= {"and", "the", ",", "`", "as"}:
        return []
    sent = before[given[0] :]
    origin = Origin(file=sentence.span.file, line=sentence.span.line, sentence=sentence.text)
    return [
        replace(one, value=value, words=(*one.path, value), origin=origin)
        if one is sent[0]
        else replace(one, origin=origin)
        for value in values
        for one in sent
    ]
