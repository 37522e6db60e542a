"""What of the product files' console is on a map: pages, dialogs and named controls.

An empty account has no page of a resource, so that details are counted apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.map.menus import entries
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.maps.graph import ConsoleMap


def coverage(catalogue: Catalogue, console: ConsoleMap) -> dict[str, Any]:
    """Count what is declared, and what of it the map has."""
    names: dict[str, set[str]] = {}
    for surface, entry in console.surfaces.items():
        names.setdefault(surface.address, set()).update(one.name for one in entry.controls)
    pages, details = dict(_pages(catalogue)), set(_details(catalogue))
    controls = [(page, name) for page, labels in pages.items() for name in labels]
    missing = [(page, name) for page, name in controls if name not in names.get(page, ())]
    return {
        "pages_declared": len(pages),
        "pages_found": sum(page in names for page in pages),
        "details_declared": len(details),
        "details_found": sum(page in names for page in details),
        "controls_declared": len(controls),
        "controls_found": len(controls) - len(missing),
        "pages_missing": sorted(page for page in pages if page not in names),
        "controls_missing": [f"{page}: {name}" for page, name in missing][:40],
    }


def _pages(catalogue: Catalogue) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the address of each page, with the names of what must be on it: the
    product's menu, buttons, and fields of forms that are there from the beginning."""
    for product, content in catalogue.raw.items():
        menu = frozenset(entry["label"] for entry, _ in entries(content))
        for entry, _ in entries(content):
            page = f"/{product}/{entry['id']}"
            resource = content["resources"].get(entry.get("resource"), {})
            create = resource.get("create")
            labels = {one["id"]: one["label"] for one in resource.get("actions", [])}
            buttons = {labels[one] for one in resource.get("list", {}).get("batch", [])}
            if create:
                buttons.add(create["label"])
            yield page, menu | buttons
            if create:
                yield f"{page}/create", frozenset(_fields(resource, create))


def _fields(resource: Mapping[str, Any], create: Mapping[str, Any]) -> Iterator[str]:
    fields = {one["id"]: one for one in resource["fields"]}
    for name in create["steps"][0].get("fields", []):
        field = fields[name]
        conditional = {"show_if", "depends_on"} & set(field)
        if not conditional and field.get("widget") in ("input", "textarea", "select", "number"):
            yield field["label"]


def _details(catalogue: Catalogue) -> Iterator[str]:
    for product, content in catalogue.raw.items():
        for entry, _ in entries(content):
            resource = content["resources"].get(entry.get("resource"), {})
            if resource.get("detail"):
                yield f"/{product}/{entry['id']}/{{}}"
