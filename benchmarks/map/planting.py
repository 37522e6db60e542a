"""Changes of the console that are planted: menu entries moved, labels renamed, entries
and buttons removed, each as a patch of a UI revision, with the item that a change
report should have for it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.map.menus import entries
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.maps.changes import Change, ChangeKind, Subject

MOVES, MENU_LABELS, CREATE_LABELS, ACTION_LABELS, GONE_ACTIONS, GONE_ENTRIES = 10, 4, 6, 2, 6, 2


@dataclass(frozen=True, kw_only=True)
class Planted:
    """One planted change."""

    kind: ChangeKind
    product: str
    role: str
    name: str
    new_name: str = ""
    old_group: str = ""
    new_group: str = ""
    others: frozenset[str] = frozenset()
    """Names that also change on account of it: headings, links elsewhere."""
    touches: frozenset[str]
    """The group, entry or resource that no other change of a revision may touch."""
    page: str = ""
    """Address of the page that is gone with it."""
    patch: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def is_told_by(self, item: Change) -> bool:
        """Whether a report's item says this, with the right place."""
        return (
            item.kind is self.kind
            and item.subject is Subject.CONTROL
            and (item.role, item.name, item.new_name) == (self.role, self.name, self.new_name)
            and self._is_here(item)
            and (self.kind is not ChangeKind.MOVED or self._led_right(item))
        )

    def explains(self, item: Change) -> bool:
        """Whether an item is of this change or of what came with it."""
        names = {self.name, self.new_name, *self.others} - {""}
        if self.page and any(one.startswith(self.page) for one in item.pages):
            return True
        return bool({item.name, item.new_name} & names) and self._is_here(item)

    def _is_here(self, item: Change) -> bool:
        return any(one == "/" or one.startswith(f"/{self.product}/") for one in item.pages)

    def _led_right(self, item: Change) -> bool:
        return all(
            path[-1] == self.name and (path[-2:-1] == (group,) if group else True)
            for path, group in (
                (item.old_path, self.old_group),
                (item.new_path, self.new_group),
            )
        ) and (bool(self.new_group) or self.old_group not in item.new_path)


def revision(catalogue: Catalogue, seed: int) -> list[Planted]:
    """Return at most thirty changes, of which no two touch the same."""
    chance = random.Random(seed)
    planted: list[Planted] = []
    for changes, count in (
        (_moves, MOVES),
        (_menu_labels, MENU_LABELS),
        (_gone_entries, GONE_ENTRIES),
        (_create_labels, CREATE_LABELS),
        (_action_labels, ACTION_LABELS),
        (_gone_actions, GONE_ACTIONS),
    ):
        possible = list(changes(catalogue))
        chance.shuffle(possible)
        planted += _apart(possible, planted, count)
    return planted


def _apart(
    possible: Iterable[Planted], planted: Iterable[Planted], count: int
) -> Iterator[Planted]:
    """Yield some that touch nothing that is touched already."""
    taken = {one for change in planted for one in change.touches}
    for change in possible:
        if count and not change.touches & taken:
            taken |= change.touches
            count -= 1
            yield change


def _entries(catalogue: Catalogue) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield every menu entry with its product and its group; the group may be empty."""
    for product, content in catalogue.raw.items():
        for entry, group in entries(content):
            yield product, entry, group


def _at(product: str, entry: Mapping[str, Any], group: Mapping[str, Any]) -> str:
    return "/".join(filter(None, (product, "menu", group.get("id"), entry["id"])))


def _touches(product: str, entry: Mapping[str, Any], group: Mapping[str, Any]) -> frozenset[str]:
    places = {f"{product}:{entry['id']}", f"{product}/{entry.get('resource', '')}"}
    return frozenset(places | ({f"{product}@{group['id']}"} if group else set()))


def _moves(catalogue: Catalogue) -> Iterator[Planted]:
    for product, entry, group in _entries(catalogue):
        if entry["id"] == "overview" or (group and len(group["items"]) < 2):
            continue
        groups = [one for one in catalogue.raw[product]["menu"] if "items" in one]
        others = [one for one in groups if one["id"] != group.get("id")]
        if group:
            others.append({})
        for other in others:
            target = "/".join(filter(None, (product, "menu", other.get("id"))))
            yield Planted(
                kind=ChangeKind.MOVED,
                product=product,
                touches=_touches(product, entry, group),
                role="option",
                name=entry["label"],
                old_group=group.get("label", ""),
                new_group=other.get("label", ""),
                patch={"at": _at(product, entry, group), "moveTo": target},
            )


def _menu_labels(catalogue: Catalogue) -> Iterator[Planted]:
    for product, entry, group in _entries(catalogue):
        if "resource" in entry:
            name = f"{entry['label']} Center"
            yield Planted(
                kind=ChangeKind.RENAMED,
                product=product,
                touches=_touches(product, entry, {}),
                role="option",
                name=entry["label"],
                new_name=name,
                patch={"at": _at(product, entry, group), "set": {"label": name}},
            )


def _gone_entries(catalogue: Catalogue) -> Iterator[Planted]:
    for product, entry, group in _entries(catalogue):
        if "resource" in entry and group and len(group["items"]) > 2:
            resource = catalogue.raw[product]["resources"][entry["resource"]]
            yield Planted(
                kind=ChangeKind.GONE,
                product=product,
                touches=_touches(product, entry, group),
                role="option",
                name=entry["label"],
                others=frozenset({resource.get("plural", ""), resource["label"]}),
                page=f"/{product}/{entry['id']}",
                patch={"at": _at(product, entry, group), "remove": True},
            )


def _listed(catalogue: Catalogue) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for product, entry, _ in _entries(catalogue):
        if "resource" in entry:
            name = entry["resource"]
            yield product, name, catalogue.raw[product]["resources"][name]


def _create_labels(catalogue: Catalogue) -> Iterator[Planted]:
    for product, name, resource in _listed(catalogue):
        if resource.get("create"):
            old = resource["create"]["label"]
            first, _, rest = old.partition(" ")
            new = f"{'Create' if first == 'Add' else 'Add'} {rest}"
            yield Planted(
                kind=ChangeKind.RENAMED,
                product=product,
                touches=frozenset({f"{product}/{name}"}),
                role="button",
                name=old,
                new_name=new,
                patch={"at": f"{product}/resources/{name}/create", "set": {"label": new}},
            )


def _batches(catalogue: Catalogue) -> Iterator[tuple[str, str, str, str]]:
    """Yield product, resource, id and label of the buttons for chosen rows."""
    for product, name, resource in _listed(catalogue):
        labels = {one["id"]: one["label"] for one in resource.get("actions", [])}
        for action in resource["list"].get("batch", []):
            yield product, name, action, labels[action]


def _action_labels(catalogue: Catalogue) -> Iterator[Planted]:
    for product, name, action, label in _batches(catalogue):
        new = f"{label} Chosen"
        yield Planted(
            kind=ChangeKind.RENAMED,
            product=product,
            touches=frozenset({f"{product}/{name}"}),
            role="button",
            name=label,
            new_name=new,
            patch={
                "at": f"{product}/resources/{name}/actions/{action}",
                "set": {"label": new},
            },
        )


def _gone_actions(catalogue: Catalogue) -> Iterator[Planted]:
    for product, name, action, label in _batches(catalogue):
        yield Planted(
            kind=ChangeKind.GONE,
            product=product,
            touches=frozenset({f"{product}/{name}"}),
            role="button",
            name=label,
            patch={
                "at": f"{product}/resources/{name}/actions/{action}",
                "remove": True,
            },
        )
