"""What the embedded cloud's console can do with its resources: for
`proofwalk.suites.synthesis`.

All of it is from the product files. An operation of which they do not say enough (a
request that code makes, a value that has to exist already) is none, and it is told why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from proofwalk.devcloud.products.schema.fields import FieldSpec
from proofwalk.devcloud.products.schema.operations import OperationSpec, Param
from proofwalk.devcloud.products.schema.pages import ActionSpec, CreateSpec, MenuItem
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.platform.devcloud_constants import op_of
from proofwalk.suites.synthesis.operations import (
    Capability,
    Creation,
    Entry,
    Input,
    Operation,
    Parent,
    Question,
    Term,
)
from proofwalk.suites.synthesis.units import LANGUAGES
from proofwalk.suites.writing.labels import noun_of

_MOST_INPUTS = 2
_NAME_FORMS = ("{word}-{n}", "{word}{n}", "{word}_{n}")
_NOTES = ("kept for the migration", "checked this week", "of the web team", "for load tests only")


class Unwritable(Exception):
    """No unit can be written for an operation."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """An operation or a question, and what its resource must be like before it; of a
    creation there is none yet."""

    operation: Operation | Creation | Question
    wants: dict[str, tuple[str, ...]]
    """Field, or `status` -> the values of which the resource must have one."""


def operations(console: DevcloudConsole) -> Iterator[tuple[str, Offer | str]]:
    """Each action of a listed resource by its name (`ecs.disk.modify`), and its create
    form (`ecs.disk.create`), with what it is, or why there is no unit for it."""
    for kind, resource in sorted(console.shipped.resources.items()):
        menu = menu_of(console, kind)
        if menu and resource.create is not None:
            try:
                yield f"{kind}.create", _creation(console, kind, resource, resource.create, menu)
            except Unwritable as reason:
                yield f"{kind}.create", str(reason)
        for action in resource.actions if menu else ():
            try:
                yield f"{kind}.{action.id}", _offer(console, kind, resource, action, menu)
            except Unwritable as reason:
                yield f"{kind}.{action.id}", str(reason)


def menu_of(console: DevcloudConsole, kind: str) -> str:
    """The id of the menu's entry that shows a kind's list; empty for none."""
    product, _, name = kind.partition(".")
    return next(_entries(console.shipped.products[product].menu, name), "")


def _entries(items: Sequence[MenuItem], resource: str) -> Iterator[str]:
    """The ids of the menu's entries that show a resource."""
    for item in items:
        if item.resource == resource:
            yield item.id
        yield from _entries(item.items, resource)


def _offer(
    console: DevcloudConsole, kind: str, resource: ResourceSpec, action: ActionSpec, menu: str
) -> Offer:
    product, _, name = kind.partition(".")
    event = op_of(action.api)
    if not event:
        raise Unwritable("which operation it is hangs on a value")
    spec = _spec(console, kind, event)
    if spec.id_array or spec.bulk or spec.match:
        raise Unwritable("its request names the resource in a list, or by other fields")
    inputs = tuple(_inputs(resource, action, spec))
    confirm = action.confirm
    return Offer(
        operation=Operation(
            product=product,
            resource=name,
            action=action.id,
            menu=menu,
            service=console.shipped.products[product].service,
            event=event,
            id_parameter=spec.id_param or resource.api.id_param,
            capability=_capability(action, spec),
            nouns={one: noun_in(console, one, kind) for one in LANGUAGES},
            labels={
                one: console.labels(one)
                .find(f"resources/{name}/actions/{action.id}", product=product)
                .text
                for one in LANGUAGES
            },
            inputs=inputs,
            by_name=len(resource.api.id_from) > 1,
            confirmed=confirm is not None or bool(action.form),
            typed=bool(confirm and confirm.typed),
            dangers=tuple(
                sorted({op_of(one.api) for one in resource.actions if one.danger} - {event, ""})
            ),
        ),
        wants={field: tuple(map(_text, values)) for field, values in action.when.items()},
    )


