"""What the browser is served: the product files after the current UI revision, as one JSON text made once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from proofwalk.devcloud.catalogue import Catalogue, ProductError
from proofwalk.devcloud.geography import REGIONS
from proofwalk.devcloud.revisions import apply_patches
from proofwalk.devcloud.store import Store
from proofwalk.kernel.errors import ProofwalkError

BASE_REVISION = "base"


class ConsoleSchema:
    """The current revision; it survives a restart."""

    def __init__(self, shipped: Catalogue, store: Store) -> None:
        self._shipped = shipped
        self._store = store
        self.revision = BASE_REVISION
        self.catalogue = shipped
        self._text = self._render()
        kept = store.get_meta("revision")
        if kept is not None:
            try:
                self._adopt(kept["revision"], kept["patches"])
            except ProofwalkError:
                # the files changed under a stored revision: the shipped console is better than none
                self._adopt(BASE_REVISION, [])

    def apply(self, revision: str, patches: Sequence[Mapping[str, Any]]) -> None:
        """Serve another revision; it replaces the present one, it does not add to it."""
        if not revision:
            raise ProductError("revision", "needs a name")
        self._adopt(revision, patches)
        with self._store.transaction():
            self._store.set_meta("revision", {"revision": revision, "patches": list(patches)})

    def served(self) -> str:
        """The JSON text."""
        return self._text

    def _adopt(self, revision: str, patches: Sequence[Mapping[str, Any]]) -> None:
        self.catalogue = apply_patches(self._shipped.raw, patches) if patches else self._shipped
        self.revision = revision
        self._text = self._render()

    def _render(self) -> str:
        regions = [{"id": region.id, "label": region.label} for region in REGIONS.values()]
        return json.dumps({"products": self.catalogue.public(), "revision": self.revision, "regions": regions, "trouble": {}})
