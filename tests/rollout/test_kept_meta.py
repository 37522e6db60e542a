"""A request without META gets the record that is kept for its document's procedure, and
whoever asks is told."""

from __future__ import annotations

import hashlib
import json

import pytest

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.cloud.roles import AccountRole, AccountRoles
from proofwalk.kernel.callers import ITSELF
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.needs import LONGEST_INTENT, intent_of_procedure
from proofwalk.rollout import usecases
from proofwalk.rollout.ports import KeptMeta
from tests.rollout.api import Api
from tests.rollout.setting import DOCUMENT

KEPT = KeptMeta(yaml="id: kept", role="editor", name="stop-0f0f@2")


def keep(api: Api, document: bytes = DOCUMENT, procedure: str = "procedure") -> None:
    digest = hashlib.sha256(document).hexdigest()
    api.setting.world.provisioner.records[(digest, procedure, "devcloud")] = KEPT


async def order_of(api: Api, verification_id: str = "ver_1") -> str:
    row, _ = await usecases.read_verification(api.setting.db, verification_id, caller=ITSELF)
    return row.order.meta


async def test_a_kept_record_is_made_for_a_request_that_brings_none_and_is_told(api: Api) -> None:
    api.setting.world.accounts.known = AccountRoles(
        roles=(AccountRole(name="viewer"), AccountRole(name="editor")), default="viewer"
    )
    plain = await api.create("ver_0")
    keep(api, procedure=plain.procedure_id)
    made = await api.create()
    assert (plain.kept_meta, made.kept_meta) == ("", "stop-0f0f@2")
    assert (made.signed_in_as.role, made.signed_in_as.asked_by) == ("editor", "meta")
    assert await order_of(api) == "id: kept"
    (queued,) = await api.watch("ver_1")
    assert json.loads(queued.data_json)["meta"] == "stop-0f0f@2"
    await api.setting.finish()
    events = [event.type for event in await api.watch("ver_1")]
    assert "resources_provisioned" in events


async def test_what_a_request_brings_and_what_a_group_is_are_not_looked_up(api: Api) -> None:
    plain = await api.create("ver_0")
    keep(api, procedure=plain.procedure_id)
    brought = await api.create("ver_1", meta_yaml="meta: 1")
    other = pb.DocumentSource(content=DOCUMENT + b"\n", name="stop.md")
    changed = await api.create("ver_2", document=other)
    assert (brought.kept_meta, changed.kept_meta) == ("", "")
    assert await order_of(api) == "meta: 1"
    assert await order_of(api, "ver_2") == ""
    task = pb.CreateVerificationRequest(
        principal="trainer:run",
        target="devcloud",
        document=pb.DocumentSource(content=DOCUMENT, name="stop.md"),
    )
    group = pb.RunGroupRequest(group_id="g.1", task=task, episodes=1)
    await api.stub.RunGroup(group, timeout=10)
    assert await order_of(api, "g.1.0") == ""


async def test_a_request_is_taken_in_while_the_keeper_of_records_is_away(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(**_: object) -> None:
        raise unavailable("rpc.unavailable", "the role is away")

    monkeypatch.setattr(api.setting.world.provisioner, "kept_record", away)
    made = await api.create()
    assert made.kept_meta == ""


@pytest.mark.parametrize(
    ("procedure_id", "begins"),
    [("stop", "Procedure stop"), ("停止", "Procedure 停止"), ("x" * 500, "Procedure xxx")],
)
def test_what_a_procedure_is_kept_for_fits_its_column(procedure_id: str, begins: str) -> None:
    line = intent_of_procedure(procedure_id)
    assert line.startswith(begins)
    assert len(line) <= LONGEST_INTENT
    assert line != intent_of_procedure(procedure_id + "y")
    assert line.isprintable()
    assert intent_of_procedure(procedure_id + "\n").isprintable()
