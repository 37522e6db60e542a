"""The resource provisioner's contract over its parts: mapping only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerServicer,
)
from proofwalk.chassis.database import Database
from proofwalk.chassis.rpc.vocabulary import lease_from_pb
from proofwalk.cloud.ports import ResourceRef
from proofwalk.kernel.clock import Clock
from proofwalk.resource_provisioner import trial_usecases, usecases
from proofwalk.resource_provisioner.confined import MetaReader
from proofwalk.resource_provisioner.domain import Form
from proofwalk.resource_provisioner.lineage import Mark, Purpose, refuse_other_kind
from proofwalk.resource_provisioner.meta import read_kept, read_meta
from proofwalk.resource_provisioner.meta_messages import meta_of, row_of, state_of
from proofwalk.resource_provisioner.on_demand import OnDemand
from proofwalk.resource_provisioner.on_demand_messages import need_of
from proofwalk.resource_provisioner.planning import Planner
from proofwalk.resource_provisioner.provisioning import Provisioner
from proofwalk.resource_provisioner.provisioning_messages import (
    limits_from_pb,
    listing_from_pb,
    provisioning_in_list,
    provisioning_to_pb,
)
from proofwalk.resource_provisioner.trial_messages import limit_from_pb, trial_to_pb
from proofwalk.resource_provisioner.trying import Trials

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True, kw_only=True)
class RecordParts:
    """What reads META records, plans them, and tries them."""

    reader: MetaReader
    planner: Planner
    trials: Trials


class ResourceProvisionerApi(ResourceProvisionerServicer):
    """Serves the contract."""

    def __init__(
        self,
        provisioner: Provisioner,
        on_demand: OnDemand,
        *,
        records: RecordParts,
        db: Database,
        clock: Clock,
    ) -> None:
        self._provisioner = provisioner
        self._on_demand = on_demand
        self._metas = records.reader
        self._planner = records.planner
        self._trials = records.trials
        self._db = db
        self._clock = clock

    async def ValidateMeta(
        self, request: pb.ValidateMetaRequest, context: Context
    ) -> pb.ValidateMetaResponse:
        text = request.meta.yaml
        if not text and request.meta.id:
            text = (await usecases.get_meta(self._db, request.meta.id)).yaml
        digest = await self._metas.check(text)
        if request.target:
            await self._provisioner.refuse_unsupported(read_meta(text), request.target)
        return pb.ValidateMetaResponse(digest=digest, role=read_kept(text).role)

    async def PutMeta(self, request: pb.PutMetaRequest, context: Context) -> pb.PutMetaResponse:
        await self._metas.check(request.meta.yaml)
        row = row_of(request.meta, origin="file", now=self._clock.now())
        return pb.PutMetaResponse(meta=meta_of(await usecases.put_meta(self._db, row)))

    async def GetMeta(self, request: pb.GetMetaRequest, context: Context) -> pb.GetMetaResponse:
        row = await usecases.get_meta(self._db, request.id, request.version)
        return pb.GetMetaResponse(meta=meta_of(row))

    async def FindMeta(self, request: pb.FindMetaRequest, context: Context) -> pb.FindMetaResponse:
        purpose = Purpose(
            product=request.product,
            document_digest=request.document_digest,
            intent=request.intent,
            target_kind=self._kind(request.target),
        )
        rows = await usecases.find_metas(self._db, purpose)
        return pb.FindMetaResponse(metas=map(meta_of, rows))

    async def MarkMeta(self, request: pb.MarkMetaRequest, context: Context) -> pb.MarkMetaResponse:
        mark = Mark(
            state=state_of(request.state),
            run=request.run,
            provider_version=request.provider_version,
            target_kind=self._kind(request.target),
            reason=request.reason,
        )
        row = await usecases.mark_meta(
            self._db, request.id, request.version, mark, clock=self._clock
        )
        return pb.MarkMetaResponse(meta=meta_of(row))

    async def ConfirmMeta(
        self, request: pb.ConfirmMetaRequest, context: Context
    ) -> pb.ConfirmMetaResponse:
        row = await usecases.looked_at(self._db, request.id, request.version, clock=self._clock)
        return pb.ConfirmMetaResponse(meta=meta_of(row))

    async def PlanMeta(self, request: pb.PlanMetaRequest, context: Context) -> pb.PlanMetaResponse:
        refuse_other_kind(request.meta.target_kind, self._kind(request.target))
        planned = await self._planner.plan(
            request.meta.yaml, target=request.target, region=request.region
        )
        return pb.PlanMetaResponse(**planned.__dict__)

    async def TryMeta(self, request: pb.TryMetaRequest, context: Context) -> pb.TryMetaResponse:
        trial = await self._trials.ask(
            request.id, request.version, target=request.target, asked_by=request.asked_by
        )
        return pb.TryMetaResponse(trial=trial_to_pb(trial))

    async def ListTrials(
        self, request: pb.ListTrialsRequest, context: Context
    ) -> pb.ListTrialsResponse:
        limit = limit_from_pb(request.limit)
        rows = await trial_usecases.of_record(self._db, request.id, limit=limit)
        return pb.ListTrialsResponse(trials=map(trial_to_pb, rows))

    def _kind(self, target: str) -> str:
        """Of a target; empty for none. Raises `target.*`."""
        return self._provisioner.target_kind(target) if target else ""

    async def ListMetas(
        self, request: pb.ListMetasRequest, context: Context
    ) -> pb.ListMetasResponse:
        return pb.ListMetasResponse(metas=map(meta_of, await usecases.list_metas(self._db)))

    async def Provision(
        self, request: pb.ProvisionRequest, context: Context
    ) -> pb.ProvisionResponse:
        text = request.meta.yaml
        if request.WhichOneof("source") == "meta_id":
            text = (await usecases.get_meta(self._db, request.meta_id)).yaml
        await self._metas.check(text)
        row = await self._provisioner.provision(
            request_id=request.request_id,
            lease=lease_from_pb(request.lease),
            form=Form(yaml=text),
            region=request.region,
            limits=limits_from_pb(request.limits),
        )
        provider_version = await self._provisioner.provider_version(row.target)
        return pb.ProvisionResponse(
            provisioning=provisioning_to_pb(row), provider_version=provider_version
        )

    async def ProvisionOnDemand(
        self, request: pb.ProvisionOnDemandRequest, context: Context
    ) -> pb.ProvisionOnDemandResponse:
        met = await self._on_demand.meet(
            need_of(request),
            request_id=request.request_id,
            lease=lease_from_pb(request.lease),
            region=request.region,
            limits=limits_from_pb(request.limits),
        )
        report = met.report
        record = None if met.record is None else meta_of(met.record)
        if record is not None:
            record.ClearField("yaml")
        return pb.ProvisionOnDemandResponse(
            provisioning=provisioning_to_pb(met.row),
            report=report.text,
            rounds=met.rounds,
            made=[pb.Resource(**one.__dict__) for one in report.resources],
            record=record,
        )

    async def Destroy(self, request: pb.DestroyRequest, context: Context) -> pb.DestroyResponse:
        row = await self._provisioner.destroy(request.provisioning_id)
        return pb.DestroyResponse(destroyed=[pb.Resource(**item) for item in row.resources])

    async def Sweep(self, request: pb.SweepRequest, context: Context) -> pb.SweepResponse:
        leftovers = [
            ResourceRef(
                product=item.product, type=item.type, id=item.id, region=item.region, name=item.name
            )
            for item in request.resources
        ]
        swept = await self._provisioner.sweep(lease_from_pb(request.lease), leftovers)
        return pb.SweepResponse(
            swept=[
                pb.Resource(
                    product=item.product,
                    type=item.type,
                    id=item.id,
                    name=item.name,
                    region=item.region,
                )
                for item in swept
            ]
        )

    async def GetProvisioning(
        self, request: pb.GetProvisioningRequest, context: Context
    ) -> pb.GetProvisioningResponse:
        row = await usecases.get(
            self._db, provisioning_id=request.provisioning_id, request_id=request.request_id
        )
        return pb.GetProvisioningResponse(provisioning=provisioning_to_pb(row))

    async def ListProvisionings(
        self, request: pb.ListProvisioningsRequest, context: Context
    ) -> pb.ListProvisioningsResponse:
        states, limit = listing_from_pb(request)
        rows = await usecases.newest(
            self._db, states=states, provisioning_id=request.provisioning_id, limit=limit
        )
        return pb.ListProvisioningsResponse(provisionings=map(provisioning_in_list, rows))
