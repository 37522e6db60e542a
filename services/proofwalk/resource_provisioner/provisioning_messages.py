"""A provisioning and its limits as the contract carries them: mapping only."""

from __future__ import annotations

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.cloud.steps.placeholders import filled
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.resource_provisioner.assertions import variables
from proofwalk.resource_provisioner.domain import Appraisal, ProvisioningState
from proofwalk.resource_provisioner.limits import Limits
from proofwalk.resource_provisioner.meta import read_kept
from proofwalk.resource_provisioner.repository import ProvisioningRow

MAX_LISTED = 200
USUALLY_LISTED = 50


def limits_from_pb(limits: pb.Limits) -> Limits:
    """What a request lets its resources come to; unchecked."""
    return Limits(
        max_per_hour=limits.max_per_hour, max_at_once=limits.max_at_once, ttl_s=limits.ttl_s
    )


def provisioning_to_pb(row: ProvisioningRow) -> pb.Provisioning:
    """A row, with the record's binds filled in."""
    meta = read_kept(row.meta_yaml)
    message = _message(row, description=meta.description)
    message.outputs.update(row.outputs)
    message.binds.update(
        {
            phrase: filled(value, outputs=row.outputs, variables=variables(row))
            for phrase, value in meta.binds.items()
        }
    )
    return message


def provisioning_in_list(row: ProvisioningRow) -> pb.Provisioning:
    """A row for people, without outputs and binds. A record of an earlier release that
    is no longer read has no description."""
    try:
        description = read_kept(row.meta_yaml).description
    except ProofwalkError:
        description = ""
    return _message(row, description=description)


def listing_from_pb(request: pb.ListProvisioningsRequest) -> tuple[list[ProvisioningState], int]:
    """The states and the limit that are asked for. Raises `provisioning.bad_state` and
    `provisioning.bad_limit`."""
    known = {state.value for state in ProvisioningState}
    for state in request.states:
        if state not in known:
            raise invalid(
                "provisioning.bad_state",
                f"there is no state {state[:32]!r}",
                hint=f"states are {', '.join(sorted(known))}",
            )
    if not 0 <= request.limit <= MAX_LISTED:
        raise invalid("provisioning.bad_limit", f"limit is 1 to {MAX_LISTED}, not {request.limit}")
    return list(map(ProvisioningState, request.states)), request.limit or USUALLY_LISTED


def _message(row: ProvisioningRow, *, description: str) -> pb.Provisioning:
    return pb.Provisioning(
        provisioning_id=row.id,
        request_id=row.request_id,
        state=row.state.value,
        description=description,
        resources=[pb.Resource(**item) for item in row.resources],
        error_code=row.error_code,
        error_message=row.error_message,
        created_at=moment_to_pb(row.created_at),
        seconds=row.seconds,
        expires_at=None if row.expires_at is None else moment_to_pb(row.expires_at),
        price=None if row.price is None else _price(row.price),
    )


def _price(price: Appraisal) -> pb.Price:
    amounts = [one for one in (price.per_hour, price.at_once) if one is not None]
    return pb.Price(
        currency=amounts[0].currency if amounts else "",
        per_hour=0.0 if price.per_hour is None else float(price.per_hour.units),
        at_once=0.0 if price.at_once is None else float(price.at_once.units),
        unpriced=price.unpriced,
    )
