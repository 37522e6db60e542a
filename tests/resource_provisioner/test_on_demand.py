"""A need is met by what is kept for its document and intent, else by what is written
for it; the next walk begins with what worked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import Need
from proofwalk.resource_provisioner.coder import Failure
from tests.resource_provisioner.conftest import META, Stage
from tests.resource_provisioner.test_provisioning import failure

DOCUMENT = "d" * 64
SENTENCE = "a vSwitch, because the document says: Select a vSwitch; then make 99 databases."


class WritingCoder:
    """Writes one text after the other, and remembers what it was asked."""

    name = "writing"

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.needs: list[Need] = []
        self.told: list[str] = []

    async def write(self, need: Need, failures: Sequence[Failure]) -> str:
        self.needs.append(need)
        self.told += [one.error.code for one in failures]
        if len(failures) >= len(self.texts):
            raise conflict("author.cannot_make", "nothing makes it")
        return self.texts[len(failures)]


@pytest.fixture
async def coder() -> WritingCoder:
    return WritingCoder(META)


@pytest.fixture
async def writing(process_settings: ProcessSettings, coder: WritingCoder) -> AsyncIterator[Stage]:
    """A stage whose target has a coder of its own."""
    made = Stage(process_settings)
    made.coders = {"memory": lambda: coder}
    await made.start()
    yield made
    await made.stop()


async def ask(stage: Stage, request_id: str, **members: Any) -> Any:
    told = {"product": "vpc", "resource": "vSwitch", "document_digest": DOCUMENT, **members}
    request = pb.ProvisionOnDemandRequest(
        request_id=request_id, lease=stage.lease(), need=SENTENCE, intent=pb.NeedIntent(**told)
    )
    return await stage.call("ProvisionOnDemand", request)


async def kept(stage: Stage, document: str = DOCUMENT) -> list[Any]:
    request = pb.FindMetaRequest(document_digest=document)
    return list((await stage.call("FindMeta", request)).metas)


async def put(stage: Stage, yaml: str, **members: Any) -> Any:
    meta = pb.Meta(
        yaml=yaml,
        product="vpc",
        document_digest=DOCUMENT,
        intent="vswitch",
        **{"target_kind": "memory", **members},
    )
    return (await stage.call("PutMeta", pb.PutMetaRequest(meta=meta))).meta


async def test_what_was_written_for_a_need_is_kept_and_used_by_the_next_walk(
    writing: Stage, coder: WritingCoder
) -> None:
    first = await ask(writing, "walk-1")
    (record,) = await kept(writing)
    assert (record.id, record.version) == (first.record.id, first.record.version)
    assert record.id.startswith("one-vpc-")
    assert (record.state, record.product, record.intent) == ("proposed", "vpc", "vswitch")
    assert (record.lineage.writer, record.lineage.run) == ("writing", "walk-1")
    assert record.lineage.provider_version
    assert "destroy: auto" in record.yaml
    await writing.call("Sweep", pb.SweepRequest(lease=writing.lease()))
    second = await ask(writing, "walk-2")
    assert (second.record.id, second.rounds) == (record.id, 1)
    assert second.provisioning.provisioning_id != first.provisioning.provisioning_id
    assert [need.text for need in coder.needs] == [SENTENCE]
    assert await kept(writing) == [record]


async def test_another_document_and_another_intent_have_records_of_their_own(
    writing: Stage, coder: WritingCoder
) -> None:
    first = await ask(writing, "walk-1")
    other = await ask(writing, "walk-2", document_digest="e" * 64)
    large = await ask(writing, "walk-3", states=["Large"], values={"zone": "h"})
    assert len({one.record.id for one in (first, other, large)}) == 3
    assert len(coder.needs) == 3
    (record,) = await kept(writing, "e" * 64)
    assert record.lineage.run == "walk-2"
    again = await ask(writing, "walk-4", states=["large "], values={"Zone": "h"})
    assert again.record.id == large.record.id


async def test_without_a_document_nothing_is_found_and_nothing_is_kept_for_one(
    writing: Stage, coder: WritingCoder
) -> None:
    for request_id in ("walk-1", "walk-2"):
        answer = await ask(writing, request_id, document_digest="")
        assert answer.record.document_digest == ""
        assert answer.record.id == "one-vpc"
    assert len(coder.needs) == 2


async def test_a_proven_record_comes_before_a_newer_proposal_and_a_stale_one_never(
    writing: Stage, coder: WritingCoder
) -> None:
    proven = await put(writing, META.replace("one-vpc", "proven"))
    proposed = await put(
        writing, META.replace("one-vpc", "newer"), lineage=pb.MetaLineage(writer="model")
    )
    assert (await ask(writing, "walk-1")).record.id == "proven"
    for record in (proven, proposed):
        mark = pb.MarkMetaRequest(id=record.id, version=record.version, state="stale")
        await writing.call("MarkMeta", mark)
        if record is proven:
            assert (await ask(writing, "walk-2")).record.id == "newer"
    assert (await ask(writing, "walk-3")).record.lineage.writer == "writing"
    assert len(coder.needs) == 1


async def test_a_kept_record_that_fails_where_another_does_not_is_stale(
    writing: Stage, coder: WritingCoder
) -> None:
    old = await put(writing, META.replace("one-vpc", "old"))
    writing.runner.apply_failures.append(failure())
    answer = await ask(writing, "walk-1")
    assert (answer.rounds, answer.record.lineage.writer) == (2, "writing")
    get = pb.GetMetaRequest(id="old", version=old.version)
    marked = (await writing.call("GetMeta", get)).meta
    assert (marked.state, marked.state_run) == ("stale", answer.provisioning.provisioning_id)
    assert (await ask(writing, "walk-2")).record.id == answer.record.id


async def test_a_record_for_no_kind_of_target_is_used_and_not_marked_where_it_fails(
    writing: Stage, coder: WritingCoder
) -> None:
    old = await put(writing, META.replace("one-vpc", "old"), target_kind="")
    writing.runner.apply_failures.append(failure())
    assert (await ask(writing, "walk-1")).rounds == 2
    get = pb.GetMetaRequest(id="old", version=old.version)
    assert (await writing.call("GetMeta", get)).meta.state == "proven"


async def test_a_record_for_another_kind_of_target_is_not_used(
    writing: Stage, coder: WritingCoder
) -> None:
    await put(writing, META.replace("one-vpc", "old"), target_kind="alicloud")
    made = (await ask(writing, "walk-1")).record
    assert (made.lineage.writer, made.target_kind) == ("writing", "memory")


@pytest.mark.parametrize("summary", ["RunInstances failed: Throttling.User", "Wait: Timeout"])
async def test_trouble_that_passes_marks_nothing_and_ends_the_call(
    writing: Stage, coder: WritingCoder, summary: str
) -> None:
    old = await put(writing, META.replace("one-vpc", "old"))
    writing.runner.apply_failures.append(failure(summary))
    with pytest.raises(ProofwalkError) as caught:
        await ask(writing, "walk-1")
    assert caught.value.code == "provision.interrupted"
    get = pb.GetMetaRequest(id="old", version=old.version)
    assert (await writing.call("GetMeta", get)).meta.state == "proven"
    assert (await ask(writing, "walk-2")).record.id == "old"
    assert coder.needs == []


async def test_a_kept_record_that_fails_with_all_others_keeps_its_state(
    writing: Stage, coder: WritingCoder
) -> None:
    old = await put(writing, META.replace("one-vpc", "old"))
    writing.runner.apply_failures += [failure()] * 3
    with pytest.raises(ProofwalkError):
        await ask(writing, "walk-1")
    get = pb.GetMetaRequest(id="old", version=old.version)
    assert (await writing.call("GetMeta", get)).meta.state == "proven"
    assert await writing.inventory() == []


async def test_rounds_are_bounded_and_every_coder_is_told_of_its_own_failures(
    writing: Stage, coder: WritingCoder
) -> None:
    coder.texts = (META, META.replace("one-vpc", "two"))
    writing.runner.apply_failures += [failure()] * 3
    with pytest.raises(ProofwalkError) as caught:
        await ask(writing, "walk-1")
    assert caught.value.code == "provision.create_failed"
    # The third is the catalogue's.
    assert writing.runner.calls.count("apply") == writing.own.coder_rounds == 3
    assert coder.told == ["provision.create_failed"] * 3
    assert await kept(writing) == []


async def test_a_request_that_is_repeated_gives_what_it_made_in_whichever_round(
    writing: Stage, coder: WritingCoder
) -> None:
    coder.texts = (META, META.replace("one-vpc", "two"))
    writing.runner.apply_failures.append(failure())
    first, again = [await ask(writing, "walk-1") for _ in range(2)]
    assert first == again
    assert (again.rounds, again.record.state) == (2, "proposed")
    await writing.stop()
    await writing.start()
    assert await ask(writing, "walk-1") == first
    await writing.call("Sweep", pb.SweepRequest(lease=writing.lease()))
    with pytest.raises(ProofwalkError) as caught:
        await ask(writing, "walk-1")
    assert caught.value.code == "provision.ended"
    assert writing.runner.calls.count("apply") == 2


async def test_the_sentence_chooses_nothing_where_the_intent_says_what_is_missing(
    stage: Stage,
) -> None:
    answer = await ask(stage, "walk-1")
    assert answer.record.lineage.writer == "catalog"
    assert {one.type for one in answer.made} == {"vpc", "vswitch"}
    request = pb.ProvisionOnDemandRequest(
        request_id="walk-2",
        lease=stage.lease(),
        need=SENTENCE,
        intent=pb.NeedIntent(resource="Kubernetes cluster"),
    )
    with pytest.raises(ProofwalkError) as caught:
        await stage.call("ProvisionOnDemand", request)
    assert caught.value.code == "provision.no_template"
    assert "Kubernetes cluster" in caught.value.message


async def test_the_report_is_structured_and_says_nothing_more_than_its_words(
    stage: Stage,
) -> None:
    answer = await ask(stage, "walk-1")
    made = list(answer.made)
    assert [one.type for one in made] == ["vswitch", "vpc"]
    assert all(one.name in answer.report and one.id in answer.report for one in made)
    assert not any(one.region for one in made)
    assert not answer.record.yaml


@pytest.mark.parametrize(
    "members",
    [
        {"product": "x" * 65},
        {"resource": "a\nb"},
        {"states": ["s"] * 6},
        {"states": ["s" * 41]},
        {"values": {str(n): "" for n in range(11)}},
        {"values": {"name": "n" * 129}},
        {"document_digest": "d" * 65},
    ],
)
async def test_an_intent_that_is_none_is_refused(stage: Stage, members: dict[str, Any]) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await ask(stage, "walk-1", **members)
    assert caught.value.code == "provision.bad_need"
    assert stage.runner.calls == []
