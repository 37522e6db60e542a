"""What the embedded cloud's console sends, by operation and parameter: for
`suites.constants`.

All of it is from the product files. A parameter is set by the fields that the operation
maps to it; what the fields show for a value are labels of options and of sources' rows,
in every language of the console. Unasked it sends a field's default, and the value that
an action carries itself: that is which act it was, and not a choice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from functools import cache
from pathlib import Path
from typing import Any

from proofwalk.devcloud.console.translations import CONSOLE, Translations
from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.main import TRANSLATIONS
from proofwalk.devcloud.products import catalogue
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.kernel.json_values import JsonObject, JsonValue
from proofwalk.suites.rules.constants import Sent

LANGUAGES = ("en", "zh")
_ROWS: Mapping[tuple[str, str, str], Mapping[str, Set[str]]] = {
    ("Sls", "SplitShard", "shard"): {"1": {"80000000000000000000000000000000"}},
}
"""Rows that a document names by what their list shows beside the id: the second of a
Logstore's two shards by where it begins."""


class DevcloudConstants:
    """`proofwalk.suites.rules.constants.Console` over the product files."""

    def __init__(self, shipped: catalogue.Catalogue, translations: Path = TRANSLATIONS) -> None:
        self._shipped = shipped
        self._translations = Translations(translations)
        self._operations: dict[tuple[str, str], catalogue.Operation] = {
            (operation.product.service, name): operation
            for (_, name), operation in self._shipped.operations.items()
        }
        self._sent = cache(self._parameter)
        self._shown: dict[str, set[str]] = defaultdict(set)
        for product in shipped.raw:
            for value, labels in self._choices(product):
                self._shown[value] |= labels
        for region in REGIONS.values():
            for value, label in [(region.id, region.label), *region.zones()]:
                self._shown[value] |= self._said(CONSOLE, label)

    def sent(self, service: str, event: str, parameter: str) -> Sent:
        """What the console can send there; nothing for an operation that it does not
        know."""
        return self._sent(service, event, parameter)

    def _parameter(self, service: str, event: str, parameter: str) -> Sent:
        operation = self._operations.get((service, event))
        if operation is None:
            return Sent()
        product = operation.product.id
        names: set[str] = set()
        unasked: set[str] = set()
        acts: set[str] = set()
        labels: dict[str, set[str]] = defaultdict(set)
        for value, said in self._shown.items():
            labels[value.lower()] |= said
        for value, shown in _ROWS.get((service, event, parameter), {}).items():
            labels[value] |= shown
        fields = self._fields(operation, parameter)
        for resource in self._resources(operation, event):
            for field in resource.fields:
                if field.id in fields:
                    names |= self._said(product, field.label)
                    unasked |= {one.lower() for one in _scalars(field.default)}
                    for option in field.options if isinstance(field.options, list) else ():
                        labels[str(_of(option, "value")).lower()] |= self._said(
                            product, str(_of(option, "label"))
                        )
            for action in resource.actions:
                if op_of(action.api) == event:
                    for name, value in action.values.items():
                        if name in fields:
                            acts |= {one.lower() for one in _scalars(value)}
        return Sent(
            names=frozenset(names),
            labels=dict(labels),
            unasked=frozenset(unasked | acts),
            acts=frozenset(acts),
            fields=frozenset(fields),
        )

    def _resources(self, operation: catalogue.Operation, event: str) -> list[ResourceSpec]:
        """Those whose pages have the operation; several types may share one."""
        if operation.resource is not None:
            return [operation.resource]
        known = operation.product.resources.values()
        return [one for one in known if any(op_of(action.api) == event for action in one.actions)]

    def _fields(self, operation: catalogue.Operation, parameter: str) -> set[str]:
        """Ids of the fields that are sent as the parameter."""
        wanted = re.sub(r"\.\d+(?=\.|$)", "", parameter).lower()
        mapped = {
            name
            for name, told in operation.spec.params.items()
            if re.sub(r"\.\d+(?=\.|$)", "", told.param).lower() == wanted
        }
        return mapped or {parameter}

    def _choices(self, product: str) -> Iterator[tuple[str, set[str]]]:
        """Values and labels of all options and sources of a product."""
        for node in _nodes(self._shipped.raw[product]):
            if "value" in node and "label" in node:
                yield str(node["value"]), self._said(product, str(node["label"]))

    def _said(self, product: str, label: str) -> set[str]:
        return {self._translations.text(language, product, label) for language in LANGUAGES}


def op_of(api: Any) -> str:
    """The operation that an action uses."""
    return api if isinstance(api, str) else str(getattr(api, "op", ""))


def _of(option: Any, name: str) -> Any:
    return option[name] if isinstance(option, Mapping) else getattr(option, name)


def _scalars(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(one, bool):
            yield str(one).lower()
        elif isinstance(one, (str, int, float)):
            yield str(one)


def _nodes(tree: JsonValue) -> Iterator[JsonObject]:
    if isinstance(tree, Mapping):
        yield tree
        for value in tree.values():
            yield from _nodes(value)
    elif isinstance(tree, (list, tuple)):
        for value in tree:
            yield from _nodes(value)
