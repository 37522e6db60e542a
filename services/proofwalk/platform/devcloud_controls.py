"""What the embedded cloud's console offers for each operation: for
`suites.evolution.feasibility`, all of it from the product files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from pathlib import Path

from proofwalk.devcloud.main import TRANSLATIONS
from proofwalk.devcloud.products import catalogue
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.platform.devcloud_constants import DevcloudConstants, op_of


class DevcloudMaterial(DevcloudConstants):
    """`proofwalk.suites.evolution.feasibility.Material` over the product files."""

    def __init__(self, shipped: catalogue.Catalogue, translations: Path = TRANSLATIONS) -> None:
        super().__init__(shipped, translations)
        self._labels: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        for name, product in shipped.products.items():
            for resource in product.resources.values():
                for event, label in _controls(resource):
                    self._labels[product.service, event].add((name, label))

    def controls(self, service: str, event: str, language: str) -> Set[str]:
        """Labels of the actions and create forms that send the operation."""
        known = self._labels.get((service, event), set())
        return {self._translations.text(language, product, label) for product, label in known}


def _controls(resource: ResourceSpec) -> Iterator[tuple[str, str]]:
    """Each operation that a control of the resource's pages sends, with its label."""
    for action in resource.actions:
        yield op_of(action.api), action.label
    if resource.create is not None:
        yield op_of(resource.create.api), resource.create.label
