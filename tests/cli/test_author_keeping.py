"""`proofwalk author --keep`: what was written and proven lies where `verify` finds it,
beside the role that runs on the home."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
import yaml

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.cli.author import End, MetaWriting, exit_code
from proofwalk.experiments.meta_authoring import AuthoredMeta
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.orders.body import read_request
from proofwalk.platform.metas import MetaPlatform, record_of
from proofwalk.rollout.grpc_provisioner import GrpcProvisioner
from proofwalk.rollout.ports import KeptMeta
from tests.resource_provisioner.conftest import META, Stage

TEXT = "# Delete a vSwitch\n\n1. Click **Delete**.\n"
ASKED = read_request({"document": {"text": TEXT, "name": "delete.md"}, "target": "devcloud"})
MADE = AuthoredMeta(
    yaml=META,
    makes=("vpc.vpc", "vpc.vswitch"),
    rounds=2,
    seconds=3.5,
    procedure_id="delete-a-vswitch",
    run="prov_7",
    provider_version="1.246.0",
)


class Said(list[str]):
    """What was told."""

    def __call__(self, text: str) -> None:
        self.append(text)


def writing(platform: Any) -> MetaWriting:
    # The author has its tests: here it has written.
    return MetaWriting(author=None, writer="catalogue", platform=platform)  # type: ignore[arg-type]


class Installation:
    """A running role, kept in by the author and read from by the rollout."""

    def __init__(self, stage: Stage) -> None:
        assert stage.process is not None
        self.stage = stage
        self.platform = MetaPlatform(stage.process)
        self.provisioner = GrpcProvisioner(stage.process.channel("resource_provisioner").grpc)

    async def found(self, text: str = TEXT, procedure: str = MADE.procedure_id) -> KeptMeta | None:
        return await self.provisioner.kept_record(
            document_digest=hashlib.sha256(text.encode()).hexdigest(),
            procedure_id=procedure,
            target="devcloud",
        )


@pytest.fixture
async def installation(process_settings: ProcessSettings) -> AsyncIterator[Installation]:
    stage = Stage(process_settings)
    stage.environment = {"DEVCLOUD_URL": "http://127.0.0.1:1", "DEVCLOUD_ADMIN_TOKEN": "none"}
    await stage.start()
    yield Installation(stage)
    await stage.stop()


async def test_what_is_kept_is_proven_by_its_run_and_found_for_its_document_alone(
    installation: Installation,
) -> None:
    said = Said()
    assert await writing(installation.platform).keep(MADE, ASKED, said) is None
    (told,) = said
    (record,) = await installation.platform.newest()
    assert f"kept as {record.id}, version 1, proven" in told
    assert (record.product, record.intent) == ("vpc", "Procedure delete-a-vswitch")
    assert (record.lineage.writer, record.lineage.run) == ("catalogue", "prov_7")
    assert record.lineage.provider_version == "1.246.0"
    found = await installation.found()
    assert found is not None
    assert (found.name, yaml.safe_load(found.yaml)["id"]) == (f"{record.id}@1", record.id)
    assert await installation.found(TEXT + "\n") is None
    assert await installation.found(procedure="other") is None


async def test_the_same_twice_is_one_and_another_document_has_its_own(
    installation: Installation,
) -> None:
    for _ in range(2):
        await writing(installation.platform).keep(MADE, ASKED, Said())
    (record,) = await installation.platform.newest()
    assert record.version == 1
    await installation.platform.put(
        record_of(MADE, document="# Other\n", writer="model", target_kind="devcloud")
    )
    assert len(await installation.platform.newest()) == 2


@pytest.mark.parametrize("state", ["proposed", "stale"])
async def test_what_is_not_proven_is_not_found(installation: Installation, state: str) -> None:
    record = record_of(MADE, document=TEXT, writer="catalogue", target_kind="devcloud")
    if state == "proposed":
        record.state = state
    stored = await installation.platform.put(record)
    if state == "stale":
        mark = pb.MarkMetaRequest(id=stored.id, version=stored.version, state=state)
        await installation.stage.call("MarkMeta", mark)
    assert await installation.found() is None


async def test_a_failure_to_keep_is_told_and_ends_nothing() -> None:
    class Away:
        async def put(self, record: pb.Meta) -> pb.Meta:
            raise unavailable("rpc.unavailable", "nobody answers")

    said = Said()
    error = await writing(Away()).keep(MADE, ASKED, said)
    assert isinstance(error, ProofwalkError)
    assert "rpc.unavailable" in said[0]
    assert exit_code([End(document="a.md", unkept=error)]) == 1


async def test_nothing_is_kept_where_nobody_asks_for_it() -> None:
    said = Said()
    assert await writing(None).keep(MADE, ASKED, said) is None
    assert said == []
