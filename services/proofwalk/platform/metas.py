"""The META platform for whoever is no role: the resource provisioner's records, over
gRPC.

`keeping` finds the role that keeps records: the one that runs on this home, or at the
address that is set; else it is started here, alone, or with the two that making things
needs, the embedded cloud and the account pool. `on_its_own` starts the three on a home
that is thrown away.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.api.resource_provisioner.v1.resource_provisioner_pb2_grpc import (
    ResourceProvisionerStub,
)
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.rpc import Channels
from proofwalk.experiments.meta_authoring import AuthoredMeta
from proofwalk.kernel.errors import invalid
from proofwalk.kernel.needs import intent_of_procedure
from proofwalk.platform.installation import free_port, quiet
from proofwalk.platform.role_channels import role_answers, role_channels
from proofwalk.platform.roles import NAMES, choose
from proofwalk.platform.settings import Settings
from proofwalk.resource_provisioner.intents import as_for
from proofwalk.resource_provisioner.lineage import LONGEST, Purpose

KEEPING = ("resource_provisioner",)
MAKING = ("devcloud", "account_pool", "resource_provisioner")
CALL_S = 10.0


class MetaPlatform:
    """Records, read and written. Every call raises `meta.*`, `rpc.*`."""

    def __init__(self, channels: Channels) -> None:
        self._stub = ResourceProvisionerStub(channels.channel("resource_provisioner").grpc)

    async def newest(self) -> Sequence[pb.Meta]:
        """The newest version of each record."""
        answer: pb.ListMetasResponse = await self._stub.ListMetas(
            pb.ListMetasRequest(), timeout=CALL_S
        )
        return answer.metas

    async def for_purpose(
        self, *, product: str, document_digest: str, intent: str
    ) -> Sequence[pb.Meta]:
        """Records for a purpose, the best first."""
        request = pb.FindMetaRequest(
            product=product, document_digest=document_digest, intent=intent
        )
        answer: pb.FindMetaResponse = await self._stub.FindMeta(request, timeout=CALL_S)
        return answer.metas

    async def get(self, record_id: str, version: int = 0) -> pb.Meta:
        """A version; without one, that which is named by the id."""
        request = pb.GetMetaRequest(id=record_id, version=version)
        answer: pb.GetMetaResponse = await self._stub.GetMeta(request, timeout=CALL_S)
        return answer.meta

    async def put(self, record: pb.Meta) -> pb.Meta:
        """Store a record; as it is kept."""
        request = pb.PutMetaRequest(meta=record)
        answer: pb.PutMetaResponse = await self._stub.PutMeta(request, timeout=CALL_S)
        return answer.meta

    async def confirm(self, record: pb.Meta) -> pb.Meta:
        """Say that a record was seen to be in its state."""
        request = pb.ConfirmMetaRequest(id=record.id, version=record.version)
        answer: pb.ConfirmMetaResponse = await self._stub.ConfirmMeta(request, timeout=CALL_S)
        return answer.meta

    async def mark_stale(self, record: pb.Meta, *, target: str, run: str, reason: str) -> pb.Meta:
        """Say why a record no longer works, and on which target that was seen."""
        request = pb.MarkMetaRequest(
            id=record.id,
            version=record.version,
            state="stale",
            run=run,
            target=target,
            reason=reason,
        )
        answer: pb.MarkMetaResponse = await self._stub.MarkMeta(request, timeout=CALL_S)
        return answer.meta

    async def mark_proven(
        self, record: pb.Meta, *, target: str, run: str, provider_version: str
    ) -> pb.Meta:
        """Say what showed that a record works, and on which target."""
        request = pb.MarkMetaRequest(
            id=record.id,
            version=record.version,
            state="proven",
            run=run,
            provider_version=provider_version,
            target=target,
        )
        answer: pb.MarkMetaResponse = await self._stub.MarkMeta(request, timeout=CALL_S)
        return answer.meta


def record_of(made: AuthoredMeta, *, document: str, writer: str, target_kind: str) -> pb.Meta:
    """A record that was written for a document and proven, as it is kept: under an id
    of the document's and the procedure's own, so that another document's is never
    taken for it. `document` is the text that a verification sends."""
    purpose = Purpose(
        target_kind=target_kind,
        product=made.makes[-1].partition(".")[0] if made.makes else "",
        document_digest=hashlib.sha256(document.encode()).hexdigest(),
        intent=intent_of_procedure(made.procedure_id),
    )
    return pb.Meta(
        yaml=as_for(made.yaml, purpose),
        state="proven",
        **purpose.__dict__,
        lineage=pb.MetaLineage(
            writer=writer[: LONGEST["writer"]],
            run=made.run,
            provider_version=made.provider_version,
        ),
    )


@asynccontextmanager
async def keeping(settings: Settings, *, making: bool = False) -> AsyncIterator[Channels]:
    """The role that keeps records; `making`, also what it needs to make things.

    Raises `meta.not_by_rest` where only a gateway is known.
    """
    if settings.client.server and "resource_provisioner" not in settings.addresses:
        raise invalid(
            "meta.not_by_rest",
            "META records are kept by resource-provisioner, and a gateway does not lead there",
            hint='set PROOFWALK_ADDRESSES={"resource_provisioner": "HOST:PORT"}',
        )
    if "resource_provisioner" in settings.addresses or await role_answers(
        settings, "resource_provisioner"
    ):
        async with role_channels(settings) as running:
            yield running
        return
    async with _started(settings, MAKING if making else KEEPING) as process:
        yield process


@asynccontextmanager
async def on_its_own(settings: Settings) -> AsyncIterator[Channels]:
    """The same roles on the embedded cloud and a home of their own, which goes with
    them. Terraform's mirror is shared."""
    provisioner = settings.resource_provisioner
    cache = provisioner.cache or settings.home.absolute() / "terraform"
    with tempfile.TemporaryDirectory(prefix="proofwalk-meta-") as home:
        changes = {
            "home": Path(home),
            "addresses": {},
            "account_pool": settings.account_pool.model_copy(
                update={"rotate_after_lease": False, "proof_poll_s": 0.5}
            ),
            "resource_provisioner": provisioner.model_copy(update={"cache": cache}),
        }
        async with _started(settings.model_copy(update=changes), MAKING) as process:
            yield process


@asynccontextmanager
async def _started(settings: Settings, names: Sequence[str]) -> AsyncIterator[Process]:
    devcloud = settings.devcloud.model_copy(update={"port": free_port()})
    others = [name for name in NAMES if name not in names]
    chosen, roles = choose(
        "all", settings.model_copy(update={"devcloud": devcloud}), without=others
    )
    async with Process(chosen, roles, redaction=quiet(chosen)) as process:
        yield process
