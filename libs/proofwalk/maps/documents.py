"""What of a console a document names: `mentions` says which documents a change report
asks to inspect, those whose procedures name what is gone, has moved or has another
name; `named_places` says of one map where that stands which a procedure names, so that
two maps of different days tell whether it has changed.

A sub-step names a control where a run of its text that is set apart (bold, emphasis,
code, link) is the control's name, or where its sentence has the name as whole words and
the name has two words at least: *Users* in running text is mostly no control. What was
added contradicts no document. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from proofwalk.maps.changes import Change, ChangeKind
from proofwalk.maps.graph import ConsoleMap
from proofwalk.procedures.model import InlineRole, Procedure, SubStep

_SET_APART = frozenset({InlineRole.STRONG, InlineRole.EMPHASIS, InlineRole.CODE, InlineRole.LINK})
_AROUND = " \t\n:*.“”\"'"
_COMMON = 8
"""A name on more surfaces than this (*OK*, *Search*) is told without its places: that
one more page has it, or one less, contradicts no document."""


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A sub-step that names something in the report."""

    procedure: str
    """The procedure's id in its tree."""
    line: int
    name: str


def mentions(
    procedures: Iterable[tuple[str, Procedure]], changes: Sequence[Change]
) -> Iterator[Mention]:
    """Yield each mention of a changed name, in the documents' order."""
    names = {
        change.name.casefold().strip(_AROUND): change.name
        for change in changes
        if change.kind is not ChangeKind.ADDED and change.name.strip(_AROUND)
    }
    for procedure_id, procedure in procedures:
        for substep in procedure.substeps:
            for folded in sorted(names.keys() & _named(substep, names)):
                yield Mention(procedure=procedure_id, line=substep.span.line, name=names[folded])


def places_by_name(console: ConsoleMap) -> Mapping[str, tuple[str, ...]]:
    """Each name on the map, folded, with a line for each place where it stands."""
    places: dict[str, set[str]] = {}
    for surface, entry in console.surfaces.items():
        way = " > ".join(entry.path)
        for control in entry.controls:
            folded = control.name.casefold().strip(_AROUND)
            if folded:
                place = (surface.dialog or surface.heading, way, control.section, control.role)
                places.setdefault(folded, set()).add(f"{folded}: {' | '.join(place)}")
    return {
        name: (name,) if len(lines) > _COMMON else tuple(sorted(lines))
        for name, lines in places.items()
    }


def named_places(procedure: Procedure, places: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Where on the map that stands which the procedure names, in one order. Equal for
    two maps on which nothing of it has changed."""
    named = {name for substep in procedure.substeps for name in _named(substep, places)}
    return tuple(line for name in sorted(named & places.keys()) for line in places[name])


def _named(substep: SubStep, names: Iterable[str]) -> set[str]:
    marked = {
        inline.text.casefold().strip(_AROUND)
        for sentence in substep.sentences
        for inline in sentence.inlines
        if inline.role in _SET_APART
    }
    text = substep.text.casefold()
    long_ones = {
        name
        for name in names
        if " " in name and name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    }
    return marked | long_ones
