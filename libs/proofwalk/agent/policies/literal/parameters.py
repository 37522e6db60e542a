"""Reads parameter tables and bullets: from a row or an item to a field and its value.

A row gives a value when the table has a column for it, or when its description is an
instruction ("Select **Pay-As-You-Go**.", "for example, `web`"). Otherwise the row only
explains the field, which then keeps its default. `substeps` decides where the
parameters come in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from proofwalk.agent.policies.literal.grammar import read_text
from proofwalk.agent.policies.literal.remainders import asks
from proofwalk.agent.reading.chinese.parameters import in_english
from proofwalk.agent.reading.intents import (
    Intent,
    IntentKind,
    Origin,
    Reading,
    Scope,
    ScopeKind,
    Unread,
)
from proofwalk.agent.reading.marks import LABEL, fold
from proofwalk.procedures.model import Block, Inline, InlineRole

_VALUE_HEADER = re.compile(r"\b(?:value|example|sample|setting|selection|input)s?\b", re.I)
_PLACE_HEADER = re.compile(r"pane|page|step|screen|panel|tab|section|area|group", re.I)
_NAME_HEADER = re.compile(r"\b(?:setting|field|parameter|option|property|name)s?\b", re.I)
_TEXT_HEADER = re.compile(r"\b(?:description|notes?|remarks?|instructions?|how to)\b", re.I)
_IMPERATIVE = re.compile(
    r"^\W*(?:(?:please|in this"
    r" example,?)\s+)?(?P<verb>select|choose|enter|specify|set|type|input|use|"
    r"keep|leave|retain|accept|turn on|turn off|clear|enable|"
    r"disable|tick|provide|paste|pick|give)\b\s*(?P<rest>.*)$",
    re.I | re.S,
)
_ASKED_LATER = re.compile(
    r"^(?:select|choose|turn (?:on|off))\b(?! (?:this|these|one|it)\b)"
    r"(?!.*\b(?:if|when|unless|only|to|whether)\b)"
    r"|^set (?:it|this (?:\w+ )?|the [\w -]+?)\s*to\b(?!.*\b(?:if|when|unless|only|whether)\b)",
    re.I,
)
"""What a description asks for behind its first sentence. `Use letters only` and `Turn
it on if you need it` are advice."""
_EXAMPLE = re.compile(
    r"\b(?:for example|for instance|such as|e\.g\.?|example:|in this"
    r" example,?)[,:]?\s*(?:(?:enter|select|choose|use|specify)\s+)?"
    r"(?P<value>.+)$",
    re.I | re.S,
)
_OPEN = re.compile(r"^(?:an?|the|any|your|one|whether|at least|up to|how|which)\b", re.I)
_LEAD = re.compile(
    rf"^[^\w{LABEL[1:-1]}]*(?P<label>{LABEL})\s*(?:[(（](?P<aside>[^)）]*)[)）])?\s*"
    r"(?:[:：=]|\.(?=\s+[A-Z(])|\s[-–—]\s|\s[-–—]$|$)\s*"
)
_PAIR = re.compile(
    r"^(?!(?:note|tip|important|warning|caution|example|result|see|default|optional)\b)"
    r"(?P<name>[A-Z][\w/&-]*(?: (?:[\w/&-]+|\([\w /&-]+\))){0,4}): "
    r"(?P<value>[^\s.,;:][^\s,;:]*(?: [^\s,;:]+){0,3})$",
    re.I,
)
"""`Load Balancer Pool: pool1`: a field and its value, and no sentence."""
_PLAIN_LEAD = re.compile(
    rf"^(?!(?:note|tip|important|warning|caution|example|result|see|default|optional)\b)"
    rf"(?P<name>[A-Z][\w/&-]*(?: (?:[\w/&-]+|\([\w /&-]+\))){{0,4}}): (?={LABEL})",
    re.I,
)
"""`Duration: `6` hours. …`: a field's name without markup, and its marked value."""
_TO = re.compile(r"^(?:it |this (?:\w+ )?|the \w+ )?(?:to|as)\s+", re.I)
_ON_AND = re.compile(
    r"^(?:on|off|yes|no|enabled|disabled|selected)\b[,;:]? (?:with |and )?\S", re.I
)
"""`On, 200 Mbps`: a switch and a value of another field."""
_PARTS = re.compile(
    r"^the (?P<one>[a-z]+(?: [a-z]+)?) to (?P<first>[^\s,]+),? and "
    r"the (?P<other>[a-z]+(?: [a-z]+)?) to (?P<second>[^\s,]+?)\W*$",
    re.I,
)
"""`Set the operator to `>` and the threshold to 3`: the parts of one field."""
_OR = re.compile(r"\bor\b", re.I)
_ANOTHER_ACT = re.compile(
    r"[,;]\s+(?:and\s+)?(?:then\s+)?(?:enter|type|select|choose|click|turn|set|tick)\b", re.I
)
"""`Select Create new, enter a name, and select OK`: more than a value."""
_LISTED = re.compile(
    r"(?!.*\b(?:click|select|choose|enter|set|then|the|a|an|is|are|your|its)\b)"
    r"[\w.:/@-]+(?: [\w.:/@-]+){0,2}(?:, [\w.:/@-]+(?: [\w.:/@-]+){0,2})*,? and "
    r"[\w.:/@-]+(?: [\w.:/@-]+){0,2}\.?"
)
"""`Read and Write`: one value or several, as the field has it."""
_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_TOLD = re.compile(
    r"^(?:the|this|that|it|its|we|you|your|these|those)\b(?=.*\b(?:is|are|was|were|set|sets|use|"
    r"uses|select|choose|enter|leave|keep)\b)",
    re.I,
)
"""An example that is a sentence."""
_EXPLAINED = re.compile(r"^(?:if|when|whenever|suppose|imagine|because|since)\b", re.I)
"""An example of what the field does: `for example, if the pump leaks, …`."""
_TOLD_SET = re.compile(
    r"^(?:(?:the|this|that) (?:[a-z][\w-]* ){1,4}|it )(?:is|are) (?:set|changed|left) (?:to|at) "
    r"(?P<value>.+)$"
    r"|^(?:we|you) (?:set|change) (?:it|this|the (?:[a-z][\w-]* ){1,3}?)\s*to (?P<ours>.+)$",
    re.I | re.S,
)
_TOLD_TURNED = re.compile(
    r"^(?:(?:the|this|that) (?:[a-z][\w-]* ){1,4}|it )(?:is|are) "
    r"(?:(?:turned|switched) )?(?P<way>on|off|selected|enabled|ticked|checked|cleared|"
    r"disabled|unchecked)\W*$",
    re.I,
)
_AND_ANOTHER = re.compile(
    r"\band (?:the|its) [a-z][\w -]* (?:to|as|at)\b"
    r"|\bfrom\b.+\bto\b.+\d|^\W*(?:the|its) [a-z][\w -]*? to\b.*\band\b",
    re.I,
)
"""`the operator to `>` and the threshold to 3`, `from 1 May to 3 May`: a field of
several parts."""


