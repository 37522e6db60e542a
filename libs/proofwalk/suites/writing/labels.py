"""What the console says: labels by their schema path, in one language, after a
session's patches.

A path is relative to a product (`resources/instance/actions/stop`, `menu/instances`,
`''` for the product's title) or names one (`vpc:menu/vpcs`); `region:ID` and `zone:ID`
address geography. `find` gives the text with its canonical path
(`ecs/menu/compute/instances`), which is what a UI revision addresses, so that it is
known which sentence of a document rests on which node. Menu entries and tabs are found
at any depth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, object_of
from proofwalk.suites.model import Patch
from proofwalk.suites.writing.source_errors import source_invalid


@dataclass(frozen=True, kw_only=True)
class Label:
    """A text of the console and the node that it comes from; `at` is empty for what no
    revision can change."""

    text: str
    at: str = ""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What a field offers: the value that is sent and the label that stands for it."""

    value: JsonValue
    label: str


@dataclass(frozen=True, kw_only=True)
class Labels:
    """The console in one language. `products` are public schemas by id; `options` are
    the fixed rows of option sources, value -> label; `words` are the console's own
    words by their English."""

    language: str
    products: Mapping[str, JsonObject]
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    regions: Mapping[str, str] = field(default_factory=dict)
    zones: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def find(self, path: str, *, product: str) -> Label:
        """The label at `path`. Raises `suite.source_invalid` where there is none."""
        head, colon, rest = path.partition(":")
        if colon and head in ("region", "zone"):
            known = self.regions if head == "region" else self.zones
            if rest not in known:
                raise source_invalid(f"ui({path!r})", f"there is no {head} {rest!r}")
            return Label(text=known[rest])
        if colon and head in self.products:
            product, path = head, rest
        if product not in self.products:
            raise source_invalid(f"ui({path!r})", f"the console has no product {product!r}")
        parts = [part for part in path.split("/") if part]
        if "options" in parts[3:] and parts[0] == "resources":
            return self._option(product, parts, path)
        if parts[-2:] in (["create", "submit"], ["confirm", "ok"]):
            return self._button(product, parts, path)
        if parts[:1] == ["menu"] and len(parts) > 2:
            # A revision may have moved the entry to another group.
            parts = parts if self._has(product, parts) else ["menu", parts[-1]]
        node, trail = self._walk(product, parts, path)
        text = _text(
            node, parts[-1] if parts else "", in_states=len(parts) > 1 and parts[-2] == "states"
        )
        if text is None:
            raise source_invalid(f"ui({path!r})", f"the node of {product} has no label")
        return Label(text=text, at="/".join(trail))

    def node(self, at: str) -> JsonValue:
        """The node at exactly this canonical path (`ecs/resources/disk/fields/size`);
        None where there is none."""
        product, *parts = at.split("/")
        node: JsonValue = self.products.get(product)
        for part in parts:
            if isinstance(node, Mapping) and part not in node:
                node = node.get("items")
            if isinstance(node, list):
                node = next((entry for entry in node if _is(entry, part)), None)
            else:
                node = node.get(part) if isinstance(node, Mapping) else None
        return node

    def text_at(self, at: str) -> str | None:
        """The label at exactly this canonical path; None where there is none."""
        parts = at.split("/")
        if parts[-2:] in (["create", "submit"], ["confirm", "ok"]):
            node = self.node("/".join(parts[:-1]))
            return None if node is None else str(object_of(node).get(parts[-1]) or self.word("OK"))
        node = self.node(at)
        return (
            None
            if node is None
            else _text(node, parts[-1], in_states=len(parts) > 1 and parts[-2] == "states")
        )

    def _button(self, product: str, parts: Sequence[str], path: str) -> Label:
        """The button at the end of a form: what the node says, else the console's
        OK."""
        node, trail = self._walk(product, parts[:-1], path)
        said = node.get(parts[-1]) if isinstance(node, Mapping) else None
        return Label(text=str(said) if said else self.word("OK"), at="/".join([*trail, parts[-1]]))

    def _has(self, product: str, parts: Sequence[str]) -> bool:
        node: JsonValue = self.products[product]
        for part in parts:
            node = None if node is None else _child(node, part)[0]
        return node is not None

    def _walk(self, product: str, parts: Sequence[str], path: str) -> tuple[JsonValue, list[str]]:
        node: JsonValue = self.products[product]
        trail = [product]
        for part in parts:
            inner, way = _child(node, part)
            if inner is None:
                raise source_invalid(f"ui({path!r})", f"{'/'.join(trail)} has no {part!r}")
            node = inner
            trail += way
        return node, trail

    def _option(self, product: str, parts: Sequence[str], path: str) -> Label:
        """A choice of a field: listed in the schema, or a row of a source, whose labels
        no revision changes."""
        cut = parts.index("options", 3)
        spec, trail = self._walk(product, parts[:cut], path)
        value = "/".join(parts[cut + 1 :])
        options = object_of(spec).get("options")
        if isinstance(options, Mapping):
            label = self.of_source(str(options.get("source")), value)
            if label is not None:
                return Label(text=label)
        for choice in _flat(list_of(options)):
            if str(choice.value) == value:
                return Label(text=choice.label, at="/".join([*trail, "options", value]))
        raise source_invalid(f"ui({path!r})", f"the field has no choice {value!r}")

    def of_source(self, source: str, value: str) -> str | None:
        """The label of a value of an option source."""
        if source in ("zones", "regions"):
            return (self.zones if source == "zones" else self.regions).get(value)
        return self.options.get(source, {}).get(value)

    def option_of(
        self, product: str, field_id: str, value: str, resources: Sequence[str] = ()
    ) -> Label:
        """The label of a value of the field with this id (`zone`, or `instance/zone`),
        wherever in the product it is. The types named in `resources` are looked at
        first."""
        resource, _, name = field_id.rpartition("/")
        known = object_of(self.products.get(product, {}).get("resources", {}))
        order = (
            [resource]
            if resource
            else [*(r for r in resources if r in known), *(r for r in known if r not in resources)]
        )
        for candidate in order:
            try:
                return self.find(
                    f"resources/{candidate}/fields/{name}/options/{value}", product=product
                )
            except ProofwalkError:  # the next type may have the field
                continue
        raise source_invalid(
            f"option:{field_id}", f"no field of {product} has the choice {value!r}"
        )

    def menu_trail(self, product: str, item: str) -> list[str]:
        """The labels from the menu's top down to the entry with this id; empty where
        there is none."""
        return _menu_trail(list_of(self.products.get(product, {}).get("menu", [])), item)

    def word(self, english: str) -> str:
        """One of the console's own words as this language shows it."""
        return self.words.get(english, english)


