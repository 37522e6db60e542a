"""Elastic Compute Service: images of the vendor and of the account in one list, the
default of a template's versions."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.reads import paged
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import accepted
from proofwalk.devcloud.engine.values.templates import Derivation, Scope, render
from proofwalk.devcloud.engine.values.validation import refusal

_MADE = "2025-08-01T00:00:00Z"
"""When the vendor's images were published."""


def describe_images(call: Call) -> Outcome:
    """DescribeImages: the account's images, newest first, then the vendor's; `$item` in
    the row's template is either."""
    spec = call.operation.spec
    own = [
        r
        for r in call.world.of_kind(call.account, str(call.operation.resource_kind))
        if r.region == call.region
    ]
    items = [_own_image(image) for image in reversed(own)]
    items += [_vendor_image(row) for row in call.catalogue.sources[str(spec.source)].rows]
    for name, param in spec.filters.items():
        values = accepted(call.params.get(param.param, ""))
        if values:
            items = [item for item in items if str(item.get(name)) in values]
    members, shown = paged(call, spec.page, items)
    rows = [render(spec.row, replace(call.scope, item=item)) for item in shown]
    return Outcome(answer={"RegionId": call.region, "Images": {"Image": rows}, **members})


def _own_image(image: Resource) -> dict[str, Any]:
    kept = ("name", "family", "os", "size", "description")
    tags = [{"TagKey": key, "TagValue": value} for key, value in image.tags.items()]
    return {
        **{name: image.fields.get(name) or "" for name in kept},
        "value": image.id,
        "label": image.fields.get("platform") or "",
        "platform": image.fields.get("platform") or "",
        "owner": "self",
        "status": image.status,
        "created": image.created,
        "tags": tags,
    }


def _vendor_image(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **row,
        "name": row["value"],
        "description": "",
        "owner": "system",
        "status": "Available",
        "created": _MADE,
        "tags": [],
    }


def set_default_version(call: Call) -> Outcome:
    """ModifyLaunchTemplateDefaultVersion: the template's default becomes a version that
    exists."""
    version_spec, product = call.operation.typed(), call.operation.product.id
    template_spec = call.catalogue.resources[f"{product}.launch_template"]
    for name in ("LaunchTemplateId", "DefaultVersionNumber"):
        if not call.params.get(name):
            raise missing_parameter(name)
    asked, number = call.params["LaunchTemplateId"], call.params["DefaultVersionNumber"]
    template = call.world.find(call.account, asked, f"{product}.launch_template")
    if template is None:
        raise refusal(template_spec.api.not_found, id=asked)
    versions = call.world.select(
        call.account,
        str(call.operation.resource_kind),
        lambda r: r.fields.get("template_id") == template.id,
    )
    version = next((one for one in versions if str(one.fields.get("number")) == number), None)
    if version is None:
        raise refusal(version_spec.api.not_found, id=number)
    call.world.touch(template)
    template.fields["default_version"] = version.fields["number"]
    return Outcome(
        answer=render(call.operation.spec.response, call.at(template)), resources=[template]
    )


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "describe_images": describe_images,
    "set_default_version": set_default_version,
}


def _extended(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """When a subscription ends that is renewed by `months`, or by years where `unit`
    says so."""
    days = 365 if arguments.get("unit") == "Year" else 30
    end = datetime.fromisoformat(str(arguments["expires"])) + timedelta(
        days=days * int(arguments.get("months") or 1)
    )
    return end.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def _rolled_back(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """The moment of a rollback; a disk that is not the snapshot's is refused."""
    if arguments.get("asked") != arguments.get("own"):
        raise CloudError(
            "InvalidSnapshotId.NotMatchDisk",
            "The specified snapshot was not created from the specified disk.",
            403,
        )
    return scope.now


def _fingerprint(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """What tells a key pair from another."""
    return hashlib.sha256(str(arguments["of"]).encode()).hexdigest()[:32]


DERIVATIONS: Mapping[str, Derivation] = {
    "extended": _extended,
    "rolled_back": _rolled_back,
    "fingerprint": _fingerprint,
}
