"""Operations on tags, which every kind of resource with a `tag_type` has."""

from __future__ import annotations

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.values.parameters import repeated, tags_of

MAX_TAGS = 20


def tag_resources(call: Call) -> Outcome:
    """Add or overwrite tags."""
    tags = tags_of(call.params)
    if not tags:
        raise missing_parameter("Tag.1.Key")
    resources = _named_resources(call)
    for resource in resources:
        if len({**resource.tags, **tags}) > MAX_TAGS:
            raise CloudError("NumberExceed.Tags", "The maximum number of Tags is exceeded.")
        call.world.touch(resource)
        resource.tags = {**resource.tags, **tags}
    return Outcome(resources=resources)


def untag_resources(call: Call) -> Outcome:
    """Remove the named tags, or all of them."""
    keys = set(repeated(call.params, "TagKey"))
    everything = call.params.get("All", "").lower() == "true"
    resources = _named_resources(call)
    for resource in resources:
        call.world.touch(resource)
        resource.tags = (
            {} if everything else {k: v for k, v in resource.tags.items() if k not in keys}
        )
    return Outcome(resources=resources)


def _named_resources(call: Call) -> list[Resource]:
    """Return the resources of the request. Raises `InvalidResourceId.NotFound` for one
    that there is not, or that takes no tags."""
    ids = repeated(call.params, "ResourceId")
    if not ids:
        raise missing_parameter("ResourceId.1")
    resource_type = call.params.get("ResourceType", "").lower()
    resources = []
    for one in ids:
        resource = next(
            (
                r
                for r in call.world.named(call.account, one).values()
                if _takes_tags(call, r, resource_type)
            ),
            None,
        )
        if resource is None:
            raise CloudError(
                "InvalidResourceId.NotFound",
                f"The specified ResourceIds are not found in our records: {one}.",
                404,
            )
        resources.append(resource)
    return resources


def _takes_tags(call: Call, resource: Resource, resource_type: str) -> bool:
    tag_type = call.catalogue.resources[resource.kind].api.tag_type
    return tag_type is not None and (not resource_type or tag_type.lower() == resource_type)