_CODE = r"[`“\"']?(\w[\w:/]*[.\d_-][\w.:/-]*\w)[`”\"']?"
_SEVERAL = re.compile(rf"^{_CODE} and {_CODE}\.?$")
"""`a-1 and b-2`: two choices of one field. Plain words may be one choice."""


@dataclass(frozen=True, kw_only=True)
class _Columns:
    """Where a table has a field's name, its value and its description."""

    name: int = 0
    value: int | None = None
    text: int | None = None


def _columns(header: tuple[str, ...]) -> _Columns:
    """Tell the columns of a table by their heads. The first one names the field, unless
    it is headed as a page and the next one as a field."""
    named = len(header) > 2 and _PLACE_HEADER.fullmatch(header[0].strip("* ")) is not None
    name_at = 1 if named and _NAME_HEADER.search(header[1]) else 0
    others = [(at, cell) for at, cell in enumerate(header) if at > name_at]
    value_at = next((at for at, cell in others if _VALUE_HEADER.search(cell)), None)
    text_at = next((at for at, cell in others if _TEXT_HEADER.search(cell)), None)
    if value_at is None and text_at is None and len(header) == name_at + 2:
        text_at = name_at + 1
    return _Columns(name=name_at, value=value_at, text=text_at)


def read_rows(block: Block) -> Reading:
    """Read a parameter table, row by row."""
    if len(block.rows) < 2:
        return Reading(intents=())
    header, *rows = block.rows
    lines = (
        block.row_lines[-len(rows) :]
        if len(block.row_lines) >= len(rows)
        else tuple([block.span.line] * len(rows))
    )
    columns = _columns(header)
    name_at, value_at, text_at = columns.name, columns.value, columns.text
    places = {_clean(row[0]) for row in rows if row} if name_at else set()
    read: list[Reading] = []
    for row, line in zip(rows, lines, strict=True):
        name = _clean(row[name_at]) if name_at < len(row) else ""
        if not name:
            continue
        origin = Origin(
            file=block.span.file, line=line, sentence=" | ".join(cell for cell in row if cell)
        )
        if len(places) > 1:
            # The rows are on several pages; how one is left stands elsewhere.
            read.append(_as_reading((), origin))
            continue
        cell = _clean(row[value_at]) if value_at is not None and value_at < len(row) else ""
        text = row[text_at] if text_at is not None and text_at < len(row) else ""
        read.append(_as_reading(_parameter(name, cell, text, (), origin), origin))
    return _joined(read)


