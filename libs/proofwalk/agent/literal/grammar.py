"""From a vendor's sentence to intents.

A sentence is folded (`marks`), cut into clauses at its imperative verbs, each clause loses its scope phrases (`scopes`),
and what remains
is read by the verb's rule. Context before the first verb holds for the whole sentence, a field only for the next verb. A sentence
without an imperative is an expectation or a mention. The grammar is total: it never fails, and each marked-up word ends up
in an intent or in `unplaced`. `parameters` reads tables and bullets; `substeps` puts a whole sub-step together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from proofwalk.agent.literal import clauses
from proofwalk.agent.literal.accounting import lead_leftover, leftover, only_looks, without_goal
from proofwalk.agent.literal.assignments import lead_fields, read_assignments, read_tag, written_out
from proofwalk.agent.literal.clauses import RULES, Clause
from proofwalk.agent.literal.expectations import expectations
from proofwalk.agent.literal.intents import Intent, IntentKind, Origin, Prose, Reading, Scope, ScopeKind, Unread
from proofwalk.agent.literal.marks import LABEL, Folded, Label, fold
from proofwalk.agent.literal.prose import why_prose
from proofwalk.agent.literal.scopes import Scoped, take_scopes
from proofwalk.agent.literal.ways import by_its_way
from proofwalk.agent.literal.words import DOTS, normalise
from proofwalk.procedures.model import Inline, Sentence

_VERBS = "|".join(rf"(?P<v{index}>{pattern})" for index, (pattern, _) in enumerate(RULES))
_BOUNDARY = (
    r"(?:^|[,;:.()]|(?<=\s)-|\b(?:and|then|or|next|first|finally|please|also|additionally|again|directly|must|need to|should|have to|now|optionally)|"
    r"\b(?:box|page|field|pane|section|column|list|tab|bar|menu|corner|area|panel|drawer|appears|displayed|opens))\s*$"
)
_VERB = re.compile(rf"\b(?:{_VERBS})\b", re.I)
_AT_BOUNDARY = re.compile(_BOUNDARY, re.I)
_IS_NOUN = re.compile(r"\b(?:the|next|each|every|first|last) (?:next |first |last )?$", re.I)
_OTHERS_DO = re.compile(r"\b(?!you\b)\w+ (?:must|need to|should|have to)\s+$", re.I)
"""`the key that applications should find`: somebody else's doing."""
_EDGE = rf"[^\w{LABEL[1:-1]}]*"
_CONDITION = re.compile(rf"^{_EDGE}(?:if|in case|unless|when necessary|as needed|where applicable)\b", re.I)
_WISH = re.compile(
    rf"^{_EDGE}(?:if (?:you (?:want|need|prefer|would|do not|have|are|use|require)|necessary|needed|required|applicable)|when necessary|as needed)\b",
    re.I,
)
_OPTIONAL = re.compile(rf"^{_EDGE}optional(?:ly)?\b{_EDGE}", re.I)
_YOU_CAN = re.compile(rf"^{_EDGE}you can(?: then| now)?\s+", re.I)
_OR = re.compile(r"\bor\s*(?:directly\s*)?$", re.I)
_TAIL = re.compile(
    rf"(?:[,;.]|\b(?:and|then))\s*(?P<tail>(?:then )?(?:in|on|from|for|under|at|next to)\b(?! example|"
    rf" instance)(?:[^,;{LABEL[1:-1]}]|{LABEL})*?,?\s*"
    r"(?:and |then )?)$",
    re.I,
)
_PAIRS = re.compile(
    rf"({LABEL})\s+(?:in|for|from|into) (?:the )?({LABEL})\s+(?:fields?|text ?box|parameter|(?:drop-?down|"
    rf"drop down)(?: list)?)\b",
    re.I,
)
_ENDING = re.compile(rf",\s*and\s+(?:then\s+)?(?P<click>click\s+{LABEL}\s*\.?)$", re.I)
_WITH_SELECTED = re.compile(rf"^\W*with\s+(?P<label>{LABEL})\s+(?:selected|chosen)\b", re.I)
_ROW_WITH = re.compile(
    rf"^\W*(?:in|on)\s+(?:the\s+{LABEL}\s+column\s+of|the\s+row\s+(?:with|of|that has))\s+(?:the\s+)?(?P<label>{LABEL})", re.I
)
_CONSOLE = re.compile(rf"\b(?:in|on|of|to)\s+the\s+(?P<label>{LABEL})\s+console\b", re.I)
_PASSING = (ScopeKind.FIELD, ScopeKind.MENU)
"""Scopes that hold for the next verb only: a menu closes with the choice from it."""
_LABELLED = re.compile(rf"^\W*(?P<label>{LABEL})\s*(?:\((?:optional|required|default)\))?\s*(?::|\s[-–—]+)\s*$", re.I)
"""`**Recipients:** Enter the addresses`: the label is the field that the sentence is about."""
_UNTIL = re.compile(r"\buntil\b.*$", re.I)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"(\ue000-\uf8ff])")


