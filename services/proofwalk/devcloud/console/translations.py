"""Labels in other languages: `translations/<language>/<product>.yaml` maps English
texts to theirs, flat.

`console.yaml` holds the words of the bundle and of geography; every product may use
them too, so that a product's file holds what is its own. A text without an entry stays
English. What counts as a label is decided by the key it stands under (`LABEL_KEYS`), so
nothing that an operation takes (ids, values, patterns) is ever touched. Messages of the
server stay English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.products.catalogue import Catalogue, ProductError

SHIPPED = "en"
CONSOLE = "console"
LABEL_KEYS = frozenset(
    {
        "description",
        "else",
        "help",
        "hint",
        "label",
        "message",
        "ok",
        "placeholder",
        "plural",
        "submit",
        "text",
        "title",
        "unit",
    }
)
_OPTIONAL_KEYS = frozenset({"description", "unit"})
# strings only: YAML's reader would make booleans of `Yes` and `Off`
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_WORD = re.compile(r"(?<![\w./-])[A-Z]?[a-z]{2,}(?![\w/]|[.-]\w)")


class Translations:
    """Every language's texts, read once."""

    def __init__(self, folder: Path) -> None:
        self._texts: dict[str, dict[str, dict[str, str]]] = {}
        for path in sorted(folder.glob("*/*.yaml")):
            self._texts.setdefault(path.parent.name, {})[path.stem] = _read(path)

    def languages(self) -> set[str]:
        """Those that have any file, and the one that products are written in."""
        return {SHIPPED, *self._texts}

    def covers(self, language: str, product: str) -> bool:
        """Whether the product has a file in this language."""
        return product in self._texts.get(language, {})

    def words(self, language: str) -> dict[str, str]:
        """The bundle's own words; empty for the language that they are written in."""
        return dict(self._texts.get(language, {}).get(CONSOLE, {}))

    def text(self, language: str, product: str, english: str) -> str:
        """One text of a product (or of `console`) in this language, or as it is."""
        files = self._texts.get(language, {})
        found = files.get(product, {}).get(english)
        return found if found is not None else files.get(CONSOLE, {}).get(english, english)

    def product(self, language: str, public: Any) -> Any:
        """What the browser gets of a product, with its labels in this language. The
        given tree is not changed."""
        if language == SHIPPED or language not in self._texts:
            return public
        return self._translated(language, str(public["id"]), public)

    def _translated(self, language: str, product: str, node: Any) -> Any:
        if isinstance(node, list):
            return [self._translated(language, product, entry) for entry in node]
        if not isinstance(node, dict):
            return node
        return {
            key: (
                self.text(language, product, value)
                if key in LABEL_KEYS and isinstance(value, str)
                else (
                    self._marks(language, product, value)
                    if key == "marks"
                    else self._translated(language, product, value)
                )
            )
            for key, value in node.items()
        }

    def _marks(self, language: str, product: str, marks: Any) -> Any:
        if not isinstance(marks, dict):
            return marks
        return {
            position: self.text(language, product, str(label)) for position, label in marks.items()
        }

    def choices(
        self, language: str, product: str, found: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Choices that a source of the product gave, with their labels and hints in
        this language."""
        if language == SHIPPED or language not in self._texts:
            return found
        translated: list[dict[str, Any]] = self._translated(language, product, found)
        return translated

    def missing(self, language: str, catalogue: Catalogue, product: str) -> list[str]:
        """Texts of a product that a browser shows and that have neither an entry of the
        product nor one of the console."""
        files = self._texts.get(language, {})
        known = {**files.get(CONSOLE, {}), **files.get(product, {})}
        return sorted({text for text in shown_texts(catalogue, product) if text not in known})


def shown_texts(catalogue: Catalogue, product: str) -> Iterator[str]:
    """English texts of a product that need a translation: labels with at least one word
    in them, and labels of its choices."""
    public = next(entry for entry in catalogue.public() if entry["id"] == product)
    yield from _labels(public)
    for source in catalogue.products[product].api.sources.values():
        for row in source.rows:
            label = source.label
            for name, value in row.items():
                label = label.replace("{" + name + "}", str(value))
            if has_words(label):
                yield label


def _labels(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for entry in node:
            yield from _labels(entry)
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, str):
                if key in LABEL_KEYS and key not in _OPTIONAL_KEYS and has_words(value):
                    yield value
            else:
                yield from _labels(value)


def has_words(text: str) -> bool:
    """Whether there is a word in it, rather than codes, sizes and versions
    (`ecs.g7.large (2 vCPU, 8 GiB)`, `8.0`)."""
    return _WORD.search(text) is not None


def geography() -> list[str]:
    """Names of regions and zones, which the console's own file translates."""
    zones = [label for region in REGIONS.values() for _, label in region.zones()]
    return [region.label for region in REGIONS.values()] + zones


def _read(path: Path) -> dict[str, str]:
    where = f"{path.parent.name}/{path.name}"
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506  # the base loader makes strings only
    except yaml.YAMLError as error:
        raise ProductError(where, f"is not YAML: {error}") from error
    if content in (None, ""):
        return {}
    if not isinstance(content, Mapping):
        raise ProductError(where, "needs a flat mapping of English texts to their translations")
    for english, translated in content.items():
        if not isinstance(english, str) or not isinstance(translated, str):
            raise ProductError(where, f"the entry {english!r} is not a text; translations are flat")
    return dict(content)
