"""The resource provisioner over gRPC, behind `ports.Provisioner`: mapping only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import grpc

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as provisioner_pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.rpc.vocabulary import lease_to_pb, moment_from_pb
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.needs import MadeResource, Need, Report, intent_of_procedure
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.orders.order import Order
from proofwalk.rollout.ports import AccountLease, KeptMeta, LeftBehind, MetNeed, Provisioned

FIND_S = 2.0
"""A request waits for it at the door."""


class GrpcProvisioner:
    """The resource_provisioner role."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ResourceProvisionerStub(channel)

    async def validate(self, *, meta_yaml: str, meta_id: str, target: str) -> str:
        meta = provisioner_pb.Meta(id=meta_id, yaml=meta_yaml)
        reply = await self._stub.ValidateMeta(
            provisioner_pb.ValidateMetaRequest(meta=meta, target=target), timeout=60
        )
        return str(reply.role)

    async def kept_record(
        self, *, document_digest: str, procedure_id: str, target: str
    ) -> KeptMeta | None:
        request = provisioner_pb.FindMetaRequest(
            document_digest=document_digest,
            intent=intent_of_procedure(procedure_id),
            target=target,
        )
        # Proven ones come first, and a stale one is not told at all.
        best = next(iter((await self._stub.FindMeta(request, timeout=FIND_S)).metas), None)
        if best is None or best.state != "proven":
            return None
        try:
            role = await self.validate(meta_yaml=best.yaml, meta_id="", target=target)
        except ProofwalkError as error:
            if error.status is Status.INVALID_ARGUMENT:
                return None  # it was kept before the guard refused what it says
            raise
        return KeptMeta(yaml=best.yaml, role=role, name=f"{best.id}@{best.version}")

    async def provision(self, *, request_id: str, lease: AccountLease, order: Order) -> Provisioned:
        request = provisioner_pb.ProvisionRequest(
            request_id=request_id,
            lease=lease_to_pb(lease.ref),
            region=order.region,
            limits=_limits(order),
        )
        if order.meta_id:
            request.meta_id = order.meta_id
        else:
            request.meta.CopyFrom(provisioner_pb.Meta(yaml=order.meta))
        return _provisioned((await self._stub.Provision(request, timeout=600)).provisioning)

    async def provision_on_demand(
        self, *, request_id: str, lease: AccountLease, need: Need, order: Order
    ) -> MetNeed:
        request = provisioner_pb.ProvisionOnDemandRequest(
            request_id=request_id,
            lease=lease_to_pb(lease.ref),
            need=need.text,
            document_context=need.procedure,
            region=order.region,
            limits=_limits(order),
            intent=provisioner_pb.NeedIntent(
                product=need.product,
                resource=need.resource,
                states=need.states,
                values=need.values,
                document_digest=need.document_digest,
            ),
        )
        reply = await self._stub.ProvisionOnDemand(request, timeout=600)
        made = tuple(
            MadeResource(
                product=row.product, type=row.type, id=row.id, name=row.name, state=row.state
            )
            for row in reply.made
        )
        return MetNeed(
            provisioning_id=reply.provisioning.provisioning_id,
            report=Report(text=reply.report, resources=made),
            rounds=reply.rounds,
            meta_id=reply.record.id,
            meta_version=reply.record.version,
            expires_at=_expiry(reply.provisioning),
        )

    async def prove(self, meta_id: str, version: int, *, run: str, target: str) -> None:
        request = provisioner_pb.MarkMetaRequest(
            id=meta_id, version=version, state="proven", run=run, target=target
        )
        await self._stub.MarkMeta(request, timeout=10)

    async def refuse_ended(self, provisioning_id: str) -> None:
        request = provisioner_pb.GetProvisioningRequest(provisioning_id=provisioning_id)
        made = (await self._stub.GetProvisioning(request, timeout=10)).provisioning
        if made.state != "ready":
            raise ProofwalkError(
                made.error_code or "provision.ended",
                made.error_message or f"the provisioning is {made.state}",
                status=Status.FAILED_PRECONDITION,
                cause=EnvCause.PROVISION,
            )

    async def sweep(self, lease: AccountLease, leftovers: Sequence[LeftBehind]) -> int:
        resources = [
            provisioner_pb.Resource(
                product=left.product, type=left.type, id=left.id, region=left.region, name=left.name
            )
            for left in leftovers
        ]
        request = provisioner_pb.SweepRequest(lease=lease_to_pb(lease.ref), resources=resources)
        return len((await self._stub.Sweep(request, timeout=600)).swept)


def _provisioned(made: provisioner_pb.Provisioning) -> Provisioned:
    return Provisioned(
        provisioning_id=made.provisioning_id,
        description=made.description,
        outputs=dict(made.outputs),
        binds=dict(made.binds),
        resources=[
            " ".join(filter(None, [row.product, row.type, row.id, row.name, row.state]))
            for row in made.resources
        ],
        expires_at=_expiry(made),
        price=_price(made.price) if made.HasField("price") else "",
    )


def _expiry(made: provisioner_pb.Provisioning) -> datetime | None:
    return moment_from_pb(made.expires_at) if made.HasField("expires_at") else None


def _price(price: provisioner_pb.Price) -> str:
    """In words, for the verification's history."""
    told = (
        f"{price.per_hour:.2f} {price.currency} an hour, {price.at_once:.2f} at once"
        if price.currency
        else "nothing has a price"
    )
    return f"{told}; without a price: {', '.join(price.unpriced)}" if price.unpriced else told


def _limits(order: Order) -> provisioner_pb.Limits:
    return provisioner_pb.Limits(
        max_per_hour=order.max_price_per_hour,
        max_at_once=order.max_price_at_once,
        ttl_s=order.resources_ttl_s,
    )