def _creation(
    console: DevcloudConsole, kind: str, resource: ResourceSpec, create: CreateSpec, menu: str
) -> Offer:
    """A form whose fields a document can tell values for, or that takes existing things
    by name. Raises `Unwritable`."""
    product, _, name = kind.partition(".")
    spec = create.api
    if not isinstance(spec, OperationSpec):
        raise Unwritable("its operation is not described")
    shown = [field for step in create.steps for field in step.fields]
    defaults = {
        field: _text(resource_field.default)
        for field in shown
        if (resource_field := resource.field(field)) is not None
    }
    extra = _extra(resource, spec, shown)
    pages = tuple(
        tuple(
            entry
            for field in step.fields
            for entry in _entry(console, resource, spec, field, defaults=defaults, extra=extra)
        )
        for step in create.steps
    )
    inputs = tuple(one for page in pages for one in page if isinstance(one, Input))
    parents = [one.kind for page in pages for one in page if isinstance(one, Parent)]
    if not inputs and not parents:
        raise Unwritable("nobody can tell a value for its form")
    if len(parents) > len(set(parents)) or kind in parents:
        raise Unwritable("its form takes two things of one kind")
    return Offer(
        operation=Creation(
            product=product,
            resource=name,
            menu=menu,
            service=console.shipped.products[product].service,
            event=spec.op,
            nouns={one: noun_in(console, one, kind) for one in LANGUAGES},
            labels={
                one: console.labels(one).find(f"resources/{name}/create", product=product).text
                for one in LANGUAGES
            },
            inputs=inputs,
            dangers=tuple(
                sorted({op_of(one.api) for one in resource.actions if one.danger} - {""})
            ),
            pages=pages,
            name=next((one for one in inputs if one.field == _name_of(resource)), None),
        ),
        wants={},
    )


def _extra(resource: ResourceSpec, spec: OperationSpec, shown: Sequence[str]) -> str:
    """The one field beside those that must be filled in that a document tells a value
    for."""
    for name in shown:
        field, told = resource.field(name), spec.params.get(name)
        if field is None or told is None or field.show_if or _is_open(field):
            continue
        if name == _name_of(resource) or _decides(resource, shown, name):
            continue
        if _input(resource, field, told) is not None:
            return name
    return ""


def _decides(resource: ResourceSpec, shown: Sequence[str], name: str) -> bool:
    """Whether other fields of the form hang on its value."""
    fields = [one for one in map(resource.field, shown) if one is not None]
    return any(name in one.show_if or name in one.depends_on for one in fields)


def _entry(
    console: DevcloudConsole,
    resource: ResourceSpec,
    spec: OperationSpec,
    name: str,
    *,
    defaults: dict[str, str],
    extra: str,
) -> Iterator[Input | Parent | Term]:
    """What a document tells of one field; nothing where the form's own value does."""
    field = resource.field(name)
    if field is None or not _is_shown(field, defaults):
        return
    told = spec.params.get(name)
    if field.widget == "checkbox" and field.api.console_only and field.required:
        yield Term(field=name)
    elif _is_open(field) and field.api.ref is not None and told is not None:
        if field.multiple or field.widget != "select":
            raise Unwritable(f"nobody can tell a value for {name}")
        kind = field.api.ref.resource
        nouns = {one: noun_in(console, one, kind) for one in LANGUAGES}
        yield Parent(field=name, parameter=told.param, kind=kind, nouns=nouns)
    elif _is_open(field) or name in (_name_of(resource), extra):
        one = _input(resource, field, told) if told is not None else None
        if one is not None:
            yield one
        elif _is_open(field):
            raise Unwritable(f"nobody can tell a value for {name}")


def _is_shown(field: FieldSpec, defaults: dict[str, str]) -> bool:
    """Whether the form shows it while nothing but its own values are chosen."""
    return all(
        defaults.get(other, "") in map(_text, values) for other, values in field.show_if.items()
    )