def read_items(block: Block) -> Reading:
    """Read a list of bullets, item by item."""
    read: list[Reading] = []
    for position, item in enumerate(block.items):
        line = block.row_lines[position] if position < len(block.row_lines) else block.span.line
        text = " ".join("".join(inline.text for inline in item).split())
        read.append(_read_item(item, Origin(file=block.span.file, line=line, sentence=text)))
    return _joined(read)


def _joined(read: list[Reading]) -> Reading:
    return Reading(
        intents=tuple(intent for one in read for intent in one.intents),
        not_understood=tuple(unread for one in read for unread in one.not_understood),
        prose=tuple(prose for one in read for prose in one.prose),
    )


def _as_reading(intents: tuple[Intent, ...], origin: Origin) -> Reading:
    """Return the reading of one parameter; without an intent, it was not understood."""
    if intents:
        return Reading(intents=intents)
    unread = Unread(text=origin.sentence, rest=origin.sentence, origin=origin)
    return Reading(intents=(), not_understood=(unread,))


def _read_item(item: tuple[Inline, ...], origin: Origin) -> Reading:
    pair = _PAIR.match(origin.sentence)
    if pair is not None and item[0].role is InlineRole.TEXT and ":" in item[0].text:
        name, value = pair["name"], pair["value"]
        return _as_reading(_parameter(name, value, "", (value,), origin), origin)
    folded = fold(item)
    plain_lead = _PLAIN_LEAD.match(folded.text)
    if plain_lead is not None:
        told = folded.text[plain_lead.end() :]
        marked = tuple(label.text for label in folded.labels_in(told))
        return _as_reading(
            _parameter(plain_lead["name"], "", folded.plain(told), marked, origin), origin
        )
    lead = _LEAD.match(folded.text)
    if lead is None:
        return read_text(item, origin)
    name = folded.label(lead.group("label"))
    rest = folded.text[lead.end() :].strip()
    first = _SENTENCES.split(rest)[0]
    if len(folded.labels_in(first)) > 1 and asks(first, of_a_thing=True) and not _OR.search(first):
        return read_text(item, origin)  # `Enter `2` and choose **Minutes**`: two acts.
    aside = (lead.group("aside") or "").casefold()
    values = folded.labels_in(rest)
    optional = bool(re.search("optional|可选", aside) or re.match(r"\W*optional", rest, re.I))
    description = in_english(folded.plain(rest))
    if description is None:
        return read_text(item, origin)
    read = _parameter(name.text, "", description, tuple(label.text for label in values), origin)
    unread = all(one.kind is IntentKind.MENTION for one in read)
    if unread and values and asks(rest, of_a_thing=True):
        return read_text(item, origin)  # `Add `a` and `b`.`: an instruction like any other.
    return _as_reading(
        tuple(replace(one, optional=optional or one.optional) for one in read), origin
    )