def noun_of(label: str) -> str:
    """A label in the middle of a sentence: `NAT Gateway` is a `NAT gateway`."""
    return " ".join(word.lower() if word.istitle() else word for word in label.split())


class Console(Protocol):
    """Where labels come from."""

    def labels(self, language: str, patches: Sequence[Patch] = ()) -> Labels:
        """The console of a session in this language under these patches. Raises a
        `ProofwalkError` for patches that do not apply."""
        ...


def _child(node: JsonValue, key: str) -> tuple[JsonValue, list[str]]:
    """The child and the way to it; (None, []) where there is none."""
    if isinstance(node, Mapping):
        if key in node:
            return node[key], [key]
        # Tabs and menu entries nest; a path may leave the groups out.
        for members in ("items", "tabs"):
            found, way = _entry(list_of(node.get(members, [])), key)
            if found is not None:
                return found, [*([members] if members == "tabs" else []), *way]
        return None, []
    return _entry(node, key) if isinstance(node, list) else (None, [])


def _is(entry: JsonValue, key: str) -> bool:
    return bool(
        entry == key
        or (
            isinstance(entry, Mapping)
            and (entry.get("id") == key or str(entry.get("value")) == key)
        )
    )


def _entry(entries: Sequence[JsonValue], key: str) -> tuple[JsonValue, list[str]]:
    for entry in entries:
        if _is(entry, key):
            return entry, [key]
    for entry in entries:
        if isinstance(entry, Mapping) and (entry.get("items") or entry.get("tabs")):
            found, way = _entry(list_of(entry.get("items") or entry.get("tabs")), key)
            if found is not None:
                inner = ["tabs"] if entry.get("tabs") and not entry.get("items") else []
                return found, [str(entry["id"]), *inner, *way]
    return None, []


def _text(node: JsonValue, key: str, *, in_states: bool) -> str | None:
    if isinstance(node, Mapping):
        for member in ("label", "title"):
            if node.get(member):
                return str(node[member])
        return key if in_states else None
    return str(node) if isinstance(node, (str, int, float)) and not isinstance(node, bool) else None


def choice_of(option: JsonValue) -> Choice:
    """The choice that an entry of a field's `options` stands for: a mapping, or a value
    that is its own label."""
    if isinstance(option, Mapping):
        return Choice(value=option["value"], label=str(option.get("label", "")))
    return Choice(value=option, label=str(option))


def _flat(options: Sequence[JsonValue]) -> list[Choice]:
    """The choices, those of a cascader's branches too."""
    choices: list[Choice] = []
    for option in options:
        choices += [choice_of(option), *_flat(list_of(object_of(option).get("children")))]
    return choices


def _menu_trail(items: Sequence[JsonValue], wanted: str) -> list[str]:
    for item in map(object_of, items):
        if item.get("id") == wanted:
            return [str(item["label"])]
        inner = _menu_trail(list_of(item.get("items")), wanted)
        if inner:
            return [str(item["label"]), *inner]
    return []