def read_sentence(sentence: Sentence, *, opens: bool = True) -> Reading:
    """Read one sentence of a sub-step. `opens`: it is the first one."""
    origin = Origin(file=sentence.span.file, line=sentence.span.line, sentence=sentence.text)
    return read_text(sentence.inlines, origin, opens=opens)


def read_text(inlines: Sequence[Inline], origin: Origin, *, opens: bool = True) -> Reading:
    """Read a run of text that may hold several sentences."""
    folded = fold(inlines)
    intents: list[Intent] = []
    unread: list[Unread] = []
    prose: list[Prose] = []
    for position, piece in enumerate(_SENTENCE_END.split(folded.text)):
        read = _read_piece(folded, piece, origin, opens=opens and not position)
        intents += read.intents
        text = folded.plain(piece)
        if read.rest:
            unread.append(Unread(text=text, rest=folded.plain(read.rest), origin=origin))
        elif read.why:
            prose.append(Prose(text=text, why=read.why))
    placed = [word for intent in intents for word in intent.words]
    unplaced = [label.text for label in folded.labels_in(folded.text) if label.text not in placed]
    return Reading(intents=tuple(intents), unplaced=tuple(unplaced), not_understood=tuple(unread), prose=tuple(prose))


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """A sentence: what it asks for, or why it asks for nothing, or what of it was not understood."""

    intents: tuple[Intent, ...] = ()
    rest: str = ""
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class _Cut:
    """A verb's place in a piece."""

    rule: int
    start: int
    end: int
    alternative: bool


def _cuts(piece: str) -> list[_Cut]:
    cuts = []
    for found in _VERB.finditer(piece):
        before = piece[: found.start()]
        if (
            not _AT_BOUNDARY.search(before)
            or re.search(r"\b(?:you|to|can|may|not|be|is|are|was|the|a|an|after)\s+$", before, re.I)
        ) and not re.search(r"\byou (?:must|need to|should|have to)\s+$", before, re.I):
            continue
        if _OTHERS_DO.search(before) or (found.group().lower() in ("login", "access") and _IS_NOUN.search(before)):
            continue
        rule = next(index for index in range(len(RULES)) if found.group(f"v{index}"))
        cuts.append(_Cut(rule=rule, start=found.start(), end=found.end(), alternative=bool(_OR.search(before))))
    return cuts


