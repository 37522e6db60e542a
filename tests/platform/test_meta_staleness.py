"""A kept record's life in the embedded cloud, with real Terraform over gRPC: written,
proven, refused once its specification is retired, written anew, proven again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.author import world_of_devcloud
from proofwalk.cli.meta_check import Bench, documents_of
from proofwalk.experiments.meta_authoring import MetaAuthor
from proofwalk.experiments.meta_checking import Check, End
from proofwalk.experiments.meta_judging import MetaJudge
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import TARGET, TARGET_KIND
from proofwalk.platform.metas import MetaPlatform, record_of
from tests.resource_provisioner.test_role import EXAMPLES, Site
from tests.terraform.world import world as one_cloud

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(300)]
DOCUMENT = EXAMPLES / "10-ecs-restart-instance.md"
TYPE = re.compile(r"ecs\.[a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9]+")


@pytest.fixture
async def site(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[Site]:
    async with one_cloud(tmp_path) as cloud:
        made = Site(process_settings, cloud, tmp_path)
        async with made.process:
            yield made


class Life:
    """The document's record in one installation."""

    def __init__(self, site: Site, documents: Any) -> None:
        self.site = site
        self.documents = documents
        self.platform = MetaPlatform(site.process)
        self.bench = Bench(self.platform, site.process, target=TARGET)

    async def author(self) -> pb.Meta:
        prover = MetaProver(self.site.process, target=TARGET, ids=RandomIds(SystemClock()))
        judge = MetaJudge(self.site.process, target=TARGET)
        author = MetaAuthor(world_of_devcloud(), prover, judge=judge)
        (request,) = self.documents.values()
        made = await author.record_for(request, meta_id="restart")
        text = request.document.text
        record = record_of(made, document=text, writer="catalogue", target_kind=TARGET_KIND)
        return await self.platform.put(record)

    async def fault(self, **plan: Any) -> None:
        path = f"/admin/accounts/{self.site.cloud.account.external_id}/faults"
        reply = await self.site.cloud.http.post(path, json=plan)
        assert reply.status_code == 200, reply.text

    async def check(self, *, share: float = 0, mends: bool = False) -> Check:
        documents = self.documents if mends else {}
        (check,) = await self.bench.run(
            await self.platform.newest(), share=share, documents=documents, named=False
        )
        assert list(await self.site.cloud.inventory()) == []
        return check


async def test_a_record_is_proven_stale_mended_and_proven_again(site: Site) -> None:
    life = Life(site, await documents_of([str(DOCUMENT)]))
    first = await life.author()
    assert (first.version, first.state, first.lineage.run[:5]) == (1, "proven", "prov_")
    assert (await life.check()).end is End.PLANNED

    await life.fault(throttled=1.0, in_a_row=1000)
    assert (await life.check(share=1)).end is End.UNCHECKED
    assert (await life.platform.get(first.id, 1)).state == "proven"

    match = TYPE.search(first.yaml)
    assert match is not None
    await life.fault(retired=[match[0]])
    stale = await life.check(share=1)
    assert (stale.end, stale.record.state, stale.record.version) == (End.STALE, "stale", 1)
    assert "InvalidInstanceType.ValueNotSupported" in stale.record.state_reason
    assert (stale.record.lineage.writer, stale.record.target_kind) == ("catalogue", TARGET_KIND)

    mended = await life.check(mends=True)
    assert (mended.end, mended.record.id, mended.record.version) == (End.MENDED, first.id, 2)
    assert match[0] not in mended.record.yaml
    assert mended.record.lineage.run != first.lineage.run
    assert (await life.platform.get(first.id, 1)).state == "stale"

    again = await life.check(share=1)
    assert (again.end, again.record.version, again.record.state) == (End.PROVEN, 2, "proven")

    await life.fault(sold_out=[{"zone": "cn-hangzhou-h"}])
    sold_out = await life.check(share=1)
    assert (sold_out.end, sold_out.record.state_reason[:18]) == (End.STALE, "provision.no_stock")
    moved = await life.check(mends=True)
    assert (moved.end, moved.record.version) == (End.MENDED, 3)
    assert '"${var.region}-h"' not in moved.record.yaml
