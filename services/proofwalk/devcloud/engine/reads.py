"""Operations that look: `list`, `get`, `catalog` and `list_tags`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.geography import REGIONS, together
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import (
    accepted,
    identifying,
    named,
    repeated,
    tags_of,
)
from proofwalk.devcloud.engine.values.templates import render
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.schema.operations import OperationSpec, Page

_ROWS = "$rows"


def list_resources(call: Call) -> Outcome:
    """Resources of the region that pass all filters, one page of them, rendered by
    `row` into `response`."""
    spec, kind = call.operation.spec, call.operation.resource_kind
    found = call.world.select(call.account, str(kind), lambda r: together(r.region, call.region))
    for name, param in spec.filters.items():
        raw = next(
            (call.params[p] for p in (param.param, *param.aliases) if call.params.get(p)), None
        )
        if param.compare != "equal":
            field = param.field or name
            found = [r for r in found if raw is None or _beyond(r.value(field), raw, param.compare)]
            continue
        values = accepted(raw) if raw is not None else set(repeated(call.params, param.param))
        if values:
            found = [r for r in found if _passes(call.value(r, param.field or name), values)]
    wanted = tags_of(call.params)
    found = [
        r
        for r in found
        if all(r.tags.get(k) == v or (v == "" and k in r.tags) for k, v in wanted.items())
    ]
    page, rows = paged(call, spec.page, found)
    rendered = [render(spec.row, call.at(r)) for r in rows]
    return Outcome(
        answer=_with_page(_place(spec.response, rendered, call), page, spec.page), resources=found
    )


def _with_page(answer: dict[str, Any], members: dict[str, Any], page: Page) -> dict[str, Any]:
    if page.within is None:
        return {**answer, **members}
    return {**answer, page.within: {**answer.get(page.within, {}), **members}}


def _beyond(have: Any, limit: str, compare: str) -> bool:
    return have is not None and (str(have) >= limit if compare == "from" else str(have) <= limit)


def _passes(have: Any, values: set[str]) -> bool:
    if isinstance(have, list):
        return any(str(entry) in values for entry in have)
    text = "" if have is None else str(have)
    return text in values or any("*" in v and v.strip("*") in text for v in values)


def paged(call: Call, page: Page, found: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """The paging members of the answer and the page asked for, by PageNumber or by
    NextToken."""
    params = call.params
    try:
        if params.get("MaxResults") or params.get("NextToken"):
            size = min(int(params.get("MaxResults") or page.default_size), 100)
            start = int(params.get("NextToken") or 0)
            members: dict[str, Any] = {
                "NextToken": str(start + size) if start + size < len(found) else ""
            }
            number = start // max(size, 1) + 1
        else:
            size = int(
                params.get(page.size or "PageSize") or params.get("PageSize") or page.default_size
            )
            number = int(params.get(page.number or "PageNumber") or params.get("PageNumber") or 1)
            start, members = (number - 1) * size, {}
    except ValueError:
        raise CloudError(
            "InvalidParameter.PageSize", "The specified paging parameter is not a number."
        ) from None
    if size < 1 or size > 100 or number < 1:
        raise CloudError(
            "InvalidParameter.PageSize", "The specified PageNumber or PageSize is out of range."
        )
    rows = found[start : start + size]
    members[page.total] = len(found)
    if page.number is not None:
        members[page.number] = number
    if page.size is not None:
        members[page.size] = size
    if page.count is not None:
        members[page.count] = len(rows)
    return members, rows


def _place(template: Any, rows: list[Any], call: Call) -> Any:
    if template == _ROWS:
        return rows
    if isinstance(template, dict) and not any(key.startswith("$") for key in template):
        return {key: _place(value, rows, call) for key, value in template.items()}
    return render(template, call.scope)


def get_resource(call: Call) -> Outcome:
    """One resource by id, rendered by `response`; `missing: empty` answers 200 with
    nothing in it."""
    spec, resource_spec = call.operation.spec, call.operation.typed()
    ids = named(resource_spec, spec, call.params)
    if not ids:
        asked_by = identifying(resource_spec, spec)
        raise missing_parameter(
            next((name for name in asked_by if not call.params.get(name)), asked_by[-1])
        )
    asked = ids[0]
    found = call.world.find(call.account, asked, call.operation.resource_kind)
    if found is not None and call.sees(found):
        return Outcome(answer=render(spec.response, call.at(found)), resources=[found])
    if spec.missing == "fault":
        raise refusal(resource_spec.api.not_found, id=asked)
    nothing = Resource(
        account=call.account, kind="", id="", region=call.region, status="", created=""
    )
    return Outcome(answer=render(spec.response, call.at(nothing)))


def read_catalog(call: Call) -> Outcome:
    """Rows of a source, or regions and zones, rendered by `row` into `response`."""
    spec = call.operation.spec
    rows = _catalog_rows(call, spec)
    for name, param in spec.filters.items():
        values = accepted(call.params.get(param.param, "")) or set(
            repeated(call.params, param.param)
        )
        if values:
            rows = [row for row in rows if str(row.get(name)) in values]
    page, shown = paged(call, spec.page, rows) if spec.page.number else ({}, rows)
    rendered = [render(spec.row, replace(call.scope, item=row)) for row in shown]
    return Outcome(answer=_with_page(_place(spec.response, rendered, call), page, spec.page))


def _catalog_rows(call: Call, spec: OperationSpec) -> list[dict[str, Any]]:
    if spec.source == "regions":
        return [{"value": r.id, "label": r.label} for r in REGIONS.values()]
    if spec.source == "zones":
        place = REGIONS.get(call.region)
        return (
            [{"value": zone, "label": label} for zone, label in place.zones()]
            if place is not None
            else []
        )
    return list(call.catalogue.sources[str(spec.source)].rows)


def _in_region(call: Call, resource: Resource) -> bool:
    return together(resource.region, call.region) or not call.regional


def list_tags(call: Call) -> Outcome:
    """Tags of resources, one entry for each pair, by resource ids, type and tag
    filters."""
    ids = set(repeated(call.params, "ResourceId"))
    wanted_type = call.params.get("ResourceType", "").lower()
    wanted = tags_of(call.params)
    entries = []
    for resource in call.world.inventory(call.account):
        spec = call.catalogue.resources[resource.kind]
        tag_type = spec.api.tag_type
        if (
            tag_type is None
            or not resource.kind.startswith(f"{call.operation.product.id}.")
            or not _in_region(call, resource)
        ):
            continue
        if (wanted_type and tag_type.lower() != wanted_type) or (ids and resource.id not in ids):
            continue
        if not all(
            resource.tags.get(k) == v or (v == "" and k in resource.tags) for k, v in wanted.items()
        ):
            continue
        entries += [
            {"ResourceId": resource.id, "ResourceType": tag_type, "TagKey": k, "TagValue": v}
            for k, v in resource.tags.items()
        ]
    return Outcome(answer={"TagResources": {"TagResource": entries}, "NextToken": ""})