def _read_piece(folded: Folded, piece: str, origin: Origin, *, opens: bool) -> _Piece:
    piece = by_its_way(piece, opens=opens)
    why = why_prose(_OPTIONAL.sub("", piece), opens=opens)
    optional = bool(_OPTIONAL.match(piece) or (opens and not why and _YOU_CAN.match(piece)))
    piece = _YOU_CAN.sub("", piece) if opens and not why else piece
    piece = written_out(_OPTIONAL.sub("", piece))
    conditional = bool(_CONDITION.match(piece))
    if _WISH.match(piece):
        ending = _ENDING.search(piece)
        if ending:
            # A wish may be left out, the click that ends the sentence may not.
            spoken = tuple(label.text for label in folded.labels_in(piece[: ending.start()]))
            wish = Intent(kind=IntentKind.MENTION, path=spoken, words=spoken, conditional=True, origin=origin)
            click = _read_piece(folded, ending["click"], origin, opens=False)
            return replace(click, intents=(*([wish] if spoken else []), *click.intents))
        spoken = tuple(label.text for label in folded.labels_in(piece))
        wish = Intent(kind=IntentKind.MENTION, path=spoken, words=spoken, conditional=True, origin=origin)
        return _Piece(intents=(wish,) if spoken else (), why="it offers what a reader may want")
    cuts = _cuts(piece)
    if not cuts:
        if not why:
            return _Piece(rest=piece)
        found = expectations(folded, piece, origin)
        return _Piece(
            intents=tuple(replace(intent, optional=optional, conditional=conditional) for intent in found), why=why
        )
    left: list[str] = []
    intents: list[Intent] = []
    named_row = _ROW_WITH.search(piece[: cuts[0].start])
    if named_row:
        name = folded.label(named_row["label"]).text
        said = tuple(label.text for label in folded.labels_in(named_row.group()))
        intents.append(Intent(kind=IntentKind.LOCATE, path=(name,), phrase=name, words=said, origin=origin))
        piece = f"{piece[: named_row.start()]}{piece[named_row.end() :]}"
        cuts = _cuts(piece)
        if not cuts:
            return _Piece(rest=piece)
    opening = lead_fields(folded, piece[: cuts[0].start])
    labelled = _LABELLED.match(piece[: cuts[0].start])
    if labelled:
        if len(folded.label(labelled["label"]).parts) > 1:
            return _Piece(rest=piece)
        piece = f"{' ' * (cuts[0].start - len(labelled.group()))}For {labelled['label']}, {piece[cuts[0].start :]}"
        cuts = _cuts(piece)
    lead = take_scopes(folded, "" if opening else piece[: cuts[0].start])
    standing = [scope for scope in lead.scopes if scope.kind not in _PASSING]
    coming: list[Scope] = list(lead.scopes)
    words = list(lead.words)
    intents += _console_intents(folded, piece, cuts[0], origin)
    leading = _lead_intents(folded, lead, origin, conditional)
    intents += leading
    left.append(lead_leftover(folded, lead.rest, leading, conditional=conditional))
    condition = next((label.parts[-1] for label in folded.labels_in(piece[: cuts[0].start])), "") if conditional else ""
    for position, cut in enumerate(cuts):
        end = cuts[position + 1].start if position + 1 < len(cuts) else len(piece)
        body = piece[cut.end : end]
        tail = _TAIL.search(body) if position + 1 < len(cuts) else None
        following = tail.group("tail") if tail else ""
        if tail:
            body = body[: tail.start()]
        if position + 1 < len(cuts) and cuts[position + 1].alternative:
            body = _OR.sub("", body)
        pairs = _PAIRS.findall(body)
        if len(pairs) > 1:
            paired = _assignments(folded, pairs, (*coming,), origin)
            left.append(leftover(folded, take_scopes(folded, body).rest, paired))
            intents += paired
            continue
        verb = piece[cut.start : cut.end].lower()
        several = [one.intent(tuple(coming), origin) for one in read_assignments(folded, verb, body)]
        several = several or _tag(folded, body, tuple(coming), origin)
        if several:
            intents += several
            continue
        until = _UNTIL.search(body)
        seen = _expected(folded, until.group(), origin) if until and RULES[cut.rule][1] not in (clauses.wait, clauses.refresh) else []
        scoped = take_scopes(folded, body[: until.start()] if until and seen else body)
        if opening:
            scoped = replace(scoped, scopes=(*scoped.scopes, Scope(kind=ScopeKind.FIELD, label=opening[-1].parts[-1])))
        clause = Clause(
            folded=folded,
            verb=verb,
            text=scoped.rest,
            scopes=(*scoped.scopes, *coming),
            words=(*words, *scoped.words),
            origin=origin,
        )
        alternative = cut.alternative and bool(intents)
        read = [] if alternative else RULES[cut.rule][1](clause)
        if not alternative:
            whole = piece[cut.start : end]
            said_of = without_goal(scoped.rest) if RULES[cut.rule][1] is clauses.confirm else scoped.rest
            goal = whole.rstrip().endswith(":") and not folded.labels_in(whole)
            if not goal and not only_looks(whole):
                left.append(leftover(folded, said_of, read) if read else whole)
        if not read and clause.words:
            read = [Intent(kind=IntentKind.MENTION, path=clause.words, words=clause.words, origin=origin)]
        elif read and clause.words:
            read[-1] = replace(read[-1], words=tuple(dict.fromkeys((*read[-1].words, *clause.words))))
        if opening:
            # What is entered for two fields at once is entered in each; what is no value only takes the field's words.
            read = [
                _of_field(one, field) if one.kind is IntentKind.SET else one
                for one in read
                for field in (opening if one.kind is IntentKind.SET else opening[:1])
            ]
            if read and read[0].kind is not IntentKind.SET:
                read[0] = replace(read[0], words=(*(label.text for label in opening), *read[0].words))
        opening = []
        intents += [*read, *seen]
        named = take_scopes(folded, following)
        standing = [*[scope for scope in named.scopes if scope.kind not in _PASSING], *standing]
        coming = [*named.scopes, *[scope for scope in standing if scope not in named.scopes]]
        words = list(named.words)
    if words:
        intents.append(Intent(kind=IntentKind.MENTION, path=tuple(words), words=tuple(words), origin=origin))
    rest = " ".join(part for part in left if part)
    if rest:
        return _Piece(rest=rest)
    if not intents:
        return _Piece(why=why or "it asks to look")
    return _Piece(
        intents=tuple(
            replace(_of_menu(intent), optional=optional, conditional=conditional or intent.conditional, condition=condition)
            for intent in intents
        )
    )


