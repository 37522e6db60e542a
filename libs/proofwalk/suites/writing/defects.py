"""Ways in which one sentence of a document can be wrong about the console.

A *defect* is either a UI revision (patches over schema ids) that makes exactly one
sentence of a document untrue, or a change of the document. `candidates` lists every
defect of a kind that a document admits; `drift` chooses among them and checks that
nothing else the document rests on has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from proofwalk.suites.writing.drafts import Draft, Item
from proofwalk.suites.writing.form_defects import added_steps, changed_defaults, changed_values
from proofwalk.suites.writing.labels import Labels
from proofwalk.suites.writing.moved_controls import moves, removals, renamings
from proofwalk.suites.writing.planted import DefectKind, Planted
from proofwalk.suites.writing.wrong_sentences import wrong_orders, wrong_outcomes


def candidates(kind: DefectKind, draft: Draft, labels: Labels) -> Iterator[Planted]:
    """Every defect of this kind that the draft admits, in a fixed order."""
    yield from _MAKERS[kind](draft.items, labels)


_MAKERS: Mapping[DefectKind, Callable[[tuple[Item, ...], Labels], Iterator[Planted]]] = {
    DefectKind.RENAMED: renamings,
    DefectKind.MOVED: moves,
    DefectKind.REMOVED: removals,
    DefectKind.ADDED_STEP: added_steps,
    DefectKind.CHANGED_DEFAULT: changed_defaults,
    DefectKind.CHANGED_VALUES: changed_values,
    DefectKind.WRONG_ORDER: wrong_orders,
    DefectKind.WRONG_OUTCOME: wrong_outcomes,
}