_PHRASE_END = re.compile(
    r"[.;](?:\s|$)|,\s|\s(?:and|or|for|in|from|as|to|if|when|because|so that|with)\s|\s(?:is|are)"
    r" (?:selected|chosen|used|entered|specified)\b"
)


def _clean(cell: str) -> str:
    text = " ".join(cell.split()).strip("`* ")
    return "" if text in ("-", "–", "—", "N/A", "None.", "/") else text


def _parameter(
    name: str, cell: str, text: str, values: tuple[str, ...], origin: Origin
) -> tuple[Intent, ...]:
    """Read one field: `cell` is its value if the table gives one, `text` describes the
    field, `values` are the words marked up in `text`. Nothing where the text tells how
    the field is set in words that no rule reads."""
    optional = bool(re.search(r"\(optional\)", name, re.I)) or bool(
        re.match(r"\W*optional", text, re.I)
    )
    name = re.sub(r"\s*\((?:optional|required)\)\s*$", "", name, flags=re.I)
    text = re.sub(r"^\W*optional\W*", "", " ".join(text.split()), flags=re.I)
    base = Intent(
        kind=IntentKind.SET,
        path=(name,),
        words=(name, *values),
        scopes=(Scope(kind=ScopeKind.FIELD, label=name),),
        optional=optional,
        origin=origin,
    )
    if cell:
        return _of_cell(base, cell)
    first, *others = _SENTENCES.split(text)
    found = _IMPERATIVE.match(first)
    example = _EXAMPLE.search(text)
    if found is None and example is None:
        asked = next((one for one in others if _ASKED_LATER.match(one)), "")
        found = _IMPERATIVE.match(asked)
    if found:
        instructed = _instructed(base, found, values)
        opens = len(instructed) == 1 and instructed[0].value is None
        if opens and instructed[0].kind is IntentKind.SET and example:
            return _by_example(instructed[0], example)
        return instructed
    if example:
        return _by_example(base, example)
    if _ON_AND.match(first):
        return ()
    if values and len(values) == 1 and len(first.split()) <= len(values[0].split()) + 2:
        return (replace(base, value=values[0]),)
    if text and len(text.split()) <= 4 and not text.endswith(".") and not _OPEN.match(text):
        return (replace(base, value=_value(text)),)
    return (replace(base, kind=IntentKind.MENTION),)


def _of_cell(base: Intent, cell: str) -> tuple[Intent, ...]:
    """Read the cell of a value: the value, or a sentence that asks for one."""
    bare = re.sub(r"^\W*optional\b\W*", "", cell, flags=re.I)
    base = replace(base, optional=base.optional or bare != cell)
    if not bare:
        return (replace(base, kind=IntentKind.MENTION),)
    first = _SENTENCES.split(bare)[0]
    found = _IMPERATIVE.match(first)
    if found and _ANOTHER_ACT.search(found["rest"]):
        return ()
    if found:
        return _instructed(base, found)
    if _AND_ANOTHER.search(first) or _ON_AND.match(first):
        return ()
    if _OPEN.match(first) and (base.optional or len(bare.split()) > 4):
        return (base,)  # `A short text that says why`: what it is, and not which.
    listed = _LISTED.fullmatch(bare)
    return (replace(base, value=bare.rstrip(".") if listed else _value(bare)),)


