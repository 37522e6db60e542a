"""Operations that replace: what a PUT names is as the request says afterwards, whether
it was there before or not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import chosen
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.values.parameters import decode, named, tags_of
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.engine.writes import create_resource

_MAX_TAGS = 20


def put_resource(call: Call) -> Outcome:
    """A resource whose id people choose, made or replaced as a whole; only its age is
    kept."""
    spec = call.operation.spec
    mapping = {**spec.send, **spec.params}
    typed, kind = call.operation.typed(), str(call.operation.resource_kind)
    former = call.world.find(call.account, chosen(typed, decode(mapping, typed, call.params)), kind)
    if former is not None:
        call.world.remove(former)
    whole = spec.model_copy(update={"params": mapping})
    outcome = create_resource(replace(call, operation=replace(call.operation, spec=whole)))
    if former is not None:
        outcome.resources[0].created = former.created
    return outcome


def put_tags(call: Call) -> Outcome:
    """All tags of a resource; a request without any takes them away."""
    typed = call.operation.typed()
    ids = named(typed, call.operation.spec, call.params)
    if not ids:
        raise missing_parameter(typed.api.id_param)
    found = call.world.find(call.account, ids[0], call.operation.resource_kind)
    if found is None:
        raise refusal(typed.api.not_found, id=ids[0])
    tags = tags_of(call.params)
    if len(tags) > _MAX_TAGS:
        raise CloudError(
            "InvalidTag", f"A resource can have at most {_MAX_TAGS} tags.", field="tags"
        )
    call.world.touch(found)
    found.tags = tags
    return Outcome(resources=[found])


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "put_resource": put_resource,
    "put_tags": put_tags,
}