def _spec(console: DevcloudConsole, kind: str, event: str) -> OperationSpec:
    """The operation as its resource declares it, else another resource's of the same
    name."""
    product = kind.partition(".")[0]
    same = [
        one
        for (_, name), one in console.shipped.operations.items()
        if name == event and one.product.id == product
    ]
    own = [one for one in same if one.resource_kind in (kind, kind.partition(".")[2])]
    if not (own or same):
        raise Unwritable("its operation is not described")
    return (own or same)[0].spec


def noun_in(console: DevcloudConsole, language: str, kind: str) -> str:
    """What a thing of the kind is called in the middle of a sentence."""
    product, _, resource = kind.partition(".")
    label = console.labels(language).find(f"resources/{resource}", product=product)
    return noun_of(label.text)


def _capability(action: ActionSpec, spec: OperationSpec) -> Capability:
    if action.danger or spec.delete:
        return Capability.REMOVE
    return Capability.CHANGE if action.form else Capability.SWITCH


def _inputs(resource: ResourceSpec, action: ActionSpec, spec: OperationSpec) -> Iterator[Input]:
    """At most two fields that a document can tell a value for. Raises `Unwritable`."""
    written = 0
    for name in action.form:
        field = resource.field(name)
        told = spec.params.get(name)
        one = _input(resource, field, told) if field and told and not field.show_if else None
        if one is not None and written < _MOST_INPUTS:
            written += 1
            yield one
        elif one is None and field is not None and _is_open(field) and name != resource.name:
            raise Unwritable(f"nobody can tell a value for {name}")
    if action.form and not written:
        raise Unwritable("nobody can tell a value for its form")


def _is_open(field: FieldSpec) -> bool:
    return field.required and field.default is None


def _input(resource: ResourceSpec, field: FieldSpec, told: Param) -> Input | None:
    """The field as an input; None where its value cannot be told."""
    if field.multiple or told.join or told.rows or field.api.ref or field.api.secret:
        return None
    one = Input(field=field.id, parameter=told.param, entry=Entry.TYPED)
    if field.widget in ("input", "textarea"):
        return _typed(resource, field, one)
    if field.widget in ("select", "radio") and isinstance(field.options, list):
        present = _text(field.default)
        values = tuple(
            _text(option.value)
            for option in field.options
            if not option.disabled and _text(option.value) != present
        )
        return replace(one, entry=Entry.CHOSEN, values=values) if values else None
    if field.widget == "switch":
        on, words = not field.default, told.words or ["true", "false"]
        return replace(one, entry=Entry.SWITCHED, on=on, recorded=words[0 if on else -1])
    whole = field.min is not None and field.max is not None and field.step in (None, 1)
    if field.widget in ("number", "slider") and whole:
        entry = Entry.SLID if field.widget == "slider" else Entry.TYPED
        return replace(one, entry=entry, range=(int(field.min or 0) + 1, int(field.max or 0)))
    return None


def _name_of(resource: ResourceSpec) -> str:
    """The field with the resource's name, which may be its id."""
    ids = resource.api.id_from
    return resource.name or (ids[0] if len(ids) == 1 else "")


def _typed(resource: ResourceSpec, field: FieldSpec, one: Input) -> Input | None:
    """A name of the task's own, or a remark."""
    if field.api.checks:
        return None
    if field.id == _name_of(resource):
        pattern = re.compile(field.pattern or ".*", re.S)
        example = {"{word}": "harbor", "{n}": "42"}
        for form in _NAME_FORMS:
            if pattern.fullmatch(re.sub(r"\{\w+\}", lambda found: example[found[0]], form)):
                return replace(one, name_form=form)
        return None
    free = not field.pattern and field.api.type in (None, "str")
    return replace(one, values=_NOTES) if free else None


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else ""
    return "" if value is None else str(value)
