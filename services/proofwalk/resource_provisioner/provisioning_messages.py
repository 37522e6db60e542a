"""A provisioning and its limits as the contract carries them: mapping only."""

from __future__ import annotations

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.cloud.steps.placeholders import filled
from proofwalk.resource_provisioner.assertions import variables
from proofwalk.resource_provisioner.domain import Appraisal
from proofwalk.resource_provisioner.limits import Limits
from proofwalk.resource_provisioner.meta import read_kept
from proofwalk.resource_provisioner.repository import ProvisioningRow


def limits_from_pb(limits: pb.Limits) -> Limits:
    """What a request lets its resources come to; unchecked."""
    return Limits(
        max_per_hour=limits.max_per_hour, max_at_once=limits.max_at_once, ttl_s=limits.ttl_s
    )


def provisioning_to_pb(row: ProvisioningRow) -> pb.Provisioning:
    """A row, with the record's binds filled in."""
    meta = read_kept(row.meta_yaml)
    return pb.Provisioning(
        provisioning_id=row.id,
        request_id=row.request_id,
        state=row.state.value,
        outputs=row.outputs,
        binds={
            phrase: filled(value, outputs=row.outputs, variables=variables(row))
            for phrase, value in meta.binds.items()
        },
        description=meta.description,
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
