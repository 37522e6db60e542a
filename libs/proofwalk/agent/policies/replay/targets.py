"""Elements by description: how a script names what it acts on, and finds it again.

A description is what a person would say: the kind of control, its name or label, the
dialog, the row by the known values in it, the column, the group, the frame. Where
several elements answer it, its place among them counts, and their number has to be the
same as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.agent.page.words import normalise
from proofwalk.agent.policies.replay.script import Target
from proofwalk.agent.policies.replay.templates import ANY, EpisodeValues
from proofwalk.console.observation import Element, Observation


def describe(element: Element, page: Observation, values: EpisodeValues) -> Target | None:
    """Return the element's description; None if it does not find the element again on
    this very page."""
    field = element.role in FIELD_ROLES
    named = (
        ""
        if field and element.label and element.role not in ("radio", "checkbox")
        else values.template(element.name)
    )
    target = Target(
        role=element.role,
        tag=element.tag,
        name=named,
        label=values.template(element.label) if field else "",
        container=values.template(element.container),
        frame=path_of(element.frame, values),
        input_type=element.input_type,
        in_row=bool(element.row),
        row=values.anchors_in(element.row) if element.row else (),
        column=element.column,
        group=values.template(element.group),
    )
    found = candidates(page, target, values)
    place = next(
        (number for number, one in enumerate(found) if one.identity == element.identity), None
    )
    if place is None:
        return None
    if len(found) > 1 and element.row and not target.row and named in ("", ANY):
        return None
    return target.model_copy(update={"position": place, "among": len(found)})


def candidates(page: Observation, target: Target, values: EpisodeValues) -> list[Element]:
    """Return every element that answers a description, in reading order. Of two layers
    of one control, only the inner one is returned."""
    found = [element for element in page.elements if _answers(element, target, values)]
    return [
        one for one in found if not any(other is not one and _layer(other, one) for other in found)
    ]


def resolve(page: Observation, target: Target, values: EpisodeValues) -> Element | None:
    """Return the element, if as many elements answer its description as when it was
    recorded."""
    found = candidates(page, target, values)
    return found[target.position] if len(found) == target.among else None


def near(page: Observation, target: Target) -> str:
    """Return the names of other elements of this kind, for the record of a broken
    guard."""
    names = [
        one.label or one.name
        for one in page.elements
        if one.role == target.role and bool(one.row) == target.in_row
    ]
    return ", ".join(dict.fromkeys(f"“{name}”" for name in names if name))[:200]


def path_of(url: str, values: EpisodeValues) -> str:
    """Return the path of an address without the parts that differ from episode to
    episode."""
    path = urlsplit(url).path
    return "/".join(values.template(part) for part in path.split("/"))


def _answers(element: Element, target: Target, values: EpisodeValues) -> bool:
    return (
        element.role == target.role
        and element.input_type == target.input_type
        and bool(element.row) == target.in_row
        and normalise(element.column) == normalise(target.column)
        and _text(target.name, element.name, values)
        and _text(target.label, element.label, values)
        and _exactly(target.container, element.container, values)
        and _exactly(target.group, element.group, values)
        and (target.frame == "") == (element.frame == "")
        and (not target.frame or values.matches(target.frame, urlsplit(element.frame).path))
        and values.holds_all(element.row, target.row)
    )


def _text(template: str, text: str, values: EpisodeValues) -> bool:
    return not template or values.matches(template, text)


def _exactly(template: str, text: str, values: EpisodeValues) -> bool:
    return values.matches(template, text) if template else not text


def _layer(inner: Element, outer: Element) -> bool:
    a, b = inner.box, outer.box
    smaller = a.width * a.height < b.width * b.height or (a == b and inner.mark > outer.mark)
    across = a.x >= b.x - 1 and a.x + a.width <= b.x + b.width + 1
    return smaller and across and a.y >= b.y - 1 and a.y + a.height <= b.y + b.height + 1


def labels_of(elements: Sequence[Element]) -> list[str]:
    """Their names, without those that have none."""
    return [element.name for element in elements if element.name.strip()]
