"""What the browser is served: product files after patches, in a language, in an order;
each combination made once.

A session without a scenario sees the current UI revision in English, one with a
scenario sees the scenario's patches over the shipped files in its language. `View` is
such a combination: the catalogue that forms and choices are read from, and the JSON
text. The trouble of a session is put into the text when it is served, since it is the
session's own.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proofwalk.devcloud.console.revisions import apply_patches
from proofwalk.devcloud.console.scenarios import Scenario
from proofwalk.devcloud.console.translations import CONSOLE, SHIPPED, Translations
from proofwalk.devcloud.console.trouble import Trouble, in_variant_b
from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.products.catalogue import Catalogue, ProductError
from proofwalk.kernel.errors import ProofwalkError

BASE_REVISION = "base"
MAX_VIEWS = 48


@dataclass(frozen=True, kw_only=True)
class View:
    """One console as some sessions see it."""

    catalogue: Catalogue
    revision: str
    language: str
    text: str
    """The JSON object, ready but for its `trouble` member."""

    def served(self, trouble: Mapping[str, Any]) -> str:
        """The whole JSON text."""
        return f'{self.text[:-1]}, "trouble": {json.dumps(trouble)}}}'


class ConsoleSchema:
    """The current revision, which survives a restart, and the views of scenarios."""

    def __init__(self, shipped: Catalogue, store: Store, translations: Translations) -> None:
        self._shipped = shipped
        self._store = store
        self.translations = translations
        self.revision = BASE_REVISION
        self._patches: Sequence[Mapping[str, Any]] = []
        self._catalogues: OrderedDict[str, Catalogue] = OrderedDict()
        self._views: OrderedDict[tuple[str, str, str, str], View] = OrderedDict()
        kept = store.get_meta("revision")
        if kept is not None:
            try:
                self._adopt(kept["revision"], kept["patches"])
            except ProofwalkError:
                # the files changed under a stored revision: the shipped console is
                # better than none
                self._adopt(BASE_REVISION, [])

    def apply(self, revision: str, patches: Sequence[Mapping[str, Any]]) -> None:
        """Serve another revision; it replaces the present one, it does not add to
        it."""
        if not revision:
            raise ProductError("revision", "needs a name")
        self._adopt(revision, patches)
        with self._store.transaction():
            self._store.set_meta("revision", {"revision": revision, "patches": list(patches)})

    def check(self, scenario: Scenario) -> None:
        """Raise `ProductError` if the scenario's patches do not apply."""
        self._catalogue(scenario.patches)

    def view(self, scenario: Scenario | None) -> View:
        """What a session with this scenario sees."""
        if scenario is None:
            return self._view(self.revision, self._patches, SHIPPED, "A")
        revision = scenario.id if scenario.patches else BASE_REVISION
        variant = Trouble(scenario.level, scenario.seed).variant()
        return self._view(revision, scenario.patches, scenario.language, variant)

    def _adopt(self, revision: str, patches: Sequence[Mapping[str, Any]]) -> None:
        self._catalogue(patches)
        self.revision = revision
        self._patches = list(patches)

    def _catalogue(self, patches: Sequence[Mapping[str, Any]]) -> Catalogue:
        if not patches:
            return self._shipped
        key = json.dumps(patches, sort_keys=True)
        found = self._catalogues.pop(key, None) or apply_patches(self._shipped, patches)
        self._catalogues[key] = found
        if len(self._catalogues) > MAX_VIEWS:
            self._catalogues.popitem(last=False)
        return found

    def _view(
        self, revision: str, patches: Sequence[Mapping[str, Any]], language: str, variant: str
    ) -> View:
        key = (revision, json.dumps(patches, sort_keys=True), language, variant)
        found = self._views.pop(key, None)
        if found is None:
            catalogue = self._catalogue(patches)
            text = self._render(catalogue, revision, language, variant)
            found = View(catalogue=catalogue, revision=revision, language=language, text=text)
        self._views[key] = found
        if len(self._views) > MAX_VIEWS:
            self._views.popitem(last=False)
        return found

    def _render(self, catalogue: Catalogue, revision: str, language: str, variant: str) -> str:
        products = [self.translations.product(language, product) for product in catalogue.public()]
        if variant == "B":
            products = [in_variant_b(product) for product in products]
        body = {
            "products": products,
            "revision": revision,
            "regions": [
                {"id": region.id, "label": self.translations.text(language, CONSOLE, region.label)}
                for region in REGIONS.values()
            ],
            "language": language,
            "words": self.translations.words(language),
        }
        return json.dumps(body, ensure_ascii=False)
