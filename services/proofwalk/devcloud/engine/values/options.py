"""The choices of a select: fixed rows of a product file, live resources, or geography.

The console asks for them with the values of the fields they depend on; validation asks
the same question when a value arrives, so what the form offers is what the operation
accepts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from proofwalk.devcloud.engine.state.geography import GLOBAL, REGIONS, together
from proofwalk.devcloud.engine.values.templates import Scope
from proofwalk.devcloud.products.catalogue import Catalogue
from proofwalk.devcloud.products.schema.products import Source


def choices(
    catalogue: Catalogue, name: str, asked: Mapping[str, Any], scope: Scope
) -> list[dict[str, Any]] | None:
    """`[{value, label, disabled?, hint?}]`, or None for an unknown source."""
    if name == "regions":
        return [{"value": region.id, "label": region.label} for region in REGIONS.values()]
    if name == "zones":
        region = REGIONS.get(str(asked.get("region")))
        return [{"value": zone, "label": label} for zone, label in region.zones()] if region else []
    source = catalogue.sources.get(name)
    if source is None:
        return None
    if source.by is not None:
        return (
            choices(catalogue, source.cases.get(str(asked.get(source.by)), ""), asked, scope) or []
        )
    found = []
    for row in source.rows:
        if all(_admits(row.get(key), asked.get(field)) for key, field in source.where.items()):
            found.append(_choice(source, row))
    return found + (
        _of_resources(source, source.resource, asked, scope) if source.resource is not None else []
    )


def _choice(source: Source, row: Mapping[str, Any]) -> dict[str, Any]:
    choice: dict[str, Any] = {"value": row["value"], "label": _fill(source.label, row)}
    choice.update({key: row[key] for key in ("disabled", "hint") if key in row})
    if row.get("children"):
        choice["children"] = [_choice(source, child) for child in row["children"]]
    return choice


def leaves(choices: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Values that may be chosen: what is not disabled and has no next level."""
    found: list[Any] = []
    for choice in choices:
        if choice.get("disabled"):
            continue
        found += leaves(choice["children"]) if choice.get("children") else [choice["value"]]
    return found


def fixed_values(catalogue: Catalogue, name: str) -> list[Any]:
    """Values of the choices that the product file itself offers, whatever the form
    holds; those of resources are not among them."""
    source = catalogue.sources[name]
    found = [row["value"] for row in source.rows]
    for case in source.cases.values():
        if case in catalogue.sources:
            found += fixed_values(catalogue, case)
    return found


def source_values(
    catalogue: Catalogue, name: str, asked: Mapping[str, Any], scope: Scope
) -> list[Any]:
    """The values alone."""
    return leaves(choices(catalogue, name, asked, scope) or [])


def _admits(have: Any, wanted: Any) -> bool:
    """Equal, or among a row's list, where `*x` stands for whatever ends in x (the zones
    of all regions)."""
    if wanted in (None, ""):
        return False
    if isinstance(have, list):
        return any(
            wanted == entry or (str(entry).startswith("*") and str(wanted).endswith(str(entry)[1:]))
            for entry in have
        )
    return bool(have == wanted)


def _of_resources(
    source: Source, kind: str, asked: Mapping[str, Any], scope: Scope
) -> list[dict[str, Any]]:
    found = []
    for resource in scope.world.of_kind(scope.account, kind):
        if not together(resource.region, str(asked.get("region") or GLOBAL)):
            continue
        if source.status and resource.status not in source.status:
            continue
        if any(resource.value(key) != asked.get(field) for key, field in source.where.items()):
            continue
        label = _fill(
            source.label, {**resource.fields, "id": resource.id, "status": resource.status}
        )
        found.append({"value": resource.value(source.value), "label": label})
    return found


def _fill(template: str, values: Mapping[str, Any]) -> str:
    for name, value in values.items():
        template = template.replace("{" + name + "}", str(value))
    return template
