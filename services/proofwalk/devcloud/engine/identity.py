"""What a resource is called: ids that the engine makes, ids that people choose, and
what follows when one changes.

A chosen id is the values of the type's `id_from` fields, joined by `/`. It must be free
in the account or, for `unique: global`, in all of them. When such a value changes,
everything that refers to the resource, and whose id holds the former one, changes in
the same unit of work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Call
from proofwalk.devcloud.engine.state.geography import REGIONS
from proofwalk.devcloud.engine.state.world import Resource, World
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.schema.resources import ResourceSpec
from proofwalk.kernel.ids import IdSource


def new_id(call: Call, kind: str, region: str, fields: Mapping[str, Any] | None = None) -> str:
    """The id that `fields` make, or a fresh one."""
    spec = call.catalogue.resources[kind]
    return (
        chosen(spec, fields or {})
        if spec.api.id_from
        else fresh(spec, call.world, call.account, region, call.ids)
    )


def fresh(spec: ResourceSpec, world: World, account: str, region: str, ids: IdSource) -> str:
    """An id in the vendor's style: prefix, region mark, random lower-case characters or
    digits."""
    api = spec.api
    place = REGIONS.get(region)
    mark = place.short if place is not None and api.id_style == "regional" else ""
    while True:
        drawn = ids.new("r")[-17:]
        candidate = f"{api.id_prefix}{mark}{_digits(drawn) if api.id_style == 'digits' else drawn}"
        if world.find(account, candidate) is None:
            return candidate


def _digits(drawn: str) -> str:
    return str(2 * 10**14 + int(drawn, 36) % (8 * 10**14))


def chosen(spec: ResourceSpec, fields: Mapping[str, Any]) -> str:
    """The id that a person chose by filling these fields."""
    return "/".join(str(fields.get(name) or "") for name in spec.api.id_from)


def claim(call: Call, kind: str, resource_id: str) -> None:
    """Refuse a chosen id that is in use."""
    api = call.catalogue.resources[kind].api
    if call.world.find(call.account, resource_id, kind) is not None:
        raise refusal(api.exists, id=resource_id, field=api.id_from[-1])
    if api.unique == "global" and call.world.anywhere(kind, resource_id) is not None:
        raise refusal(api.taken or api.exists, id=resource_id, field=api.id_from[-1])


def rename(call: Call, resource: Resource, resource_id: str) -> None:
    """Give a resource another id, and let everything that refers to it follow."""
    former = resource.id
    call.world.rename(resource, resource_id)
    for (kind, name), target in call.catalogue.references.items():
        if target != resource.kind:
            continue
        for other in call.world.of_kind(call.account, kind):
            value = other.fields.get(name)
            if value == former:
                _follow(call, other, name, resource_id)
            elif isinstance(value, list) and former in value:
                _follow(call, other, name, [resource_id if one == former else one for one in value])


def _follow(call: Call, resource: Resource, name: str, value: Any) -> None:
    call.world.touch(resource)
    resource.fields[name] = value
    spec = call.catalogue.resources[resource.kind]
    if name in spec.api.id_from:
        rename(call, resource, chosen(spec, resource.fields))
