"""What the embedded cloud's console shows of its resources that can be asked for: for
`proofwalk.suites.synthesis`.

A question asks for a field that a list has a column for, or the first page of a
resource shows, as it is kept: what a page shows in other words than the backend (a
choice by its label, a switch, a moment) is not asked for, and neither is what a page
alone can tell. Where the backend knows the value is `platform.synthesis` to find.
"""

from __future__ import annotations

from collections.abc import Iterator

from proofwalk.devcloud.products.schema.fields import FieldSpec, Option
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_material import Offer, Unwritable, menu_of, noun_in
from proofwalk.suites.synthesis.operations import Question
from proofwalk.suites.synthesis.units import LANGUAGES

_WIDGETS = frozenset({"input", "textarea", "text", "number", "slider", "select", "radio"})


def questions(console: DevcloudConsole) -> Iterator[tuple[str, Offer | str]]:
    """Each field that a listed resource shows, by its name (`ecs.disk.ask_size`), with
    the question for it, or why there is none."""
    for kind, resource in sorted(console.shipped.resources.items()):
        menu = menu_of(console, kind)
        if not menu:
            continue
        columns = [one for one in resource.list_.columns if not one.startswith("@")]
        opens = "@id" in resource.list_.columns
        further = _first_page(resource) if opens else []
        for name in dict.fromkeys([*columns, *further]):
            field = resource.field(name)
            if field is None or name == resource.name:
                continue
            try:
                asked = _question(console, kind, resource, field, menu, name in columns)
                yield f"{kind}.ask_{name}", Offer(operation=asked, wants={})
            except Unwritable as reason:
                yield f"{kind}.ask_{name}", str(reason)


def _first_page(resource: ResourceSpec) -> list[str]:
    tabs = resource.detail.tabs if resource.detail else []
    return [one for one in tabs[0].fields if not one.startswith("@")] if tabs else []


def _question(
    console: DevcloudConsole,
    kind: str,
    resource: ResourceSpec,
    field: FieldSpec,
    menu: str,
    listed: bool,
) -> Question:
    product, _, name = kind.partition(".")
    if not resource.name:
        raise Unwritable("its resource has no name to be found by")
    if field.widget not in _WIDGETS or field.multiple or field.api.secret:
        raise Unwritable("a page shows it in other words than the backend")
    if field.type not in ("str", "int") or not _is_told_as_kept(field):
        raise Unwritable("a page shows it in other words than the backend")
    labels = {one: console.labels(one) for one in LANGUAGES}
    path = f"resources/{name}/fields/{field.id}"
    return Question(
        product=product,
        resource=name,
        menu=menu,
        nouns={one: noun_in(console, one, kind) for one in LANGUAGES},
        labels={one: said.find(path, product=product).text for one, said in labels.items()},
        field=field.id,
        is_number=field.type == "int",
        unit=(
            {one: console.text(one, product, field.unit) for one in LANGUAGES} if field.unit else {}
        ),
        listed=listed,
    )


def _is_told_as_kept(field: FieldSpec) -> bool:
    """Whether a page shows each value of the field by itself."""
    if not isinstance(field.options, list):
        return field.type == "int" or not field.unit
    return all(_is_its_label(one) for one in field.options)


def _is_its_label(option: Option) -> bool:
    return str(option.value) == option.label and not option.children
