"""A reading beside its label: what is left over when both are aligned in order.

`right`     every thing that is required was read, in order, and nothing else
`wrong`     something was read that the label does not have: another control, field or
            value, a second alternative, another order
`partial`   some of the required things were read, none wrong
`nothing`   the label has acts, none was read
`prose right`, `prose wrong`   the label asks for nothing in a browser

Tolerances, on purpose on the side of the reading:

T1  labels are compared without case, quotes, markup, end punctuation and nouns of
    controls at their end;
T2  click, navigate and "choose by name" are one class; a path may be read in one intent
    or in several; a choice of an option without a field may be read as a click; a check
    box that the text says to "select" may be read as a click or as a choice by name;
T3  a field that the text only describes (without markup) needs one content word in
    common, a described thing one of its head; a marked field may be read inside longer
    words;
T4  open values are ignored, and so is a value that the text gives after "like", "such
    as", "e.g."; an example value may be left out; a literal value has to be read;
T5  the place of an act may be read as a step before it, or not at all; a click or
    choice by name that only opens the field in which the next act chooses is free; the
    same field read a second time without a value is free; an open choice may be read as
    a choice by the name of its field;
T6  acts labelled optional may be read or not; `external` and `other` acts are not asked
    of the reading; for `other` acts a step without a marked label and with a word in
    common is free; nothing may be read from an `external` act;
T7  of several alternatives one is enough; reading two of them one after the other is
    wrong;
T8  a row action is two things, the row and the control. The row may be a `locate`, or a
    place or phrase of the click. Without it: partial;
T9  expectations, mentions, waits and places for parameters are never counted as extra.
    A `locate` is free where the label has a thing with a word in common, or the text
    says find, locate or look for; a `select_row` is no reading of a choice in a marked
    field, nor of "how ..." and "whether ...", an `open_row` none of a check box or
    icon;
T10 a marked field that the label has and the reading lost makes the item partial;
    likewise an upload of which only the click on its button was read;
T11 a sentence that begins with a wish ("If you want ...") may be left out by the reader
    on purpose: that is `nothing`, told apart as a wish.

This is the comparison of `../shared/data/readings/score.py`; a test holds the two
together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.readings.labels import Item, Unit, units
from benchmarks.readings.matching import exactness, matches, opens
from benchmarks.readings.phrases import marked, norm, same, share, share_field
from benchmarks.readings.product import Read

_FREE = frozenset(
    (
        "mention",
        "configure",
        "wait",
        "expect_status",
        "expect_row",
        "expect_text",
        "expect_value",
    )
)
_WISH = re.compile(
    r"\W*if you (?:want|need|prefer|would|do not|don't|have|are|use|require)\b", re.I
)
_LOOKING = re.compile(r"\b(?:find|locate|look for)\b", re.I)
_UNLABELLED_LESS = 0.05
"""A thing that has a label is matched before one that is only described."""
_OPTIONAL_WORTH = 0.9


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What came of an item."""

    outcome: str
    """`right`, `wrong`, `partial`, `nothing`, `prose right` or `prose wrong`."""
    missing: tuple[Unit, ...] = ()
    extra: tuple[Read, ...] = ()
    lost: bool = False
    """A field or a file was lost (T10)."""
    wish: bool = False
    """Nothing was read of a wish (T11)."""


def compare(item: Item, reads: Sequence[Read]) -> Comparison:
    """Hold what was read in an item against its label."""
    asked = [unit for unit in units(item.acts) if unit.do not in ("external", "other")]
    others = [unit for unit in units(item.acts) if unit.do == "other"]
    pairs = _aligned(asked, reads, item.text)
    used = {id(read) for _, read in pairs}
    got = {id(unit) for unit, _ in pairs}
    required = [unit for unit in asked if not unit.optional]
    missing = tuple(unit for unit in required if id(unit) not in got)
    around = _Around(reads=reads, pairs=pairs, asked=asked, others=others, text=item.text)
    extra = tuple(
        read
        for place, read in enumerate(reads)
        if id(read) not in used and not around.is_free(read, place)
    )
    if not required:
        return Comparison(outcome="prose wrong" if extra else "prose right", extra=extra)
    if extra:
        return Comparison(outcome="wrong", missing=missing, extra=extra)
    lost = any(_is_lost(unit, read, reads, item.text) for unit, read in pairs)
    if not missing and not lost:
        return Comparison(outcome="right")
    if pairs:
        return Comparison(outcome="partial", missing=missing, lost=lost)
    mentioned = any(read.kind == "mention" and read.conditional for read in reads)
    wish = mentioned or bool(_WISH.match(item.text))
    return Comparison(outcome="nothing", missing=missing, wish=wish)


