"""Ways in which one sentence of a document can be wrong about the console.

A *defect* is either a UI revision (patches over schema ids) that makes exactly one
sentence of a document untrue, or a change of the document. `candidates` lists every
defect of a kind that a document admits; `drift` chooses among them and checks that
nothing else the document rests on has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from proofwalk.kernel.json_values import JsonObject, list_of, object_of
from proofwalk.suites.model import Patch
from proofwalk.suites.writing.composition import Draft, Item
from proofwalk.suites.writing.labels import Choice, Labels, choice_of
from proofwalk.suites.writing.rendering import Use


class DefectKind(StrEnum):
    """What is wrong."""

    RENAMED = "renamed"
    MOVED = "moved"
    REMOVED = "removed"
    ADDED_STEP = "added_step"
    CHANGED_DEFAULT = "changed_default"
    CHANGED_VALUES = "changed_values"
    WRONG_ORDER = "wrong_order"
    WRONG_OUTCOME = "wrong_outcome"


FINDINGS: Mapping[str, frozenset[str]] = {
    DefectKind.RENAMED: frozenset({"renamed"}),
    DefectKind.MOVED: frozenset({"moved", "missing", "renamed"}),
    DefectKind.REMOVED: frozenset({"missing", "renamed"}),
    DefectKind.ADDED_STEP: frozenset({"missing_step"}),
    DefectKind.CHANGED_DEFAULT: frozenset({"wrong_value"}),
    DefectKind.CHANGED_VALUES: frozenset({"wrong_value"}),
    DefectKind.WRONG_ORDER: frozenset({"missing", "missing_step", "disabled"}),
    DefectKind.WRONG_OUTCOME: frozenset({"wrong_outcome"}),
}
"""Which kinds of finding name a defect rightly."""


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A defect in a document: `items` are the document's steps (changed for defects of
    the document), `at` the touched node, `item` the step whose sentence is wrong,
    `label` the marked text in that sentence."""

    kind: DefectKind
    items: tuple[Item, ...]
    item: int
    label: str
    at: str = ""
    patches: tuple[Patch, ...] = ()


def candidates(kind: DefectKind, draft: Draft, labels: Labels) -> Iterator[Planted]:
    """Every defect of this kind that the draft admits, in a fixed order."""
    yield from _MAKERS[kind](draft.items, labels)


_SYNONYMS: Mapping[str, str] = {
    "Add": "Attach", "Address": "Endpoint", "Alias": "Nickname", "Associate": "Link", "Attach": "Mount", "Bind": "Associate",
    "Bucket": "Container", "Buckets": "Containers", "Change": "Switch", "Capacity": "Volume", "Create": "Build", "Cancel": "Revoke",
    "Delete": "Destroy", "Description": "Remarks", "Detach": "Unmount", "Details": "Information", "Disable": "Deactivate",
    "Disks": "Volumes", "Disk": "Volume", "Duration": "Term", "Edit": "Adjust", "Enable": "Activate", "Extend": "Prolong",
    "Instance": "Server", "Instances": "Servers", "Key": "Token", "Keys": "Tokens", "Listener": "Forwarder",
    "Manage": "Administer", "Modify": "Adjust", "Name": "Title", "New": "Target", "Password": "Passphrase",
    "Policy": "Ruleset", "Policies": "Rulesets", "Port": "Socket", "Priority": "Weight", "Project": "Workspace", "Projects": "Workspaces",
    "Protection": "Safeguard", "Record": "Entry", "Release": "Terminate", "Remark": "Comment", "Remove": "Discard",
    "Reset": "Reinitialize", "Resize": "Scale", "Resource": "Asset", "Restart": "Reboot", "Retention": "Keep", "Role": "Identity",
    "Roles": "Identities", "Rule": "Entry", "Rules": "Entries", "Settings": "Preferences", "Size": "Volume", "Snapshot": "Backup",
    "Snapshots": "Backups", "Start": "Power On", "Stop": "Shut Down", "Tags": "Labels", "Type": "Category", "Unbind": "Dissociate",
    "Update": "Revise", "User": "Member", "Users": "Members", "Version": "Release", "Whitelist": "Allowlist", "Zone": "Data Center",
    "Domain": "Site", "Domains": "Sites", "Group": "Collection", "Groups": "Collections", "Alert": "Alarm", "Configuration": "Setup",
    "Scaling": "Elasticity", "Backup": "Archive", "Backups": "Archives", "Access": "Entry", "Contact": "Recipient", "Contacts": "Recipients",
}  # fmt: skip


