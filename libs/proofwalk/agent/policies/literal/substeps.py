"""Reads a sub-step into one ordered list of intents, from its sentences and blocks in
reading order.

"Configure the following parameters and click **OK**." comes before the table that it
speaks of, so its `CONFIGURE` intent marks the place where the table's intents go.
Notes, code and images ask for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.literal import (
    alternatives,
    contents,
    each_row,
    listed_choices,
    named_controls,
    told_examples,
)
from proofwalk.agent.policies.literal.grammar import read_sentence, read_text
from proofwalk.agent.policies.literal.parameters import read_items, read_rows
from proofwalk.agent.policies.literal.postponed import with_postponed_acts
from proofwalk.agent.policies.literal.statements import tells_of_an_act
from proofwalk.agent.reading.chinese.parameters import table_in_english
from proofwalk.agent.reading.intents import (
    FORM,
    Intent,
    IntentKind,
    Origin,
    Prose,
    Reading,
    Unread,
)
from proofwalk.agent.reading.marks import fold
from proofwalk.procedures.imperatives import Asking, asking
from proofwalk.procedures.model import Block, BlockKind, InlineRole, Procedure, Sentence, SubStep

_NAME = re.compile(
    r"(?!(?i:click|press|select|choos|tick|check|tapp|enter|typ|toggl|open|switch)\w*ing\b)"
    r"(?:[A-Z][a-z]+ing|[A-Z][\w/-]*(?: [\w/-]+){0,3} (?i:configuration|creation|set-?up|settings))"
    r"(?: [\w/()-]+){0,8}"
)
"""`Creating the virtual server`, `IPAM configuration`: a title without an end."""
_MAKES = re.compile(
    r"\W*(?:(?:while|when|once|now that) [a-z][^,;:]*, |now,? |first,? |next,? |then,? )?"
    r"(?:add|create|make|define|configure|set up|specify|prepare|describe|choose|select) "
    r"(?:the|an?|your|its) (?:new )?[a-z][a-z ]{0,40}\W*",
    re.I,
)
"""`Add the valves.`, `While the old one runs, create the new one.`"""
_LONE_FIELD = re.compile(
    r"\W*(?:set|specify) (?P<phrase>(?:the|an?|your) (?!following|required|other|remaining|new)"
    r"(?P<name>[a-z][a-z-]*(?: [a-z][a-z-]*){0,2}?)"
    r"(?<!parameters)(?<!settings)(?<!options)(?<!fields)(?<!values)(?<!details)"
    r"(?<!configuration)(?<!properties)(?<!attributes)(?<! up)(?<! on)(?<! off))\W*",
    re.I,
)
_MARKED = frozenset({InlineRole.STRONG, InlineRole.LINK, InlineRole.IMAGE})
_BACKGROUND = re.compile(
    r"\b(?:following (?:options|types|states|situations|limits)|supported|take note|"
    r"(?:ensure|make sure|verify|check)(?: that)? (?:the following|these)(?: [^.;:]*?)? (?:exists?|"
    r"(?:is|are) (?:already )?(?:available|present|in place|created|set up|installed|met)))\b",
    re.I,
)
"""Leads of bullets that ask for nothing here, but before."""
_SENTENCE, _PARAMETERS, _BLOCK = range(3)
"""Ranks of parts. Parameters stand in tables and bullets."""


def read_procedure(procedure: Procedure) -> tuple[Reading, ...]:
    """Read every sub-step of a procedure. The title of steps that are nested under it
    asks for nothing, and `that button` is the one that the sub-step before tells of."""
    numbers = [substep.number for substep in procedure.substeps]
    readings: list[Reading] = []
    for substep in procedure.substeps:
        leads = any(number.startswith(f"{substep.number}.") for number in numbers)
        named = _labels_told(readings[-1]) if readings else {}
        readings.append(read_substep(substep, leads=leads, named=named))
    return with_postponed_acts(readings)


@dataclass(frozen=True, kw_only=True)
class _Part:
    """What a sentence or a block asks for."""

    line: int
    rank: int
    """`_SENTENCE`, `_PARAMETERS` or `_BLOCK`; the order of parts on the same line."""
    intents: list[Intent]


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """What has been read of a sub-step so far."""

    leads: bool
    """Steps under the sub-step do what it says."""
    alone: bool
    """Nothing under the sub-step says more."""
    parts: list[_Part] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    prose: list[Prose] = field(default_factory=list)
    named: dict[str, Origin] = field(default_factory=dict)
    """The labels that the sentence before told of and did not use, and where."""
    explained: list[tuple[Sentence, list[str]]] = field(default_factory=list)
    """Sentences that tell what an act does, and the labels of the act."""


def read_substep(
    substep: SubStep, *, leads: bool = False, named: Mapping[str, Origin] | None = None
) -> Reading:
    """Read a sub-step. `leads`: steps are nested under it, which do what it says.
    `named`: what the sub-step before told of and did not use."""
    alone = not leads and not substep.blocks
    draft = _Draft(leads=leads, alone=alone, named=dict(named or {}))
    tables = [block for block in substep.blocks if block.kind is BlockKind.TABLE]
    by_row: list[Block] = []
    for position, sentence in enumerate(substep.sentences):
        if each_row.speaks_of_rows(sentence) and len(tables) == 1:
            by_row += _add_rows(draft, sentence, tables[0])
        elif not position and _is_name(sentence, substep):
            draft.prose.append(Prose(text=sentence.text, why="it names the step"))
        else:
            before = fold(substep.sentences[position - 1].inlines).text if position else ""
            _add_sentence(draft, sentence, opens=not position, before=before)
    for block in substep.blocks:
        if block not in by_row:
            _add_block(draft, block, substep)
    _take_lead(draft, substep)
    parts = sorted(draft.parts, key=lambda part: (part.line, part.rank))
    intents = _ordered(parts)
    unread = [
        *draft.unread,
        *_opposed(intents),
        *_unanswered(intents, parts, leads=leads),
        *_asked_by_telling(draft, intents),
    ]
    unplaced = draft.unplaced
    if substep.optional:
        unread = [replace(one, optional=True) for one in unread]
        unplaced = unplaced + [one.rest for one in unread]
        intents = [replace(intent, optional=True) for intent in intents]
    return Reading(
        intents=tuple(intents),
        unplaced=tuple(dict.fromkeys(unplaced)),
        not_understood=tuple(unread),
        prose=tuple(draft.prose),
    )


def _is_name(sentence: Sentence, substep: SubStep) -> bool:
    """True if the sub-step begins with a title, and what it asks for comes behind:
    `Adding a pool member`, then bullets."""
    return (
        _NAME.fullmatch(sentence.text.strip()) is not None
        and not any(inline.role in _MARKED for inline in sentence.inlines)
        and asking(sentence.text) is Asking.NOTHING
        and any(block.kind in (BlockKind.BULLETS, BlockKind.TABLE) for block in substep.blocks)
    )


def _add_sentence(draft: _Draft, sentence: Sentence, *, opens: bool, before: str) -> None:
    """Read a sentence into the draft; `before`: the text of the sentence before it. An
    example, or a value to be entered again, completes or uses the part before."""
    reading = (
        named_controls.of_what_was_named(sentence, draft.named, draft.unplaced)
        or (_lone_field(sentence) if draft.alone else None)
        or read_sentence(sentence, opens=opens, before=before)
    )
    draft.named.clear()
    draft.named.update(_labels_told(reading))
    intents = list(reading.intents)
    asked = draft.parts[-1].intents if draft.parts else None
    if asked is not None:
        if told_examples.sends_each(asked, sentence.text):
            draft.prose.append(Prose(text=sentence.text, why=told_examples.SENT_EACH))
            return
        if told_examples.takes_result(asked, sentence.text, _origin(sentence)):
            return
        if told_examples.takes_example(asked, sentence.text, intents):
            return
        if told_examples.takes_lone_example(asked, sentence.text, intents):
            why = "it gives an example of what the sentence before asks for"
            draft.prose.append(Prose(text=sentence.text, why=why))
            return
        again = each_row.again_for(asked, sentence)
        if again:
            asked += again
            return
        intents = told_examples.entered_again(asked, sentence.text, intents)
    if tells_of_an_act(sentence.text) and reading.prose and not reading.not_understood:
        draft.explained.append((sentence, list(draft.named)))
    if draft.leads:
        intents = [intent for intent in intents if not _says_what_follows(intent)]
    draft.parts.append(_Part(line=sentence.span.line, rank=_SENTENCE, intents=intents))
    draft.unplaced.extend(reading.unplaced)
    for one in reading.not_understood:
        if draft.leads and not any(inline.role in _MARKED for inline in sentence.inlines):
            draft.prose.append(Prose(text=one.text, why="it says what the steps under it do"))
        else:
            draft.unread.append(one)
    draft.prose.extend(reading.prose)


def _take_lead(draft: _Draft, substep: SubStep) -> None:
    """Take a first sentence that makes something, `Add the valves.`, for the title of
    the sentences behind it, which say how."""
    if len(substep.sentences) < 2 or not draft.unread:
        return
    first, unread = substep.sentences[0], draft.unread[0]
    acts = [
        one
        for part in draft.parts
        for one in part.intents
        if one.kind in (IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK)
        and one.origin.sentence != first.text
    ]
    if unread.text == first.text and acts and _MAKES.fullmatch(first.text.strip()):
        draft.unread.remove(unread)
        why = "it says what the sentences behind it do"
        draft.prose.append(Prose(text=first.text, why=why))


def _add_rows(draft: _Draft, sentence: Sentence, table: Block) -> list[Block]:
    """Read a sentence that is done for each row of the table into the draft. Return the
    table, unless it cannot be read so."""
    reading = read_sentence(each_row.skipped(sentence))
    told = each_row.for_each_row(list(reading.intents), table)
    if told is None or reading.not_understood:
        unread = Unread(text=sentence.text, rest=sentence.text, origin=_origin(sentence))
        draft.unread.append(unread)
        return []
    draft.parts.append(_Part(line=sentence.span.line, rank=_SENTENCE, intents=told))
    return [table]


def _labels_told(reading: Reading) -> Mapping[str, Origin]:
    """Return the labels that a sentence or a sub-step tells of, if it uses none, and
    where they stand."""
    told = (IntentKind.MENTION, IntentKind.EXPECT_TEXT)
    if not reading.intents or any(intent.kind not in told for intent in reading.intents):
        return {}
    where = reading.intents[-1].origin
    return dict.fromkeys((*reading.words, *reading.unplaced), where)


def _asked_by_telling(draft: _Draft, intents: list[Intent]) -> list[Unread]:
    """Return the sentences that tell what an act does, where nothing else in the
    sub-step asks for the act: `Clicking **Save** ends the set-up.`"""
    told = (IntentKind.MENTION, IntentKind.EXPECT_TEXT)
    used = {
        normalise(part) for intent in intents if intent.kind not in told for part in intent.path
    }
    return [
        Unread(text=sentence.text, rest=sentence.text, origin=_origin(sentence))
        for sentence, labels in draft.explained
        if labels and not used & {normalise(label) for label in labels}
    ]


def _opposed(intents: list[Intent]) -> list[Unread]:
    """Return what turns a box the other way than a sentence before, for another aim."""
    other = alternatives.opposed(intents)
    if other is None:
        return []
    text = other.origin.sentence
    return [Unread(text=text, rest=text, origin=other.origin)]


def _lone_field(sentence: Sentence) -> Reading | None:
    """Read `Set the channel width.` with nothing under it: a field in words, whose
    value is left open. None for other sentences."""
    found = _LONE_FIELD.fullmatch(sentence.text)
    if found is None or any(inline.role is not InlineRole.TEXT for inline in sentence.inlines):
        return None
    field_set = Intent(
        kind=IntentKind.SET,
        path=(found["name"],),
        noun="words",
        phrase=found["phrase"],
        origin=_origin(sentence),
    )
    return Reading(intents=(field_set,))


def _origin(sentence: Sentence) -> Origin:
    return Origin(file=sentence.span.file, line=sentence.span.line, sentence=sentence.text)


def _says_what_follows(intent: Intent) -> bool:
    """True for `Change the name of the pump.` above the steps that do it: a field or a
    file without markup and without a value, or a form that is left to the reader
    (`Change the details of a pump.`)."""
    if intent.kind is IntentKind.CONFIGURE:
        return intent.noun == FORM
    in_words = intent.noun == "words" or (intent.kind is IntentKind.UPLOAD and not intent.path)
    return in_words and intent.value is None


def _add_block(draft: _Draft, block: Block, substep: SubStep) -> None:
    """Read a block into the draft. Under `The table shows the following:`, what asks
    for nothing tells what it shows."""
    if block.kind is BlockKind.TABLE and alternatives.leads(substep.text):
        _add_choices(draft, substep)
        return
    reading = _read_block(block, substep.text)
    said = substep.sentences[-1].text if substep.sentences else ""
    shown = block.kind is BlockKind.BULLETS and contents.introduces(said)
    for one in reading.not_understood:
        if shown and contents.is_content(one.text):
            draft.prose.append(Prose(text=one.text, why="it tells what the console shows"))
        else:
            draft.unread.append(one)
    draft.prose.extend(reading.prose)
    rank = _PARAMETERS if block.kind in (BlockKind.TABLE, BlockKind.BULLETS) else _BLOCK
    draft.parts.append(_Part(line=block.span.line, rank=rank, intents=list(reading.intents)))


def _add_choices(draft: _Draft, substep: SubStep) -> None:
    """Take a table of choices (`Choose one of the following kinds:`) for what explains
    the field that is left open before it. Without such a field nothing was chosen."""
    opened = (one for part in draft.parts for one in part.intents if one.kind is IntentKind.SET)
    said = substep.sentences[-1]
    if any(one.path and one.value is None for one in opened):
        draft.prose.append(Prose(text=said.text, why="the table under it explains the choices"))
    else:
        draft.unread.append(Unread(text=said.text, rest=said.text, origin=_origin(said)))


def _ordered(parts: list[_Part]) -> list[Intent]:
    """Return the parts' intents in order, parameters behind the last `CONFIGURE` before
    them."""
    intents: list[Intent] = []
    hole: int | None = None
    for part in parts:
        if part.rank == _PARAMETERS and hole is not None and part.intents:
            if intents[hole - 1].kind is IntentKind.CONFIGURE:
                intents[hole - 1] = replace(intents[hole - 1], noun="")  # These are its values.
            intents[hole:hole] = part.intents
            hole += len(part.intents)
            continue
        offset = len(intents)
        intents += part.intents
        places = [
            offset + index
            for index, intent in enumerate(part.intents)
            if intent.kind is IntentKind.CONFIGURE
        ]
        hole = places[-1] + 1 if places else hole
    return intents


def _unanswered(intents: list[Intent], parts: list[_Part], *, leads: bool) -> list[Unread]:
    """Return each `Configure the parameters.` as unread when no part has parameters:
    what to set stands in a form that is not read here."""
    if leads or any(part.rank == _PARAMETERS and part.intents for part in parts):
        return []
    return [
        Unread(
            text=intent.origin.sentence,
            rest=intent.origin.sentence,
            origin=intent.origin,
            optional=intent.optional,
        )
        for intent in intents
        if intent.kind is IntentKind.CONFIGURE and intent.noun != FORM
    ]


def _read_block(block: Block, text: str) -> Reading:
    match block.kind:
        case BlockKind.TABLE:
            table, unread = table_in_english(block)
            read = read_rows(table)
            return replace(read, not_understood=(*unread, *read.not_understood))
        case BlockKind.BULLETS if _BACKGROUND.search(text):
            return Reading(intents=())
        case BlockKind.BULLETS if (listed := listed_choices.read(block, text)) is not None:
            return listed
        case BlockKind.BULLETS if alternatives.leads(text) or alternatives.are_ways(block):
            at = alternatives.way_taken(block)
            lines = block.row_lines[at : at + 1]
            return read_items(replace(block, items=block.items[at : at + 1], row_lines=lines))
        case BlockKind.BULLETS:
            return read_items(block)
        case BlockKind.PARAGRAPH:
            sentence = " ".join("".join(inline.text for inline in block.inlines).split())
            return read_text(
                block.inlines, Origin(file=block.span.file, line=block.span.line, sentence=sentence)
            )
        case BlockKind.NOTE | BlockKind.IMAGE | BlockKind.CODE:
            return Reading(intents=())
