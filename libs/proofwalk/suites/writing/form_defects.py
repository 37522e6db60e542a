"""Defects of a form: a step that was added, another default, other values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from proofwalk.kernel.json_values import JsonObject, list_of, object_of
from proofwalk.suites.model import Patch
from proofwalk.suites.writing.drafts import Item
from proofwalk.suites.writing.labels import Choice, Labels, choice_of
from proofwalk.suites.writing.planted import DefectKind, Planted, named_labels, touches
from proofwalk.suites.writing.rendering import Use


def added_steps(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
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


def changed_defaults(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
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


def changed_values(items: tuple[Item, ...], labels: Labels) -> Iterator[Planted]:
    """A choice that the document names is no longer offered."""
    for number, use, parts in named_labels(items):
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
