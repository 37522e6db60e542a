"""Defects of the document itself: steps in the wrong order, and a wrong outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofwalk.kernel.json_values import object_of
from proofwalk.suites.writing.drafts import Item
from proofwalk.suites.writing.labels import Labels
from proofwalk.suites.writing.planted import DefectKind, Planted, named_labels, touches

_OPENS = ("open", "press", "tab")
_INSIDE = ("fill", "choose", "set", "slide", "date", "upload", "tags", "list", "submit", "confirm")


def wrong_orders(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """A step that opens something changes places with the next one, which works inside
    it."""
    for number in range(1, len(items) - 1):
        first, second = items[number], items[number + 1]
        opens = bool(first.do) and all(any(key in action for key in _OPENS) for action in first.do)
        inside = bool(second.do) and any(key in second.do[0] for key in _INSIDE)
        mark = _first_label(second)
        if opens and inside and mark and not second.vague:
            changed = (*items[:number], second, first, *items[number + 2 :])
            yield Planted(kind=DefectKind.WRONG_ORDER, items=changed, item=number, label=mark)


def _first_label(item: Item) -> str:
    return next((use.text for use in item.uses if f"**{use.text}**" in item.text), "")


# States that nothing in a procedure comes through: what is being made is not being
# released, and the other way round.
_LEAVING = frozenset(
    {"Releasing", "Deleting", "DELETING", "deleting", "PendingDeletion", "Locked", "Expired"}
)
_ENTERING = frozenset({"Creating", "Pending", "creating", "progressing", "Locked", "Expired"})


def wrong_outcomes(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """The document names another state than the one that follows."""
    for number, use, parts in named_labels(items):
        if (
            len(parts) != 5
            or parts[3] != "states"
            or not any("wait" in action for action in items[number].do)
        ):
            continue
        states = object_of(labels.node("/".join(parts[:4])))
        resource = "/".join(parts[:3])
        made = any(touches(f"{resource}/create", found) for item in items for found in item.uses)
        unlikely = [
            str(state.get("label") or name)
            for name, state in ((name, object_of(entry)) for name, entry in states.items())
            if name != parts[4]
            and (
                state.get("tone") in ("error", "warning")
                or name in (_LEAVING if made else _ENTERING)
            )
        ]
        for label in unlikely[:1]:
            item = replace(
                items[number], text=items[number].text.replace(f"**{use.text}**", f"**{label}**")
            )
            changed = (*items[:number], item, *items[number + 1 :])
            yield Planted(
                kind=DefectKind.WRONG_OUTCOME, items=changed, item=number, label=label, at=""
            )