def new_name(label: str) -> str:
    """Another name as a revision would give it; empty where none is known."""
    words = label.split()
    for number, word in enumerate(words):
        if word in _SYNONYMS:
            return " ".join([*words[:number], _SYNONYMS[word], *words[number + 1 :]])
    return ""


def touches(at: str, use: Use) -> bool:
    """Whether a use rests on the node or on something inside it."""
    return use.at == at or use.at.startswith(f"{at}/")


def _sole(items: Sequence[Item], at: str) -> bool:
    """Whether exactly one step rests on the node or on something inside it, and names
    it once."""
    return sum(touches(at, use) for item in items for use in item.uses) == 1


def _named(items: Sequence[Item]) -> Iterator[tuple[int, Use, list[str]]]:
    """Labels that a step marks, with the parts of their path."""
    for number, item in enumerate(items):
        for use in item.uses:
            if "/" in use.at and f"**{use.text}**" in item.text:
                yield number, use, use.at.split("/")


def _renamed(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    taken = {use.text for item in items for use in item.uses}
    for number, use, parts in _named(items):
        name = new_name(use.text)
        if (
            not name
            or name in taken
            or not _sole(items, use.at)
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


def _moved(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    for number, use, parts in _named(items):
        if not _sole(items, use.at):
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


def _removed(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    for number, use, parts in _named(items):
        kinds = {"actions": 5, "fields": 5, "tabs": 0, "menu": 0}
        kind = next((part for part in kinds if part in parts), "")
        if not kind or (kinds[kind] and len(parts) != kinds[kind]) or not _sole(items, use.at):
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


def _added(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """A required field that the document does not mention, in the form that a step
    sends off."""
    for number, item in enumerate(items):
        presses = [action for action in item.do if "submit" in action or "confirm" in action]
        form = _open_form(items[: number + 1], labels)
        if len(presses) != 1 or form is None:
            continue
        label = str(presses[0].get("submit") or presses[0].get("confirm"))
        if f"**{label}**" not in item.text:
            continue
        resource, place = form
        added: JsonObject = {
            "id": "change_ticket",
            "label": "Change Ticket",
            "widget": "input",
            "required": True,
            "placeholder": "Enter a ticket number",
        }
        patches: list[Patch] = [{"at": f"{resource}/fields", "insert": [added]}]
        if place.endswith("/fields"):
            patches.append({"at": place, "insert": ["change_ticket"]})
        else:
            known = list_of(object_of(labels.node(place)).get("form"))
            patches.append({"at": place, "set": {"form": [*known, "change_ticket"]}})
        yield Planted(
            kind=DefectKind.ADDED_STEP,
            items=items,
            item=number,
            label=label,
            at=place,
            patches=tuple(patches),
        )


def _open_form(items: Sequence[Item], labels: Labels) -> tuple[str, str] | None:
    """The resource and the place of fields of the form that the last of these steps
    sends off: a create form with a single step, or an action."""
    for item in reversed(items):
        for use in reversed(item.uses):
            parts = use.at.split("/")
            if (
                len(parts) == 5
                and parts[1] == "resources"
                and parts[3] == "actions"
                and any("press" in action for action in item.do)
            ):
                return "/".join(parts[:3]), use.at
            if (
                len(parts) == 4
                and parts[1] == "resources"
                and parts[3] == "create"
                and any("press" in action for action in item.do)
            ):
                steps = list_of(object_of(labels.node(use.at)).get("steps"))
                only = object_of(steps[0]) if len(steps) == 1 else {}
                if only and not only.get("review"):
                    return "/".join(parts[:3]), f"{use.at}/steps/{only['id']}/fields"
                return None
    return None


def _default(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """The document keeps a default, which the revision changes."""
    for number, text, use, spec in kept_defaults(items, labels):
        values = [option.value for option in _options(spec) if option.value != spec["default"]]
        if values:
            yield Planted(
                kind=DefectKind.CHANGED_DEFAULT,
                items=(*items[:number], text, *items[number:]),
                item=number,
                label=use.text,
                at=use.at,
                patches=({"at": use.at, "set": {"default": values[0]}},),
            )


def kept_defaults(
    items: Sequence[Item], labels: Labels
) -> Iterator[tuple[int, Item, Use, JsonObject]]:
    """Sentences that keep the default of a field which the document does not mention
    otherwise: where they go, what they say, the field."""
    for number, item in enumerate(items):
        if not any("submit" in action for action in item.do):
            continue
        form = _open_form(items[: number + 1], labels)
        if form is None or not form[1].endswith("/fields"):
            continue
        resource, place = form
        for name in list_of(labels.node(place)):
            at = f"{resource}/fields/{name}"
            spec = labels.node(at)
            if (
                not isinstance(spec, Mapping)
                or spec.get("default") is None
                or spec.get("show_if")
                or len(_options(spec)) < 2
            ):
                continue
            shown = next(
                (option.label for option in _options(spec) if option.value == spec["default"]),
                "",
            )
            if not shown or any(touches(at, use) for one in items for use in one.uses):
                continue
            use = Use(at=at, text=str(spec["label"]))
            text = (
                f"Make sure that **{spec['label']}** is set to **{shown}**, which is the default"
                " value."
            )
            uses = (use, Use(at=f"{at}/options/{spec['default']}", text=shown))
            yield (
                number,
                Item(text=text, do=(), uses=uses, unit=item.unit, step=item.step),
                use,
                spec,
            )


def _options(spec: JsonObject) -> list[Choice]:
    options = spec.get("options")
    if not isinstance(options, list) or spec.get("widget") not in ("select", "radio"):
        return []
    return [choice_of(option) for option in options]


def _values(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """A choice that the document names is no longer offered."""
    for number, use, parts in _named(items):
        if (
            len(parts) != 7
            or parts[5] != "options"
            or sum(found.at == use.at for item in items for found in item.uses) != 1
        ):
            continue
        field_at = "/".join(parts[:5])
        spec = labels.node(field_at)
        others = (
            [option for option in _options(spec) if str(option.value) != parts[6]]
            if isinstance(spec, Mapping)
            else []
        )
        if not others:
            continue
        patches: list[Patch] = [{"at": use.at, "remove": True}]
        if str(object_of(spec).get("default")) == parts[6]:
            patches.append({"at": field_at, "set": {"default": others[0].value}})
        yield Planted(
            kind=DefectKind.CHANGED_VALUES,
            items=items,
            item=number,
            label=use.text,
            at=use.at,
            patches=tuple(patches),
        )


_OPENS = ("open", "press", "tab")
_INSIDE = ("fill", "choose", "set", "slide", "date", "upload", "tags", "list", "submit", "confirm")


def _order(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
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


def _outcome(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """The document names another state than the one that follows."""
    for number, use, parts in _named(items):
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


_MAKERS: Mapping[DefectKind, Callable[[tuple[Item, ...], Labels], Iterator[Planted]]] = {
    DefectKind.RENAMED: _renamed,
    DefectKind.MOVED: _moved,
    DefectKind.REMOVED: _removed,
    DefectKind.ADDED_STEP: _added,
    DefectKind.CHANGED_DEFAULT: _default,
    DefectKind.CHANGED_VALUES: _values,
    DefectKind.WRONG_ORDER: _order,
    DefectKind.WRONG_OUTCOME: _outcome,
}
