"""META records over gRPC: stored with where they come from, found, marked."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.kernel.errors import ProofwalkError
from tests.resource_provisioner.conftest import META, Stage

WRITTEN = pb.MetaLineage(writer="catalogue-writer", run="run_1", provider_version="1.246.0")


async def put(stage: Stage, yaml: str = META, **members: Any) -> pb.Meta:
    request = pb.PutMetaRequest(meta=pb.Meta(yaml=yaml, **members))
    answer: pb.PutMetaResponse = await stage.call("PutMeta", request)
    return answer.meta


async def refusal(stage: Stage, name: str, request: Any) -> str:
    with pytest.raises(ProofwalkError) as caught:
        await stage.call(name, request)
    return caught.value.code


async def test_a_person_vouches_for_a_record_and_a_coder_proposes_one(stage: Stage) -> None:
    by_person = await put(stage)
    assert (by_person.state, by_person.lineage.writer, by_person.version) == ("proven", "person", 1)
    other = META.replace("A VPC with", "One VPC with")
    by_coder = await put(stage, other, lineage=WRITTEN, product="vpc", intent="vswitch")
    assert (by_coder.state, by_coder.version, by_coder.lineage) == ("proposed", 2, WRITTEN)
    assert by_coder.created_at.seconds == by_coder.state_at.seconds > 0
    both = (await stage.call("ListMetas", pb.ListMetasRequest())).metas
    assert list(both) == [by_coder]
    for version, wanted in ((0, by_coder), (1, by_person)):
        request = pb.GetMetaRequest(id="one-vpc", version=version)
        assert (await stage.call("GetMeta", request)).meta == wanted


async def test_a_proposal_is_found_marked_and_found_as_proven(stage: Stage) -> None:
    made = await put(stage, lineage=WRITTEN, product="vpc", document_digest="d1", intent="vswitch")
    find = pb.FindMetaRequest(document_digest="d1", intent="vswitch")
    assert list((await stage.call("FindMeta", find)).metas) == [made]
    mark = pb.MarkMetaRequest(
        id=made.id, version=1, state="proven", run="prov_1", provider_version="1.300.0"
    )
    marked = (await stage.call("MarkMeta", mark)).meta
    assert (marked.state, marked.state_run) == ("proven", "prov_1")
    assert marked.lineage == pb.MetaLineage(
        writer="catalogue-writer", run="run_1", provider_version="1.300.0"
    )
    assert list((await stage.call("FindMeta", find)).metas) == [marked]
    mark.state = "stale"
    await stage.call("MarkMeta", mark)
    assert not (await stage.call("FindMeta", find)).metas


async def test_wrong_calls_are_refused_with_a_code(stage: Stage) -> None:
    await put(stage)
    lineage = pb.MetaLineage(run="x" * 256)
    for name, request, code in [
        ("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META, state="stale")), "meta.bad_state"),
        ("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META, state="new")), "meta.bad_state"),
        ("PutMeta", pb.PutMetaRequest(meta=pb.Meta(yaml=META, lineage=lineage)), "meta.invalid"),
        ("GetMeta", pb.GetMetaRequest(id="none"), "meta.not_found"),
        ("GetMeta", pb.GetMetaRequest(id="one-vpc", version=2), "meta.not_found"),
        ("FindMeta", pb.FindMetaRequest(), "meta.no_purpose"),
        ("MarkMeta", pb.MarkMetaRequest(id="one-vpc", version=1), "meta.bad_state"),
        ("MarkMeta", pb.MarkMetaRequest(id="x", version=1, state="proven"), "meta.not_found"),
        (
            "MarkMeta",
            pb.MarkMetaRequest(id="one-vpc", version=1, state="proposed"),
            "meta.bad_transition",
        ),
    ]:
        assert await refusal(stage, name, request) == code


async def test_who_provisions_is_told_the_providers_version(stage: Stage) -> None:
    request = pb.ProvisionRequest(request_id="r1", lease=stage.lease(), meta=pb.Meta(yaml=META))
    assert (await stage.call("Provision", request)).provider_version


async def test_what_meets_a_need_is_the_catalogues_proposal(stage: Stage) -> None:
    need = "a vSwitch, because the document says: Select the vSwitch."
    request = pb.ProvisionOnDemandRequest(request_id="d1", lease=stage.lease(), need=need)
    await stage.call("ProvisionOnDemand", request)
    kept = (await stage.call("ListMetas", pb.ListMetasRequest())).metas[0]
    assert (kept.state, kept.lineage.writer, kept.lineage.run) == ("proposed", "catalog", "d1")
    assert kept.lineage.provider_version
