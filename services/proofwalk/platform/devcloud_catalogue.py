"""The embedded cloud's console as a catalogue: for `proofwalk.authoring.catalogue`.

All of it is from the product files, with the labels of every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proofwalk.authoring.catalogue import (
    Action,
    Catalogue,
    Choice,
    Field,
    Kind,
    MenuEntry,
    Product,
    Reference,
    Tab,
    Values,
    plain,
)
from proofwalk.devcloud.console.translations import Translations
from proofwalk.devcloud.main import TRANSLATIONS
from proofwalk.devcloud.products import catalogue as shipped_products
from proofwalk.devcloud.products.schema import pages, products
from proofwalk.devcloud.products.schema.fields import FieldSpec, OptionSource
from proofwalk.devcloud.products.schema.operations import OperationSpec
from proofwalk.devcloud.products.schema.resources import GONE, ResourceSpec

LANGUAGES = ("en", "zh")
_ZONES = "zones"
_ZONES_TRIED = ("-h", "-i", "-b", "-e", "-a")


class _Reader:
    def __init__(self, shipped: shipped_products.Catalogue, translations: Translations) -> None:
        self.shipped = shipped
        self._translations = translations

    def labels(self, product: str, *texts: str | None) -> frozenset[str]:
        """The texts in every language."""
        return frozenset(
            self._translations.text(language, product, text)
            for text in texts
            if text
            for language in LANGUAGES
        )

    def product(self, product: products.Product) -> Product:
        return Product(
            id=product.id,
            titles=self.labels(product.id, product.title),
            menu=tuple(self._menu(product.id, product.menu, ())),
        )

    def _menu(
        self, product: str, items: list[pages.MenuItem], path: tuple[frozenset[str], ...]
    ) -> Iterator[MenuEntry]:
        for item in items:
            here = (*path, self.labels(product, item.label))
            kind = _typed(product, item.resource) if item.resource else ""
            yield MenuEntry(path=here, kind=kind)
            yield from self._menu(product, item.items, here)

    def kind(self, identity: str, resource: ResourceSpec) -> Kind:
        product = identity.partition(".")[0]
        create = resource.create
        return Kind(
            id=identity,
            labels=self.labels(product, resource.label, resource.plural)
            | frozenset(self._rows_of(identity))
            | frozenset(self._longer_names(identity, resource)),
            name=_name(resource),
            id_from=tuple(resource.api.id_from),
            fields={one.id: self._field(identity, resource, one) for one in resource.fields},
            states={
                state: self.labels(product, state, told.label)
                for state, told in resource.states.items()
            },
            settled=settled(resource),
            creation=self.labels(product, create.label) if create else frozenset(),
            form=tuple(name for step in create.steps for name in step.fields) if create else (),
            actions=tuple(self._action(product, one) for one in resource.actions),
            tabs=tuple(self._tab(product, one) for one in resource.detail.tabs)
            if resource.detail
            else (),
            parts={
                one.id: one.api.ref.resource
                for one in resource.fields
                if one.api.ref and (one.id in resource.api.parent)
            },
            listed=not (
                resource.api.part if resource.api.part is not None else bool(resource.api.parent)
            ),
            spawned_by=frozenset(self._spawners(identity)),
            standing=frozenset(
                plain(_text(one.fields.get(resource.name or "", ""))) for one in resource.api.given
            ),
        )

    def _spawners(self, identity: str) -> Iterator[str]:
        for kind, resource in self.shipped.resources.items():
            spec = _creation(resource)
            if spec and any(spawn.resource == identity and not spawn.given for spawn in spec.spawn):
                yield kind

    def _rows_of(self, identity: str) -> Iterator[str]:
        """What forms call rows of which one of the kind is made each: a new server has
        data disks, and each is a disk."""
        for kind, resource in self.shipped.resources.items():
            spec = _creation(resource)
            for spawn in spec.spawn if spec else ():
                if spawn.resource == identity and (rows := resource.field(spawn.each or "")):
                    yield from self.labels(kind.partition(".")[0], rows.label)

    def _longer_names(self, identity: str, resource: ResourceSpec) -> Iterator[str]:
        """What fields that name one of the kind call it, where that is a name of the
        kind with words before it: a form asks for a CLB instance."""
        product = identity.partition(".")[0]
        own = [plain(label) for label in self.labels(product, resource.label)]
        for kind, other in self.shipped.resources.items():
            for spec in other.fields:
                if spec.api.ref is None or spec.api.ref.resource != identity:
                    continue
                labels = self.labels(kind.partition(".")[0], spec.label)
                yield from (one for one in labels if plain(one).endswith(tuple(own)))

    def _field(self, identity: str, resource: ResourceSpec, spec: FieldSpec) -> Field:
        product = identity.partition(".")[0]
        creation = _creation(resource)
        parameter = creation.params.get(spec.id) if creation else None
        name = parameter.param if parameter else _packed(creation, spec.id)
        mandatory = creation.mandatory if creation else []
        shaped = next((one for one in spec.api.checks if one.kind == "pattern_by"), None)
        return Field(
            id=spec.id,
            labels=self.labels(product, spec.label),
            parameter=name,
            required=spec.required or spec.id in mandatory,
            default=_text(spec.default),
            choices=tuple(self._choices(product, spec)),
            references=tuple(self._references(product, spec)),
            multiple=spec.multiple,
            secret=spec.widget == "password" or spec.api.secret,
            pattern=spec.pattern or spec.item_pattern or "",
            patterns=shaped.patterns if shaped else {},
            patterned_by=(shaped.of or "") if shaped else "",
            example=spec.placeholder or "",
            inside=next(
                (
                    (check.of.partition(".")[0], check.of.partition(".")[2])
                    for check in spec.api.checks
                    if check.kind == "within" and check.of
                ),
                ("", ""),
            ),
            least=spec.min,
            shown_if={name: _texts(values) for name, values in spec.show_if.items()},
            words=tuple(parameter.words) if parameter else (),
            moment=spec.widget == "date",
            zoned=isinstance(spec.options, OptionSource) and spec.options.source == _ZONES,
        )

    def _choices(self, product: str, spec: FieldSpec) -> Iterator[Choice]:
        if isinstance(spec.options, list):
            yield from (
                Choice(value=_text(one.value), labels=self.labels(product, one.label))
                for one in spec.options
                if not one.disabled
            )
        elif isinstance(spec.options, OptionSource):
            for source in self._sources(product, spec.options.source):
                for row in source.rows:
                    yield Choice(
                        value=_text(row.get("value")),
                        labels=self.labels(product, str(row.get("label", row.get("value")))),
                        fits={
                            own: _texts(row[name])
                            for name, own in source.where.items()
                            if name in row
                        },
                    )

    def _references(self, product: str, spec: FieldSpec) -> Iterator[Reference]:
        ref = spec.api.ref
        sources = (
            list(self._sources(product, spec.options.source))
            if isinstance(spec.options, OptionSource)
            else []
        )
        if ref is not None:
            by = next((one.value for one in sources if one.resource == ref.resource), "id")
            yield Reference(kind=ref.resource, states=tuple(ref.status), same=dict(ref.same), by=by)
        for source in sources:
            if source.resource and (ref is None or ref.resource != source.resource):
                yield Reference(
                    kind=source.resource,
                    states=tuple(source.status),
                    same={own: other for other, own in source.where.items()},
                    by=source.value,
                )

    def _source(self, product: str, name: str) -> products.Source | None:
        return self.shipped.products[product].api.sources.get(name) or self.shipped.sources.get(
            name
        )

    def _sources(self, product: str, name: str) -> Iterator[products.Source]:
        source = self._source(product, name)
        if source is None:
            return
        yield source
        for case in source.cases.values():
            yield from self._sources(product, case)

    def _action(self, product: str, action: pages.ActionSpec) -> Action:
        to = getattr(action.api, "to", None)
        return Action(
            labels=self.labels(product, action.label),
            form=tuple(action.form),
            when={name: _texts(values) for name, values in action.when.items()},
            to=to if isinstance(to, str) and to != GONE else "",
            sets={name: _text(value) for name, value in action.values.items()},
            removes=action.danger,
        )

    def _tab(self, product: str, tab: pages.Tab) -> Tab:
        return Tab(
            labels=self.labels(product, tab.title),
            kind=_typed(product, tab.table.resource) if tab.table else "",
            tabs=tuple(self._tab(product, one) for one in tab.tabs),
        )


def devcloud_catalogue(
    shipped: shipped_products.Catalogue, translations: Path = TRANSLATIONS
) -> Catalogue:
    """The console of the shipped products."""
    reader = _Reader(shipped, Translations(translations))
    return Catalogue(
        products={name: reader.product(one) for name, one in shipped.products.items()},
        kinds={name: reader.kind(name, one) for name, one in shipped.resources.items()},
        zones=_ZONES_TRIED,
    )


def _name(resource: ResourceSpec) -> str:
    """What people call one by: the id that they chose, its name, or the thing that it
    stands for (a group's server)."""
    chosen = resource.api.id_from
    asked = (
        {name for step in resource.create.steps for name in step.fields}
        if resource.create
        else set()
    )
    if len(chosen) == 1 and chosen[0] in asked:
        return chosen[0]
    parts = [one for one in resource.fields if one.id in asked and one.id in chosen]
    parts = [one for one in parts if one.api.ref] or parts
    return resource.name or (parts[0].id if len(parts) == 1 else "")


def _packed(creation: OperationSpec | None, name: str) -> str:
    """The parameter of a field that travels as a member of a list (`Servers.ServerId`),
    and of the field that names what the list is of."""
    if creation is None:
        return ""
    packs = [one for one in creation.params.values() if one.pack]
    for one in packs:
        if name in one.pack:
            return f"{one.param}.{one.pack[name]}"
    sent = creation.send.get(name) if packs else None
    return sent.param if sent else ""


def _creation(resource: ResourceSpec) -> OperationSpec | None:
    create = resource.create
    return create.api if create is not None and isinstance(create.api, OperationSpec) else None


def _typed(product: str, resource: str) -> str:
    return resource if "." in resource else f"{product}.{resource}"


def settled(resource: ResourceSpec) -> str:
    """The state in which a thing is once it has been made."""
    state = resource.lifecycle.initial
    passed: set[str] = set()
    while state in resource.lifecycle.transitions and state not in passed:
        passed.add(state)
        state = resource.lifecycle.transitions[state].to
    return state


def _texts(values: Any) -> Values:
    return tuple(_text(one) for one in (values if isinstance(values, list) else [values]))


def _text(value: Any) -> str:
    """Values as one kind of text: what is off or missing is empty."""
    if value is None or value is False:
        return ""
    if value is True:
        return "true"
    return str(value) if not isinstance(value, (Mapping, list)) else ""
