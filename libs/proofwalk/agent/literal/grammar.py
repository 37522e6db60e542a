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

from proofwalk.agent.literal.clauses import RULES, Clause, expectations
from proofwalk.agent.literal.intents import Intent, IntentKind, Origin, Reading, Scope, ScopeKind
from proofwalk.agent.literal.marks import LABEL, Folded, fold
from proofwalk.agent.literal.scopes import take_scopes
from proofwalk.procedures.model import Inline, Sentence

_VERBS = "|".join(rf"(?P<v{index}>{pattern})" for index, (pattern, _) in enumerate(RULES))
_BOUNDARY = (
    r"(?:^|[,;:.()\-]|\b(?:and|then|or|next|first|finally|please|also|again|directly|must|need to|should|have to|now|optionally)|"
    r"\b(?:box|page|field|pane|section|column|list|tab|bar|menu|corner|area|panel|drawer|appears|displayed|opens))\s*$"
)
_VERB = re.compile(rf"\b(?:{_VERBS})\b", re.I)
_AT_BOUNDARY = re.compile(_BOUNDARY, re.I)
_EDGE = rf"[^\w{LABEL[1:-1]}]*"
_CONDITION = re.compile(rf"^{_EDGE}(?:if|in case|unless|when necessary|as needed|where applicable)\b", re.I)
_WISH = re.compile(
    rf"^{_EDGE}(?:if (?:you (?:want|need|prefer|would|do not|have|are|use|require)|necessary|needed|required|applicable)|when necessary|as needed)\b",
    re.I,
)
_OPTIONAL = re.compile(rf"^{_EDGE}optional(?:ly)?\b{_EDGE}", re.I)
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
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"(\ue000-\uf8ff])")


def read_sentence(sentence: Sentence) -> Reading:
    """Read one sentence of a sub-step."""
    return read_text(sentence.inlines, Origin(file=sentence.span.file, line=sentence.span.line, sentence=sentence.text))


def read_text(inlines: Sequence[Inline], origin: Origin) -> Reading:
    """Read a run of text that may hold several sentences."""
    folded = fold(inlines)
    intents: list[Intent] = []
    for piece in _SENTENCE_END.split(folded.text):
        intents += _read_piece(folded, piece, origin)
    placed = [word for intent in intents for word in intent.words]
    unplaced = [label.text for label in folded.labels_in(folded.text) if label.text not in placed]
    return Reading(intents=tuple(intents), unplaced=tuple(unplaced))


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
        rule = next(index for index in range(len(RULES)) if found.group(f"v{index}"))
        cuts.append(_Cut(rule=rule, start=found.start(), end=found.end(), alternative=bool(_OR.search(before))))
    return cuts


def _read_piece(folded: Folded, piece: str, origin: Origin) -> list[Intent]:
    optional = bool(_OPTIONAL.match(piece))
    piece = _OPTIONAL.sub("", piece)
    conditional = bool(_CONDITION.match(piece))
    if _WISH.match(piece):
        spoken = tuple(label.text for label in folded.labels_in(piece))
        return [Intent(kind=IntentKind.MENTION, path=spoken, words=spoken, conditional=True, origin=origin)] if spoken else []
    cuts = _cuts(piece)
    if not cuts:
        found = expectations(folded, piece, origin)
        return [replace(intent, optional=optional, conditional=conditional) for intent in found]
    intents: list[Intent] = []
    lead = take_scopes(folded, piece[: cuts[0].start])
    standing = [scope for scope in lead.scopes if scope.kind is not ScopeKind.FIELD]
    coming: list[Scope] = list(lead.scopes)
    words = list(lead.words)
    intents += _lead_intents(folded, lead.rest, origin, conditional)
    condition = next((label.parts[-1] for label in folded.labels_in(piece[: cuts[0].start])), "") if conditional else ""
    for position, cut in enumerate(cuts):
        end = cuts[position + 1].start if position + 1 < len(cuts) else len(piece)
        body = piece[cut.end : end]
        tail = _TAIL.search(body) if position + 1 < len(cuts) else None
        following = tail.group("tail") if tail else ""
        if tail:
            body = body[: tail.start()]
        pairs = _PAIRS.findall(body)
        if len(pairs) > 1:
            intents += _assignments(folded, pairs, (*coming,), origin)
            continue
        scoped = take_scopes(folded, body)
        clause = Clause(
            folded=folded,
            verb=piece[cut.start : cut.end].lower(),
            text=scoped.rest,
            scopes=(*scoped.scopes, *coming),
            words=(*words, *scoped.words),
            origin=origin,
        )
        read = [] if cut.alternative and intents else RULES[cut.rule][1](clause)
        if not read and clause.words:
            read = [Intent(kind=IntentKind.MENTION, path=clause.words, words=clause.words, origin=origin)]
        elif read and clause.words:
            read[-1] = replace(read[-1], words=tuple(dict.fromkeys((*read[-1].words, *clause.words))))
        intents += read
        named = take_scopes(folded, following)
        standing = [*[scope for scope in named.scopes if scope.kind is not ScopeKind.FIELD], *standing]
        coming = [*named.scopes, *[scope for scope in standing if scope not in named.scopes]]
        words = list(named.words)
    if words:
        intents.append(Intent(kind=IntentKind.MENTION, path=tuple(words), words=tuple(words), origin=origin))
    return [replace(intent, optional=optional, conditional=conditional, condition=condition) for intent in intents]


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


def _lead_intents(folded: Folded, lead: str, origin: Origin, conditional: bool) -> list[Intent]:
    """What the words before the first verb ask for: `find`-like context, or a message that has to be there."""
    labels = folded.labels_in(lead)
    row = re.search(r"\b(?:of|for|next to) ((?:the|your|an?) [^,]*)", lead, re.I)
    if row and not conditional and re.search(r"\b(?:want to|created|instance|whose)\b", row.group(1), re.I):
        phrase = folded.plain(row.group(1))
        words = tuple(label.text for label in labels)
        return [Intent(kind=IntentKind.LOCATE, path=words, phrase=phrase, words=words, origin=origin)]
    if labels:
        words = tuple(label.text for label in labels)
        return [Intent(kind=IntentKind.MENTION, path=words, words=words, origin=origin)]
    return []
