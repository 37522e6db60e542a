"""Defects of a control that is not where or what the sentence says: renamed, moved or
removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proofwalk.kernel.json_values import list_of, object_of
from proofwalk.suites.model import Patch
from proofwalk.suites.writing.drafts import Item
from proofwalk.suites.writing.labels import Labels
from proofwalk.suites.writing.new_names import new_name
from proofwalk.suites.writing.planted import DefectKind, Planted, is_sole, named_labels
from proofwalk.suites.writing.rendering import Use


def renamings(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    taken = {use.text for item in items for use in item.uses}
    for number, use, parts in named_labels(items):
        name = new_name(use.text)
        if (
            not name
            or name in taken
            or not is_sole(items, use.at)
            or "states" in parts
            or parts[-1] in ("ok", "plural")
        ):
            continue
        node = labels.node(use.at)
        if parts[-1] == "submit":
            patch: Patch = {"at": use.at.rpartition("/")[0], "set": {"submit": name}}
        elif isinstance(node, Mapping):
            patch = {"at": use.at, "set": {"title" if "label" not in node else "label": name}}
        else:
            continue
        yield Planted(
            kind=DefectKind.RENAMED,
            items=items,
            item=number,
            label=use.text,
            at=use.at,
            patches=(patch,),
        )


def moves(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    for number, use, parts in named_labels(items):
        if not is_sole(items, use.at):
            continue
        if parts[1] == "menu" and len(parts) == 4:
            group = "/".join(parts[:3])
            if any(found.at == group for found in items[number].uses):
                yield from _moved_menu(items, labels, number, use, group)
        elif "tabs" in parts:
            tabs = use.at.rpartition("/")[0]
            siblings = labels.node(tabs)
            if isinstance(siblings, list) and len(siblings) > 1:
                patches: tuple[Patch, ...] = (
                    {
                        "at": tabs,
                        "insert": [{"id": "more_settings", "title": "More Settings", "tabs": []}],
                    },
                    {"at": use.at, "moveTo": f"{tabs}/more_settings/tabs"},
                )
                yield Planted(
                    kind=DefectKind.MOVED,
                    items=items,
                    item=number,
                    label=use.text,
                    at=use.at,
                    patches=patches,
                )


def _moved_menu(
    items: tuple[Item, ...], labels: Labels, number: int, use: Use, group: str
) -> Iterator[Planted]:
    """The entry goes to a new group; a group that is empty then goes too."""
    product = use.at.split("/")[0]
    patches: list[Patch] = [
        {
            "at": f"{product}/menu",
            "insert": [{"id": "more_services", "label": "More Services", "items": []}],
        },
        {"at": use.at, "moveTo": f"{product}/menu/more_services"},
    ]
    siblings = list_of(object_of(labels.node(group)).get("items"))
    if len(siblings) == 1:
        patches.append({"at": group, "remove": True})
    yield Planted(
        kind=DefectKind.MOVED,
        items=items,
        item=number,
        label=use.text,
        at=use.at,
        patches=tuple(patches),
    )


def removals(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    for number, use, parts in named_labels(items):
        kinds = {"actions": 5, "fields": 5, "tabs": 0, "menu": 0}
        kind = next((part for part in kinds if part in parts), "")
        if not kind or (kinds[kind] and len(parts) != kinds[kind]) or not is_sole(items, use.at):
            continue
        entries = labels.node(use.at.rpartition("/")[0])
        alone = (isinstance(entries, Mapping) and len(list_of(entries.get("items"))) == 1) or (
            isinstance(entries, list) and len(entries) == 1
        )
        if kind in ("menu", "tabs") and alone:
            continue
        yield Planted(
            kind=DefectKind.REMOVED,
            items=items,
            item=number,
            label=use.text,
            at=use.at,
            patches=({"at": use.at, "remove": True},),
        )
