"""From a vendor's sentence to intents: understood, prose, or not understood.

A sentence is folded (`marks`). One with imperatives is read clause by clause
(`instructions`); one without says what will be seen (`expectations`) or asks for
nothing, which its form has to prove (`prose`). Everything else is not understood. The
grammar is total: it never fails, and no sentence is passed over without a word.
`parameters` reads tables and bullets; `substeps` puts a whole sub-step together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.agent.policies.literal import situations
from proofwalk.agent.policies.literal.advice import ADVICE, advises, without_advice
from proofwalk.agent.policies.literal.assignments import written_out
from proofwalk.agent.policies.literal.cuts import cuts_of
from proofwalk.agent.policies.literal.expectations import expectations
from proofwalk.agent.policies.literal.instructions import Instruction
from proofwalk.agent.policies.literal.own_choices import own_choice
from proofwalk.agent.policies.literal.paraphrases import said_plainly
from proofwalk.agent.policies.literal.pointers import points_by_link
from proofwalk.agent.policies.literal.postponed import postponed
from proofwalk.agent.policies.literal.prose import (
    ANOTHER_WAY,
    ELSEWHERE,
    EXAMPLE,
    INTRODUCES,
    LOOK,
    asks_by_stating,
    gives_an_example,
    remarks,
    tells,
    why_prose,
    without_edges,
)
from proofwalk.agent.policies.literal.statements import states
from proofwalk.agent.policies.literal.told_examples import SENT_EACH, sends_each
from proofwalk.agent.policies.literal.told_fields import with_way_back_apart
from proofwalk.agent.policies.literal.ways import by_its_way
from proofwalk.agent.reading.chinese.rewriting import no_reading, through_english
from proofwalk.agent.reading.intents import (
    Intent,
    IntentKind,
    Origin,
    Prose,
    Reading,
    Unread,
)
from proofwalk.agent.reading.marks import LABEL, Folded, fold
from proofwalk.procedures.model import Inline, Sentence

MAX_CHARACTERS = 3_000
"""Longest text that is read, its labels folded: several times what people write. A
longer one is not understood, so that no document can hold a walk up."""
_EDGE = rf"[^\w{LABEL[1:-1]}]*"
_CONDITION = re.compile(
    rf"^{_EDGE}(?:if|in case|unless|when necessary|as needed|where applicable)\b", re.I
)
_WISH = re.compile(
    rf"^{_EDGE}(?:if (?:you (?:want|need|prefer|would|do not"
    r" (?:want|need))|necessary|needed|required|applicable)"
    r"|when necessary|as needed|to change (?:one|any|some|another) of (?:them|these|those|the)"
    rf"|to [a-z]+ [^,;:{LABEL[1:-1]}]+, (?:select|choose|click|use|enter|turn)\b[^;.]* instead"
    r")\b",
    re.I,
)
_LATER = re.compile(
    rf"^{_EDGE}to (?:undo|revert|reverse) (?:this|it|that|the (?:change|action))\b"
    rf"|^{_EDGE}to [a-z]+ [^,;:{LABEL[1:-1]}]*? (?:later(?: on)?|again later|at a later time|"
    r"at any time|afterwards|in the future),",
    re.I,
)
"""`To fill it again later, click **Fill**`: behind an act, what may undo it."""
_MISTAKE = re.compile(
    rf"^{_EDGE}if (?:you (?:find|notice|see|spot|made|make) (?:an?|any|some) "
    r"(?:mistake|error|typo|problem)s?\b|(?:an?|any|one|some|something|anything)\b"
    r"[^,;.]{0,40}?\b(?:is|are|was|were|looks?) "
    r"(?:incorrect|wrong|not (?:correct|right)|mistaken))[^,;.]*,",
    re.I,
)
"""`If a setting is wrong, click **Back** and correct it.`"""
_SITUATION = re.compile(rf"^{_EDGE}if (?:you|your)\b", re.I)
"""`If you see the page, …`: whether the condition holds, nobody has told."""
_OPTIONAL = re.compile(rf"^{_EDGE}optional(?:ly)?\b{_EDGE}", re.I)
_YOU_CAN = re.compile(
    rf"^{_EDGE}you (?:can|may|might|could)"
    r"(?: also| then| now)*(?:\s+want to(?: also)?)?\s+",
    re.I,
)
_MAY_WANT = re.compile(r"\byou (?:may|might) (?:also )?want to\b", re.I)
_OTHER_CASE = re.compile(
    rf"(?:;|\b(?:otherwise|else|if not|in (?:any|either) case)\b"
    rf"|,\s*(?:and\s+)?then\b(?=[^{LABEL[1:-1]}]*{LABEL}\s*\.?$))",
    re.I,
)
"""Words after a wish that hold whether or not the reader has it."""
_EITHER_ACT = re.compile(rf"^{_EDGE}either [a-z]+ (?:the|an?|your) [^;]*\bor [a-z]+ [a-z]", re.I)
"""`Either type a password or let the console make one`: one of two ways, not both."""
_ENDING = re.compile(rf",\s*and\s+(?:then\s+)?(?P<click>click\s+{LABEL}\s*\.?)$", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z\"(\ue000-\uf8ff])")


def read_sentence(sentence: Sentence, *, opens: bool = True, before: str = "") -> Reading:
    """Read one sentence of a sub-step. `opens`: it is the first one. `before`: the text
    of the sentence before it."""
    origin = Origin(file=sentence.span.file, line=sentence.span.line, sentence=sentence.text)
    return _understood(fold(sentence.inlines), origin, opens=opens, before=before)


def read_text(inlines: Sequence[Inline], origin: Origin, *, opens: bool = True) -> Reading:
    """Read a run of text that may hold several sentences."""
    return _understood(fold(inlines), origin, opens=opens)


def _understood(folded: Folded, origin: Origin, *, opens: bool, before: str = "") -> Reading:
    if len(folded.text) > MAX_CHARACTERS:
        return no_reading(folded, origin)
    return through_english(
        folded, origin, lambda english: _read(english, origin, opens=opens, before=before)
    )


def _read(folded: Folded, origin: Origin, *, opens: bool, before: str = "") -> Reading:
    intents: list[Intent] = []
    unread: list[Unread] = []
    prose: list[Prose] = []
    for position, piece in enumerate(_SENTENCE_END.split(with_way_back_apart(folded.text))):
        other, before = _is_left(before), piece
        if other and situations.leaves_it(piece):
            prose.append(Prose(text=folded.plain(piece), why="it leaves things as they are"))
            continue
        piece = (situations.in_the_other_case(piece) if other else "") or piece
        text = folded.plain(piece)
        if sends_each(intents, text):
            prose.append(Prose(text=text, why=SENT_EACH))
            continue
        read = _pointed(folded, piece, origin) or _read_piece(
            folded, piece, origin, opens=opens and not position
        )
        if read.rest and gives_an_example(piece) and not (opens and not position):
            read = _mentioned(folded, piece, origin, EXAMPLE)
        intents += read.intents
        if read.rest:
            unread.append(
                Unread(
                    text=text, rest=folded.plain(read.rest), optional=read.optional, origin=origin
                )
            )
        elif read.why:
            prose.append(Prose(text=text, why=read.why))
    placed = [word for intent in intents for word in intent.words]
    unplaced = [label.text for label in folded.labels_in(folded.text) if label.text not in placed]
    return Reading(
        intents=tuple(intents),
        unplaced=tuple(unplaced),
        not_understood=tuple(unread),
        prose=tuple(prose),
    )


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """A sentence: what it asks for, why it asks for nothing, or the part that was not
    understood."""

    intents: tuple[Intent, ...] = ()
    rest: str = ""
    why: str = ""
    optional: bool = False


def _read_piece(folded: Folded, piece: str, origin: Origin, *, opens: bool) -> _Piece:
    if _EITHER_ACT.match(piece) and not folded.labels_in(piece):
        return _Piece(rest=piece)
    piece = without_advice(situations.condition_first(piece))
    piece = said_plainly(by_its_way(piece, folded, opens=opens), folded, opens=opens)
    optional, why, piece = _offered(piece, opens=opens)
    depending = _read_dependent(folded, piece, origin, opens=opens)
    if depending is not None:
        return depending
    if remarks(piece) and not folded.labels_in(piece) and not _asks_after_a_colon(piece):
        return _Piece(why=why) if why else _Piece(rest=piece, optional=optional)
    if why in (ADVICE, INTRODUCES, ANOTHER_WAY):
        return _mentioned(folded, piece, origin, why)
    conditional = _CONDITION.match(piece) is not None
    if not cuts_of(piece):
        if not why and not says_what_is_seen(folded, piece, origin):
            return _Piece(rest=piece, optional=optional)
        seen = [
            replace(one, optional=optional, conditional=conditional)
            for one in expectations(folded, piece, origin)
        ]
        return _Piece(intents=tuple(seen), why=why or "it tells what is so")
    if _SITUATION.match(piece) and not why:
        return _Piece(rest=piece, optional=optional)
    read = Instruction(folded, piece, origin, conditional=conditional)
    if read.rest and why and (states(without_edges(piece)) or why == LOOK):
        return _Piece(intents=postponed(folded, piece, origin), why=why)
    if read.rest or not read.intents:
        left = "" if read.rest else why or "it asks to look"
        return _Piece(rest=read.rest, optional=optional and bool(read.rest), why=left)
    return _instructed(read, optional=optional, conditional=conditional)


def _pointed(folded: Folded, piece: str, origin: Origin) -> _Piece | None:
    """A sentence that leads to another document; None for others."""
    return _mentioned(folded, piece, origin, ELSEWHERE) if points_by_link(folded, piece) else None


def _instructed(read: Instruction, *, optional: bool, conditional: bool) -> _Piece:
    """An instruction that was read to its end."""
    return _Piece(
        intents=tuple(
            replace(
                one,
                optional=optional or one.optional,
                conditional=conditional or one.conditional,
                condition=read.condition,
            )
            for one in read.intents
        )
    )


def _mentioned(folded: Folded, piece: str, origin: Origin, why: str) -> _Piece:
    """A sentence that asks for nothing, and the labels that it speaks of."""
    told = tuple(label.text for label in folded.labels_in(piece))
    spoken = Intent(kind=IntentKind.MENTION, path=told, words=told, origin=origin)
    return _Piece(intents=(spoken,) if told else (), why=why)


def _offered(piece: str, *, opens: bool) -> tuple[bool, str, str]:
    """Return whether the reader may leave a sentence out, why it is prose, and the
    sentence without the words that say so."""
    optional = _OPTIONAL.match(piece) is not None
    piece = _OPTIONAL.sub("", piece)
    offers = opens or optional or _MAY_WANT.search(piece) is not None
    why = why_prose(piece, opens=offers)
    if not why and advises(without_edges(piece), opens=opens):
        why = ADVICE
    if offers and not why and _YOU_CAN.match(piece):
        optional, piece = True, _OPTIONAL.sub("", _YOU_CAN.sub("", piece))
    return optional, why, written_out(piece)


def _read_dependent(folded: Folded, piece: str, origin: Origin, *, opens: bool) -> _Piece | None:
    """Read what depends on a wish or a situation of the reader, or on what was chosen
    before; None for other sentences."""
    is_later = not opens and _LATER.match(piece) is not None
    if is_later or _WISH.match(piece) or _MISTAKE.match(piece):
        return _read_wish(folded, piece, origin)
    own = own_choice(piece)
    if own and cuts_of(own[1]):
        return _read_own_choice(folded, *own, origin)
    return _read_situation(folded, piece, origin)


def _read_own_choice(folded: Folded, label: str, act: str, origin: Origin) -> _Piece:
    """Read an instruction that depends on what was chosen before."""
    read = _read_piece(folded, act, origin, opens=True)
    choice = folded.label(label).text
    return replace(
        read,
        intents=tuple(
            replace(one, depends_on=choice, words=(choice, *one.words)) for one in read.intents
        ),
    )


def _is_left(before: str) -> bool:
    """True if the walk takes the other case than the one that a sentence tells."""
    return situations.depends_on_the_reader(before) or _WISH.match(before) is not None


def _read_situation(folded: Folded, piece: str, origin: Origin) -> _Piece | None:
    """Read what depends on a reader's situation, or on a window that asks; None for
    other sentences."""
    told = situations.situation(piece)
    if told is None:
        return None
    read = _read_piece(folded, told.act, origin, opens=True)
    if told.shows_itself:
        return replace(read, intents=tuple(replace(one, conditional=True) for one in read.intents))
    if told.is_question:
        acts = tuple(replace(one, prompted=True, conditional=True) for one in read.intents)
        return replace(read, intents=acts)
    condition = folded.plain(told.condition)
    acts = tuple(replace(one, situation=condition, conditional=True) for one in read.intents)
    return replace(read, intents=acts, optional=True)


def says_what_is_seen(folded: Folded, piece: str, origin: Origin) -> bool:
    """True if a sentence with a label tells something that the walk can look for, and
    asks for nothing besides."""
    if asks_by_stating(piece) or not tells(without_edges(piece)):
        return False
    return any(one.kind is not IntentKind.MENTION for one in expectations(folded, piece, origin))


def _asks_after_a_colon(piece: str) -> bool:
    """`Important: click the check mark`."""
    return any(piece[: cut.start].rstrip().endswith(":") for cut in cuts_of(piece))


def _read_wish(folded: Folded, piece: str, origin: Origin) -> _Piece:
    """Read a wish, or what to do about a mistake. Nothing of it is required but a click
    that ends the sentence of a wish."""
    ending = None if _MISTAKE.match(piece) else _ENDING.search(piece)
    spoken = tuple(
        label.text for label in folded.labels_in(piece[: ending.start()] if ending else piece)
    )
    wish = Intent(
        kind=IntentKind.MENTION, path=spoken, words=spoken, conditional=True, origin=origin
    )
    wishes = (wish,) if spoken else ()
    if ending is None and _OTHER_CASE.search(piece):
        return _Piece(rest=piece)
    if ending is None:
        return _Piece(intents=wishes, why="it offers what a reader may want")
    click = _read_piece(folded, ending["click"], origin, opens=False)
    return replace(click, intents=(*wishes, *click.intents))
