"""`proofwalk meta check` as a command, against the role that runs on the home."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.cli.meta_check import Bench, check_data, documents_of, exit_code, print_checks
from proofwalk.experiments.meta_checking import Check, End
from proofwalk.kernel.errors import ProofwalkError, conflict
from proofwalk.kernel.needs import intent_of_procedure
from proofwalk.platform.metas import MetaPlatform
from tests.cli.test_meta import Commands, a_file, meta
from tests.resource_provisioner.conftest import META
from tests.resource_provisioner.test_provisioning import failure

__all__ = ["meta"]
TARGET = ("--target", "memory")
DOCUMENT = "# Stop it\n\n## Stop\n\n1. Click **Stop**.\n\n## Start\n\n1. Click **Start**.\n"


async def proven(meta: Commands, folder: Path) -> None:
    """One record, proven on the target and so for its kind."""
    await meta("import", a_file(folder))
    await meta("test", "one-vpc", *TARGET)


async def test_records_are_planned_and_a_share_of_them_is_made(
    meta: Commands, tmp_path: Path
) -> None:
    await proven(meta, tmp_path)
    meta.stage.runner.calls.clear()
    (planned,) = await meta.read("check", *TARGET)
    assert (planned["end"], planned["state"], planned["makes"]) == ("planned", "proven", 2)
    assert meta.stage.runner.calls == ["plan"]
    before = (await meta.read("show", "one-vpc"))["state_run"]
    (made,) = await meta.read("check", "one-vpc", *TARGET, "--apply", 0.1)
    assert made["end"] == "proven"
    assert (await meta.read("show", "one-vpc"))["state_run"] != before
    assert await meta.stage.inventory() == []


async def test_a_refusal_marks_a_record_with_its_reason_and_it_is_told_from_then_on(
    meta: Commands, tmp_path: Path
) -> None:
    await proven(meta, tmp_path)
    meta.stage.runner.plan_failures.append(failure("the type is gone"))
    (stale,) = await meta.read("check", *TARGET, code=1)
    assert (stale["end"], stale["state"]) == ("stale", "stale")
    assert "the type is gone" in stale["reason"]
    calls = list(meta.stage.runner.calls)
    assert "the type is gone" in await meta("check", *TARGET, code=1)
    assert meta.stage.runner.calls == calls
    assert "state_reason: provision.create_failed" in await meta("show", "one-vpc")
    (again,) = await meta.read("check", "one-vpc", *TARGET, "--apply", 1)
    assert (again["end"], again["state"]) == ("proven", "proven")


async def test_trouble_and_other_kinds_mark_nothing(meta: Commands, tmp_path: Path) -> None:
    await proven(meta, tmp_path)
    meta.stage.runner.plan_failures.append(failure("CreateVpc failed: Throttling.User"))
    (throttled,) = await meta.read("check", *TARGET, code=3)
    assert (throttled["end"], throttled["state"]) == ("unchecked", "proven")
    assert throttled["error"]["code"] == "provision.interrupted"
    await meta("import", a_file(tmp_path, META.replace("one-vpc", "untied"), "untied.meta.yaml"))
    meta.stage.runner.plan_failures += [failure("gone"), failure("gone")]
    (untied,) = await meta.read("check", "untied", *TARGET, code=1)
    assert (untied["end"], untied["state"]) == ("refused", "proposed")
    far = pb.Meta(yaml=META.replace("one-vpc", "far"), target_kind="alicloud")
    await meta.stage.call("PutMeta", pb.PutMetaRequest(meta=far))
    (other,) = await meta.read("check", "far", *TARGET)
    assert (other["end"], other["state"]) == ("other", "proven")


async def test_a_stale_record_of_a_console_that_is_not_known_is_not_mended(
    meta: Commands, tmp_path: Path
) -> None:
    document = a_file(tmp_path, DOCUMENT, "stop.md")
    documents = await documents_of([str(document)])
    (digest, intent), *_ = documents
    record = pb.Meta(yaml=META, target_kind="memory", document_digest=digest, intent=intent)
    await meta.stage.call("PutMeta", pb.PutMetaRequest(meta=record))
    await meta.stage.call(
        "MarkMeta", pb.MarkMetaRequest(id="one-vpc", version=1, state="stale", target="memory")
    )
    assert meta.stage.process is not None
    platform = MetaPlatform(meta.stage.process)
    bench = Bench(platform, meta.stage.process, target="memory")
    (check,) = await bench.run(await platform.newest(), share=0, documents=documents, named=False)
    assert (check.end, check_data(check)["error"]) == (
        End.STALE,
        {
            "code": "author.unknown_console",
            "message": "of 'memory' it is not known what its things are made of",
        },
    )


async def test_each_procedure_of_a_document_is_one_to_mend_a_record_for(tmp_path: Path) -> None:
    document = a_file(tmp_path, DOCUMENT, "stop.md")
    found = await documents_of([str(document)])
    digest = hashlib.sha256(document.read_bytes()).hexdigest()
    assert {key[0] for key in found} == {digest}
    assert {one.procedure_id for one in found.values()} == {"stop-it/stop", "stop-it/start"}
    assert all(key[1] == intent_of_procedure(one.procedure_id) for key, one in found.items())
    with pytest.raises(ProofwalkError) as caught:
        await documents_of([str(tmp_path / "nowhere.md")])
    assert "cannot be read" in caught.value.message


def test_what_does_not_work_weighs_more_than_what_was_not_seen(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = pb.Meta(id="a", version=3, state_reason="it was retired")
    ends = {end: Check(record=record, end=end) for end in End}
    fine = [ends[End.PLANNED], ends[End.PROVEN], ends[End.MENDED], ends[End.OTHER]]
    assert exit_code(fine) == 0
    assert exit_code([*fine, ends[End.UNCHECKED]]) == 3
    for end in (End.STALE, End.REFUSED):
        assert exit_code([ends[End.UNCHECKED], ends[end]]) == 1
    print_checks([ends[End.STALE], Check(record=record, end=End.STALE, error=conflict("a.b", "c"))])
    told = capsys.readouterr().out
    assert "it was retired" in told
    assert "a.b: c" in told
