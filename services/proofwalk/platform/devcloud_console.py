"""What the embedded cloud's console says, as the generation of suites asks for it.

The product files as they are shipped, a session's patches, the translations and the
geography: everything comes from devcloud's own code, so that a document cannot name a
label that the console does not show.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from proofwalk.devcloud.console.revisions import apply_patches
from proofwalk.devcloud.console.translations import CONSOLE, Translations
from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.main import PRODUCTS, TRANSLATIONS
from proofwalk.devcloud.products import catalogue, files, indexing
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject, JsonValue, list_of, object_of
from proofwalk.suites.model import Patch
from proofwalk.suites.writing.labels import Labels


class DevcloudConsole:
    """`proofwalk.suites.writing.labels.Console` over the product files."""

    def __init__(
        self,
        products: Path = PRODUCTS,
        translations: Path = TRANSLATIONS,
        *,
        problems: list[ProofwalkError] | None = None,
    ) -> None:
        self.shipped = indexing.load(products) if problems is None else _sound(products, problems)
        """The product files as they are."""
        self._translations = Translations(translations)
        self._made: dict[str, Labels] = {}

    def labels(self, language: str, patches: Sequence[Patch] = ()) -> Labels:
        """The labels of a session. Raises `devcloud.product_invalid` for patches that
        do not apply."""
        key = json.dumps([language, list(patches)], sort_keys=True)
        if key not in self._made:
            self._made[key] = (
                self._patched(language, patches) if patches else self._shipped_labels(language)
            )
        return self._made[key]

    def text(self, language: str, product: str, english: str) -> str:
        """A text of a product in a language."""
        return self._translations.text(language, product, english)

    def _patched(self, language: str, patches: Sequence[Patch]) -> Labels:
        """The shipped labels with those of the patched products instead of theirs."""
        plain, shown = self.labels(language), apply_patches(self.shipped, patches)
        changed = {
            name: raw for name, raw in shown.raw.items() if raw is not self.shipped.raw.get(name)
        }
        products = dataclasses.replace(shown, raw=changed).public()
        said = {
            product["id"]: self._translations.product(language, product) for product in products
        }
        return dataclasses.replace(plain, products={**plain.products, **said})

    def _shipped_labels(self, language: str) -> Labels:
        said = self._translations
        options: dict[str, dict[str, str]] = {}
        for product_id, product in self.shipped.products.items():
            for name, source in product.api.sources.items():
                rows = [
                    {"value": row["value"], "label": _filled(source.label, row)}
                    for row in _rows(source.rows)
                ]
                options[name] = {
                    str(row["value"]): str(row["label"])
                    for row in said.choices(language, product_id, rows)
                }
        return Labels(
            language=language,
            products={
                product["id"]: said.product(language, product) for product in self.shipped.public()
            },
            options=options,
            regions={
                region.id: said.text(language, CONSOLE, region.label) for region in REGIONS.values()
            },
            zones={
                zone: said.text(language, CONSOLE, label)
                for region in REGIONS.values()
                for zone, label in region.zones()
            },
            words=said.words(language),
        )


def _sound(folder: Path, problems: list[ProofwalkError]) -> catalogue.Catalogue:
    """The products that can be read; the others are listed."""
    raw = files.read_folder(folder)
    while True:
        try:
            return indexing.build(raw)
        except catalogue.ProductError as error:
            broken = error.where.split("/", 1)[0]
            if broken not in raw:
                raise
            problems.append(error)
            del raw[broken]


def _rows(rows: Sequence[JsonValue]) -> Iterator[JsonObject]:
    """The rows of a source, those of a cascader's branches too."""
    for row in map(object_of, rows):
        yield row
        yield from _rows(list_of(row.get("children")))


def _filled(template: str, row: JsonObject) -> str:
    for name, value in row.items():
        template = template.replace("{" + name + "}", str(value))
    return template