def _by_example(base: Intent, example: re.Match[str]) -> tuple[Intent, ...]:
    """Read what a description gives as an example: a value, or a sentence that tells
    how the field is set."""
    told = _SENTENCES.split(example["value"].strip())[0].rstrip(". ")
    turned = _TOLD_TURNED.match(told)
    if turned:
        off = turned["way"].casefold() in ("off", "cleared", "disabled", "unchecked")
        return (replace(base, kind=IntentKind.CHECK, checked=not off),)
    if _EXPLAINED.match(told):
        return (replace(base, kind=IntentKind.MENTION),)
    is_set = _TOLD_SET.match(told)
    if is_set:
        return (replace(base, value=_value(is_set["value"] or is_set["ours"]), example=True),)
    if _TOLD.match(told):
        return ()
    return (replace(base, value=_value(example["value"]), example=True),)


def _instructed(
    base: Intent, found: re.Match[str], values: tuple[str, ...] = ()
) -> tuple[Intent, ...]:
    """Read a description that begins with an imperative."""
    verb, rest = found.group("verb").casefold(), found.group("rest").strip()
    if verb in ("keep", "leave", "retain", "accept"):
        return (replace(base, kind=IntentKind.MENTION),)
    if verb in ("turn on", "turn off", "enable", "disable", "tick", "clear"):
        on = verb in ("turn on", "enable", "tick")
        return (replace(base, kind=IntentKind.CHECK, checked=on),)
    if re.search(r"\bcheck ?box\b", rest, re.I):
        on = not verb.startswith("clear")
        return (replace(base, kind=IntentKind.CHECK, checked=on),)
    example = _EXAMPLE.search(rest)
    # `Enter x in this example.` has its value before the words.
    if example and (shown := _value(example.group("value"), values)):
        return (replace(base, value=shown, example=True),)
    several = _several(base, verb, rest, values)
    rest = _TO.sub("", rest)
    if several or _AND_ANOTHER.search(rest):
        return several
    if values and not _OPEN.match(rest):
        given = next((value for value in values if rest.startswith(value)), values[0])
        return (replace(base, value=given),)
    if values and re.search(r"\b(?:example|select|choose|use|enter|to)\b", rest, re.I):
        return (replace(base, value=values[-1]),)
    if not rest or _OPEN.match(rest):
        return (base,)
    return (replace(base, value=_value(rest, values)),)


def _several(base: Intent, verb: str, rest: str, values: tuple[str, ...]) -> tuple[Intent, ...]:
    """Read a description that gives several values: to the parts of the field, or to
    the field itself. Empty for others."""
    parts = _PARTS.match(rest) if verb in ("set", "enter", "choose", "select") else None
    if parts is not None:
        return tuple(
            replace(base, path=(parts[name],), value=_value(parts[value], values), noun="words")
            for name, value in (("one", "first"), ("other", "second"))
        )
    chosen = _SEVERAL.match(_TO.sub("", rest)) if verb in ("select", "choose") else None
    return tuple(replace(base, value=one) for one in chosen.groups()) if chosen else ()


def _value(text: str, values: tuple[str, ...] = ()) -> str:
    """Return the value at the start of a text: a marked-up word, a quoted text, or all
    words to the end of the phrase."""
    text = text.strip()
    for value in values:
        if text.startswith(value):
            return value
    quoted = re.match(r"[`“\"']([^`”\"']+)[`”\"']", text)
    if quoted:
        return quoted.group(1).strip()
    phrase = _PHRASE_END.split(text, maxsplit=1)[0]
    return phrase.strip(" `*.,;")


def plain(text: str) -> tuple[Inline, ...]:
    """Return a text as one inline without markup."""
    return (Inline(role=InlineRole.TEXT, text=text),)
