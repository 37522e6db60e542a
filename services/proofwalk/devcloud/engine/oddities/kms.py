"""Key Management Service: versions of a secret with their stages, and its deletion, at
once or after a waiting period."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.identity import new_id
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.world import Resource
from proofwalk.devcloud.engine.writes import update_resource
from proofwalk.devcloud.products.schema.resources import GONE

_CURRENT, _PREVIOUS = "ACSCurrent", "ACSPrevious"
_MAX_VERSIONS = 10


def put_secret_value(call: Call) -> Outcome:
    """PutSecretValue: another version becomes the current one, the former current one
    the previous one."""
    outcome = update_resource(call)
    secret = outcome.resources[0]
    kind = f"{call.operation.product.id}.secret_version"
    version = call.params["VersionId"]
    held = call.world.select(call.account, kind, lambda r: r.fields.get("secret") == secret.id)
    if any(one.fields.get("version") == version for one in held):
        raise CloudError(
            "Rejected.ResourceExist",
            "The version of the secret already exists.",
            409,
            field="version",
        )
    if len(held) >= _MAX_VERSIONS:
        raise CloudError(
            "Rejected.LimitExceeded", "The maximum number of versions of a secret is exceeded.", 409
        )
    for one in held:
        stages = one.fields.get("stages") or []
        if stages:
            call.world.touch(one)
            one.fields["stages"] = [_PREVIOUS] if _CURRENT in stages else []
    fields = {"secret": secret.id, "version": version, "stages": [_CURRENT]}
    made = Resource(
        account=call.account,
        kind=kind,
        id=new_id(call, kind, secret.region, fields),
        region=secret.region,
        status=call.catalogue.resources[kind].lifecycle.initial,
        created=call.scope.now,
        fields=fields,
    )
    call.world.add(made)
    return outcome


def rotate_secret(call: Call) -> Outcome:
    """RotateSecret: as PutSecretValue with a value that the service makes, which takes
    a while."""
    outcome = put_secret_value(call)
    call.lifecycle.enter(outcome.resources[0], "Rotating", call.now, call.scope)
    return outcome


def delete_secret(call: Call) -> Outcome:
    """DeleteSecret: scheduled, so that it can be restored, or at once."""
    if call.params.get("ForceDeleteWithoutRecovery", "").lower() != "true":
        return update_resource(call)
    if call.params.get("RecoveryWindowInDays"):
        message = (
            "RecoveryWindowInDays cannot be specified together with ForceDeleteWithoutRecovery."
        )
        raise CloudError("InvalidParameter", message, 400)
    at_once = call.operation.spec.model_copy(update={"to": GONE, "set": {}})
    return update_resource(replace(call, operation=replace(call.operation, spec=at_once)))


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "delete_secret": delete_secret,
    "put_secret_value": put_secret_value,
    "rotate_secret": rotate_secret,
}
