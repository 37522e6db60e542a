"""VPC: deletion protection of several resource types, companions found by what they
hold, addresses that nobody has."""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.state.faults import CloudError, missing_parameter
from proofwalk.devcloud.engine.values.templates import Derivation, Scope
from proofwalk.devcloud.engine.values.validation import refusal
from proofwalk.devcloud.products.schema.nodes import Fault

_PROTECTED = {"EIP": "vpc.eip", "NATGW": "vpc.nat_gateway"}


def set_deletion_protection(call: Call) -> Outcome:
    """DeletionProtection: one operation for every type of the product that can be
    protected."""
    params = call.params
    for name in ("InstanceId", "Type", "ProtectionEnable"):
        if not params.get(name):
            raise missing_parameter(name)
    kind = _PROTECTED.get(params["Type"])
    if kind is None:
        raise CloudError(
            "InvalidParameter.Type", f"The specified Type is not supported: {params['Type']}."
        )
    found = call.world.find(call.account, params["InstanceId"], kind)
    if found is None or found.region != call.region:
        raise refusal(call.catalogue.resources[kind].api.not_found, id=params["InstanceId"])
    call.world.touch(found)
    found.fields["deletion_protection"] = params["ProtectionEnable"].lower() == "true"
    return Outcome(resources=[found])


def _first(scope: Scope, arguments: Mapping[str, Any]) -> Any:
    """The first entry of `of`, or nothing."""
    return next(iter(arguments["of"] or []), "")


def _owner(scope: Scope, arguments: Mapping[str, Any]) -> str | None:
    """The resource of a type whose `field` has this value; `fault` when no resource has
    it, nothing when none is asked."""
    value = arguments.get("value")
    if not value:
        return None
    found = scope.world.select(
        scope.account, arguments["resource"], lambda r: r.value(arguments["field"]) == value
    )
    if not found:
        raise refusal(Fault.model_validate(arguments["fault"]), id=value)
    return found[0].id


def _unused_address(scope: Scope, arguments: Mapping[str, Any]) -> str:
    """An address of `network` that no resource of the type holds, the first to try by
    hashing `of`."""
    network = ipaddress.IPv4Network(arguments["network"])
    taken = {
        r.fields.get(arguments["field"])
        for r in scope.world.of_kind(scope.account, arguments["resource"])
    }
    usable = network.num_addresses - 2
    start = int.from_bytes(hashlib.sha256(str(arguments["of"]).encode()).digest()[:4], "big")
    for step in range(usable):
        address = str(network.network_address + 1 + (start + step) % usable)
        if address not in taken:
            return address
    raise CloudError("ResourceNotEnough.Eip", "The specified resource of EIP is not enough.")


HOOKS: Mapping[str, Callable[[Call], Outcome]] = {
    "set_deletion_protection": set_deletion_protection
}

DERIVATIONS: Mapping[str, Derivation] = {
    "first": _first,
    "owner": _owner,
    "unused_address": _unused_address,
}
