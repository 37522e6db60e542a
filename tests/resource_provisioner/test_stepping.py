"""META's steps through the role, over gRPC, at a console on the loopback, on SQLite and
PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.resource_provisioner.meta import read_meta
from tests.fixtures.library import META, PASSWORD, PROVISIONING, Library
from tests.resource_provisioner.conftest import Stage

TARGET = """\
id: library
title: A library
adapter: generic
console: {url: "http://127.0.0.1:1"}
options:
  accounts: accounts.yaml
"""
LOAN = "POST /api/loans"


class Site(Stage):
    """The role with the library as its target."""

    def __init__(self, settings: ProcessSettings, url: str) -> None:
        super().__init__(settings)
        targets = settings.home / "targets"
        (targets / "library.yaml").write_text(TARGET + PROVISIONING.replace("URL", url))
        (targets / "closed.yaml").write_text(TARGET.replace("id: library", "id: closed"))

    def lease(self, epoch: int = 1) -> common.LeaseRef:
        return common.LeaseRef(lease_id="lease_1", epoch=epoch, target="library")

    async def destroy(self, request_id: str = "r1") -> None:
        made = await self.get(request_id)
        request = pb.DestroyRequest(provisioning_id=made.provisioning_id, lease=self.lease())
        await self.call("Destroy", request)


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    made = Library()
    yield made
    made.go_on.set()


@pytest.fixture
async def site(
    process_settings: ProcessSettings,
    database_url: str,
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Site]:
    monkeypatch.setenv("LIBRARY_PASSWORD", PASSWORD)
    settings = process_settings.model_copy(update={"database_url": SecretStr(database_url)})
    async with HttpServer(library.app(), "127.0.0.1:0", grace_s=0.5) as server:
        made = Site(settings, server.url)
        made.environment = {"LIBRARY_PASSWORD": PASSWORD}
        await made.start()
        yield made
        library.go_on.set()
        await made.stop()


async def test_steps_are_made_told_and_taken_back(site: Site, library: Library) -> None:
    made = await site.provision(meta=META)

    (reader,) = library.readers
    assert reader.startswith("pw")
    assert (made.state, dict(made.outputs)) == ("ready", {"reader": reader, "loan": "41"})
    assert dict(made.binds) == {"the reader": reader, "the loan": "number 41"}
    assert site.runner.calls == []
    assert (await site.provision(meta=META)).provisioning_id == made.provisioning_id

    library.readers["made-by-the-walk"] = {}
    await site.destroy()
    await site.destroy()
    assert library.is_empty
    assert (await site.get()).state == "destroyed"
    assert library.changes.count("DELETE /api/loans/41") == 1


async def test_a_step_that_fails_is_told_and_what_was_made_before_is_gone(
    site: Site, library: Library
) -> None:
    library.refusals[LOAN] = 422

    with pytest.raises(ProofwalkError) as caught:
        await site.provision(meta=META)

    assert (caught.value.code, caught.value.status) == (
        "provision.step_failed",
        Status.FAILED_PRECONDITION,
    )
    assert "steps.1: POST /api/loans: HTTP 422" in caught.value.message
    assert PASSWORD not in str(caught.value)
    assert library.is_empty
    assert (await site.get()).state == "failed"


async def test_a_crash_in_the_first_step_is_taken_up_from_the_row(
    site: Site, library: Library
) -> None:
    prefixes: list[str] = []

    async def crashed() -> None:
        work = asyncio.create_task(site.provision(meta=META))
        await asyncio.wait_for(library.entered.wait(), 60)
        prefixes.extend(library.readers)
        await site.stop()
        with pytest.raises(ProofwalkError):
            await work

    library.lost = {"PUT"}
    await crashed()
    assert len(prefixes) == 1, "the first step was carried out, and its answer lost"
    library.lost.clear()
    library.go_on.set()
    await site.start()

    made = await site.provision(meta=META)

    assert (made.state, list(library.readers)) == ("ready", prefixes)
    await site.destroy()
    assert library.is_empty


async def test_a_crash_that_leaves_what_no_undo_can_name_is_told_as_leaked(
    site: Site, library: Library
) -> None:
    library.lost = {LOAN}
    work = asyncio.create_task(site.provision(meta=META))
    await asyncio.wait_for(library.entered.wait(), 60)
    await site.stop()
    with pytest.raises(ProofwalkError):
        await work
    library.lost.clear()
    library.go_on.set()
    await site.start()

    with pytest.raises(ProofwalkError) as caught:
        await site.provision(meta=META)

    assert caught.value.code == "provision.destroy_failed"
    assert "gave no loan" in caught.value.message
    assert (await site.get()).state == "leaked"
    assert (len(library.loans), len(library.readers)) == (1, 0)


async def test_a_creation_under_way_can_be_taken_back(site: Site, library: Library) -> None:
    library.lost = {"PUT"}
    work = asyncio.create_task(site.provision(meta=META))
    await asyncio.wait_for(library.entered.wait(), 60)

    await site.destroy()

    with pytest.raises(ProofwalkError):
        await work
    assert library.is_empty
    assert (await site.get()).state == "destroyed"


async def test_steps_are_taken_back_after_the_lease_unless_another_walk_stands_on_them(
    site: Site, library: Library
) -> None:
    await site.provision("r1", META)
    await site.provision("r2", META)
    site.pool.epoch = 2

    with pytest.raises(ProofwalkError) as caught:
        await site.destroy("r1")
    await site.destroy("r2")

    assert caught.value.code == "provision.destroy_failed"
    assert (await site.get("r2")).provisioning_id in caught.value.message
    assert [(await site.get(one)).state for one in ("r1", "r2")] == ["leaked", "destroyed"]
    assert len(library.loans) == 1
    await site.destroy("r1")
    assert library.is_empty


async def test_a_target_that_cannot_do_it_refuses_before_anything_is_begun(
    site: Site, library: Library
) -> None:
    command = META.replace("{http: DELETE, path: /api/readers/made-by-the-walk}", "{command: mop}")
    for target, meta, code, hint in (
        ("closed", META, "meta.steps_unsupported", "options: {provisioning: {url"),
        ("library", command, "meta.steps_undeclared", "commands: {mop: {argv: […]}}"),
    ):
        with pytest.raises(ProofwalkError) as caught:
            request = pb.ValidateMetaRequest(meta=pb.Meta(yaml=meta), target=target)
            await site.call("ValidateMeta", request)
        assert (caught.value.code, caught.value.status) == (code, Status.INVALID_ARGUMENT)
        assert hint in caught.value.hint
    with pytest.raises(ProofwalkError) as caught:
        await site.provision(meta=command)
    assert caught.value.code == "meta.steps_undeclared"
    assert library.requests == []
    answer = await site.call(
        "ValidateMeta", pb.ValidateMetaRequest(meta=pb.Meta(yaml=META), target="library")
    )
    assert (answer.digest, answer.role) == (read_meta(META).digest, "")
    named = pb.Meta(yaml=f"role: editor\n{META.lstrip()}")
    answer = await site.call("ValidateMeta", pb.ValidateMetaRequest(meta=named, target="library"))
    assert answer.role == "editor"


async def test_a_stored_record_is_looked_at_by_its_id(site: Site) -> None:
    await site.call("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META)))
    by_id = pb.Meta(id="a-loan")

    await site.call("ValidateMeta", pb.ValidateMetaRequest(meta=by_id, target="library"))
    with pytest.raises(ProofwalkError) as caught:
        await site.call("ValidateMeta", pb.ValidateMetaRequest(meta=by_id, target="closed"))

    assert caught.value.code == "meta.steps_unsupported"
