"""A sub-step as one ordered list of intents: its sentences and blocks in reading order.

"Configure the following parameters and click **OK**." comes before the table that it
speaks of, so its `CONFIGURE` intent marks the place where the table's intents go.
Notes, code and images ask for nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal.grammar import read_sentence, read_text
from proofwalk.agent.policies.literal.intents import (
    Intent,
    IntentKind,
    Origin,
    Prose,
    Reading,
    Unread,
)
from proofwalk.agent.policies.literal.parameters import read_items, read_rows
from proofwalk.procedures.model import Block, BlockKind, InlineRole, Procedure, SubStep

_ALTERNATIVES = re.compile(
    r"\b(?:one of the following|either of the following|use (?:any|one) of)\b", re.I
)
_EXAMPLE = re.compile(r"\W*(?:in this (?:example|topic|tutorial)|for example|for instance)\b", re.I)
_LONE_EXAMPLE = re.compile(
    r"for (?:example|instance)[,:]?\s+(?P<value>[^\s,]+(?:\s+[^\s,]+){0,2}?)\.?$", re.I
)
_AGAIN = re.compile(
    r"\b(?:again|once more|a second time|re-?enter|re-?type|the same"
    r" (?:password|value|text|string))\b",
    re.I,
)
_MARKED = frozenset({InlineRole.STRONG, InlineRole.LINK, InlineRole.IMAGE})
_BACKGROUND = re.compile(
    r"\b(?:following (?:options|types|states|situations|limits)|supported|take note)\b", re.I
)


def read_procedure(procedure: Procedure) -> tuple[Reading, ...]:
    """Read every sub-step of a procedure. The title of steps that are nested under it
    asks for nothing by itself."""
    numbers = [substep.number for substep in procedure.substeps]
    return tuple(
        read_substep(
            substep, leads=any(number.startswith(f"{substep.number}.") for number in numbers)
        )
        for substep in procedure.substeps
    )


def read_substep(substep: SubStep, *, leads: bool = False) -> Reading:
    """Read a sub-step. `leads`: steps are nested under it, which do what it says."""
    parts: list[tuple[int, int, list[Intent]]] = []
    unplaced: list[str] = []
    unread: list[Unread] = []
    prose: list[Prose] = []
    for position, sentence in enumerate(substep.sentences):
        reading = read_sentence(sentence, opens=not position)
        found = list(reading.intents)
        if _EXAMPLE.match(sentence.text) and parts and _takes_example(parts[-1][2], found):
            continue
        lone = _LONE_EXAMPLE.match(sentence.text.strip())
        if lone and parts and _takes_lone_example(parts[-1][2], lone["value"].strip('`“”" ')):
            prose.append(
                Prose(
                    text=sentence.text,
                    why="it gives an example of what the sentence before asks for",
                )
            )
            continue
        if _AGAIN.search(sentence.text) and parts:
            found = _entered_again(parts[-1][2], found)
        if leads:
            found = [intent for intent in found if not (intent.chosen and intent.noun == "words")]
        parts.append((sentence.span.line, 0, found))
        unplaced += reading.unplaced
        for one in reading.not_understood:
            if leads and not any(inline.role in _MARKED for inline in sentence.inlines):
                prose.append(Prose(text=one.text, why="it says what the steps under it do"))
            else:
                unread.append(one)
        prose += reading.prose
    for block in substep.blocks:
        rank = 1 if block.kind in (BlockKind.TABLE, BlockKind.BULLETS) else 2
        reading = _read_block(block, substep.text)
        unread += reading.not_understood
        prose += reading.prose
        parts.append((block.span.line, rank, list(reading.intents)))
    parts.sort(key=lambda part: part[:2])
    intents: list[Intent] = []
    hole: int | None = None
    for _, rank, found in parts:
        if rank == 1 and hole is not None and found:
            intents[hole:hole] = found
            hole += len(found)
            continue
        offset = len(intents)
        intents += found
        places = [
            offset + index
            for index, intent in enumerate(found)
            if intent.kind is IntentKind.CONFIGURE
        ]
        hole = places[-1] + 1 if places else hole
    unread += _unanswered(intents, parts, leads=leads)
    if substep.optional:
        unread = [replace(one, optional=True) for one in unread]
        unplaced += [one.rest for one in unread]
        intents = [replace(intent, optional=True) for intent in intents]
    return Reading(
        intents=tuple(intents),
        unplaced=tuple(dict.fromkeys(unplaced)),
        not_understood=tuple(unread),
        prose=tuple(prose),
    )


def _unanswered(
    intents: list[Intent], parts: list[tuple[int, int, list[Intent]]], *, leads: bool
) -> list[Unread]:
    """`Configure the parameters.` without any: what to set stands in no form that is
    read here."""
    if leads or any(rank == 1 and found for _, rank, found in parts):
        return []
    sentences = [intent.origin for intent in intents if intent.kind is IntentKind.CONFIGURE]
    return [
        Unread(text=origin.sentence, rest=origin.sentence, origin=origin) for origin in sentences
    ]


def _takes_lone_example(before: list[Intent], value: str) -> bool:
    """`Enter the host. For example, `www.example.com`.`"""
    opened = before[-1] if before else None
    if (
        opened is None
        or opened.kind is not IntentKind.SET
        or opened.value is not None
        or not opened.path
    ):
        return False
    before[-1] = replace(opened, value=value, example=True, words=(*opened.words, value))
    return True


def _takes_example(before: list[Intent], found: list[Intent]) -> bool:
    """`Select a region. In this example, select **X**.`: the example is the value that
    the sentence before left open."""
    opened = before[-1] if before else None
    if (
        opened is None
        or opened.value is not None
        or opened.kind not in (IntentKind.REGION, IntentKind.SET)
    ):
        return False
    if (
        len(found) != 1
        or found[0].kind not in (IntentKind.SET, IntentKind.REGION)
        or found[0].value is None
    ):
        return False
    words = (*opened.words, *found[0].words)
    before[-1] = replace(
        opened, value=found[0].value, example=True, words=words, origin=found[0].origin
    )
    return True


def _entered_again(before: list[Intent], found: list[Intent]) -> list[Intent]:
    """`Enter **x** as the password. Enter it again in the **Confirm Password** field.`:
    the value of the sentence before, if it says `it`, or the two fields have a word in
    common."""
    if not found or found[0].kind is not IntentKind.SET or found[0].value is not None:
        return found
    given = [
        intent for intent in before if intent.kind is IntentKind.SET and intent.value is not None
    ]
    if not given or given[-1].label == found[0].label:
        return found
    shared = set(normalise(given[-1].label).split()) & set(normalise(found[0].label).split())
    if not shared and not re.match(r"it\b", found[0].phrase, re.I):
        return found
    return [replace(found[0], value=given[-1].value, phrase=""), *found[1:]]


def _read_block(block: Block, text: str) -> Reading:
    match block.kind:
        case BlockKind.TABLE:
            return Reading(intents=tuple(read_rows(block)))
        case BlockKind.BULLETS if _BACKGROUND.search(text):
            return Reading(intents=())
        case BlockKind.BULLETS if _ALTERNATIVES.search(text):
            return read_items(replace(block, items=block.items[:1], row_lines=block.row_lines[:1]))
        case BlockKind.BULLETS:
            return read_items(block)
        case BlockKind.PARAGRAPH:
            sentence = " ".join("".join(inline.text for inline in block.inlines).split())
            return read_text(
                block.inlines, Origin(file=block.span.file, line=block.span.line, sentence=sentence)
            )
        case BlockKind.NOTE | BlockKind.IMAGE | BlockKind.CODE:
            return Reading(intents=())