def _of_menu(intent: Intent) -> Intent:
    """`⋮ > Release`: the entry is what is clicked, the dots open the menu that has it."""
    if intent.kind is not IntentKind.CLICK or len(intent.path) < 2 or normalise(intent.path[0]) not in DOTS:
        return intent
    return replace(intent, path=intent.path[1:], scopes=(*intent.scopes, Scope(kind=ScopeKind.MENU, label=intent.path[0])))


def _expected(folded: Folded, text: str, origin: Origin) -> list[Intent]:
    """What a click is repeated for: `click **Next** until the **Advanced** step is shown`."""
    seen = [intent for intent in expectations(folded, text, origin) if intent.kind is not IntentKind.MENTION]
    return [replace(intent, noun="until") if intent.kind is IntentKind.EXPECT_TEXT else intent for intent in seen]


def _assignments(folded: Folded, pairs: list[tuple[str, str]], scopes: tuple[Scope, ...], origin: Origin) -> list[Intent]:
    """`enter A in the X field and B in the Y field`."""
    found = []
    for value_char, field_char in pairs:
        value, name = folded.label(value_char), folded.label(field_char)
        place = Scope(kind=ScopeKind.FIELD, label=name.parts[-1])
        words = (name.text, value.text)
        found.append(
            Intent(kind=IntentKind.SET, path=name.parts, value=value.text, scopes=(place, *scopes), words=words, origin=origin)
        )
    return found


def _of_field(intent: Intent, field: Label) -> Intent:
    scopes = tuple(scope for scope in intent.scopes if scope.kind is not ScopeKind.FIELD)
    place = Scope(kind=ScopeKind.FIELD, label=field.parts[-1])
    return replace(intent, path=field.parts, scopes=(place, *scopes), words=(field.text, *intent.words))


def _tag(folded: Folded, body: str, scopes: tuple[Scope, ...], origin: Origin) -> list[Intent]:
    """The two fields of a tag's row."""
    return [
        Intent(kind=IntentKind.SET, path=(field,), value=value.text, scopes=scopes, words=(value.text,), origin=origin)
        for field, value in read_tag(folded, body)
    ]


def _console_intents(folded: Folded, piece: str, first: _Cut, origin: Origin) -> list[Intent]:
    """`In the X console, choose …` and `… in the navigation pane of the X console`: X is opened before anything is done in it."""
    found = _CONSOLE.search(piece)
    if found is None or (RULES[first.rule][1] in (clauses.log_on, clauses.go) and found.start() >= first.start):
        return []
    name = folded.label(found["label"])
    return [Intent(kind=IntentKind.LOG_ON, path=name.parts, words=(name.text,), conditional=True, origin=origin)]


def _lead_intents(folded: Folded, scoped: Scoped, origin: Origin, conditional: bool) -> list[Intent]:
    """What the words before the first verb ask for: `find`-like context, or a message that has to be there."""
    lead = scoped.rest
    labels = folded.labels_in(lead)
    selected = _WITH_SELECTED.search(lead)
    if selected:
        option = folded.label(selected["label"])
        return [Intent(kind=IntentKind.SET, value=option.text, words=(option.text,), origin=origin)]
    row = re.search(r"\b(?:of|for|next to) ((?:the|your|an?) [^,]*)", lead, re.I)
    in_a_row = any(scope.kind is ScopeKind.COLUMN for scope in scoped.scopes) or re.search(r"\brow of\b", lead, re.I)
    of_a_row = row and (in_a_row or re.search(r"\b(?:want to|created|instance|whose)\b", row.group(1), re.I))
    if row and of_a_row and not conditional:
        phrase = folded.plain(row.group(1))
        words = tuple(label.text for label in labels)
        return [Intent(kind=IntentKind.LOCATE, path=words, phrase=phrase, words=words, origin=origin)]
    if labels:
        words = tuple(label.text for label in labels)
        return [Intent(kind=IntentKind.MENTION, path=words, words=words, origin=origin)]
    return []