def _aligned(asked: Sequence[Unit], reads: Sequence[Read], text: str) -> list[tuple[Unit, Read]]:
    """The pairs of the best alignment that keeps both orders."""
    n, m = len(asked), len(reads)
    fits = [
        [matches(unit, read, text, reads[:place]) for place, read in enumerate(reads)]
        for unit in asked
    ]
    worth = [
        (_OPTIONAL_WORTH if unit.optional else 1.0)
        - (0.0 if unit.label or unit.do == "row" else _UNLABELLED_LESS)
        for unit in asked
    ]
    best = [[0.0] * (m + 1) for _ in range(n + 1)]

    def paired(i: int, j: int) -> float:
        return best[i + 1][j + 1] + worth[i] + exactness(asked[i], reads[j])

    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if fits[i][j]:
                best[i][j] = max(best[i][j], paired(i, j))
    pairs: list[tuple[Unit, Read]] = []
    i = j = 0
    while i < n and j < m:
        if fits[i][j] and best[i][j] == paired(i, j):
            pairs.append((asked[i], reads[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _is_lost(unit: Unit, read: Read, reads: Sequence[Read], text: str) -> bool:
    if unit.do == "upload" and read.kind != "upload":
        return not any(other.do == "click" for other in unit.alternatives)
    if unit.do != "select" or not unit.label or not unit.field or read.kind != "set" or read.label:
        return False
    if norm(unit.field) not in marked(text) or norm(unit.field) == norm(unit.label):
        return False
    placed = any(same(unit.field, label) for _, label in read.scopes)
    opened = any(same(unit.field, one.label or one.value or "") and opens(one) for one in reads)
    return not placed and not opened


@dataclass(frozen=True, kw_only=True)
class _Around:
    """What a step that was aligned with nothing is held against."""

    reads: Sequence[Read]
    pairs: Sequence[tuple[Unit, Read]]
    asked: Sequence[Unit]
    others: Sequence[Unit]
    text: str

    def is_free(self, read: Read, place: int) -> bool:
        """Whether the step does no harm: it is not counted as extra (T5, T6, T9)."""
        if read.kind in _FREE or (read.kind == "refresh" and self.others):
            return True
        if read.kind == "locate":
            return self._is_looked_for(read)
        name = read.label or read.value or ""
        unmarked = not name or norm(name) not in marked(self.text)
        shares = any(share(other.object, read.said()) for other in self.others)
        if unmarked and read.value is None and shares:
            return True
        later = {id(one) for one in self.reads[place + 1 :]}
        led = opens(read) and bool(name) and not (read.label and read.value)
        if led and self._leads(name, later):
            return True
        if read.kind == "set" and read.value is None:
            return any(
                unit.do in ("fill", "confirm_typed")
                and share_field(f"{unit.field} {unit.object}", read.label)
                for unit, _ in self.pairs
            )
        return False

    def _is_looked_for(self, read: Read) -> bool:
        for unit in self.asked:
            scope = unit.scope.label if unit.scope.kind in ("row", "section") else ""
            for place in (unit.object, unit.field, scope):
                if place and share(place, read.said()):
                    return True
        return bool(_LOOKING.search(self.text))

    def _leads(self, name: str, later: set[int]) -> bool:
        """The step goes to the place, or opens the field, of a thing read later."""
        for unit, read in self.pairs:
            places = (unit.scope.label, *unit.scope.label.split(" > ")) if unit.scope.label else ()
            if id(read) in later and any(same(name, place) for place in places):
                return True
        got = {id(unit): id(read) for unit, read in self.pairs}
        return any(
            unit.field
            and same(name, unit.field)
            and (id(unit) not in got or got[id(unit)] in later)
            for unit in self.asked
        )
