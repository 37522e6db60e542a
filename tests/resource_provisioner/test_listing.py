"""Provisionings as people see them: which, in what order, and without what their
templates told."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.api.resource_provisioner.v1 import resource_provisioner_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.resource_provisioner import usecases
from proofwalk.resource_provisioner.provisioning_messages import provisioning_in_list
from tests.fixtures.releases import insert, upgraded
from tests.resource_provisioner.conftest import Stage
from tests.resource_provisioner.test_old_rows import PACKAGE, ROW


async def _listed(stage: Stage, **members: Any) -> list[pb.Provisioning]:
    request = pb.ListProvisioningsRequest(**members)
    answer: pb.ListProvisioningsResponse = await stage.call("ListProvisionings", request)
    return list(answer.provisionings)


async def test_provisionings_are_listed_newest_first_without_what_templates_told(
    stage: Stage,
) -> None:
    first, second = await stage.provision("r1"), await stage.provision("r2")
    await stage.call("Destroy", pb.DestroyRequest(provisioning_id=first.provisioning_id))
    newest, oldest = await _listed(stage)
    assert [newest.request_id, oldest.request_id] == ["r2", "r1"]
    assert second.outputs
    assert (second.state, oldest.state) == ("ready", "destroyed")
    second.ClearField("outputs")
    second.ClearField("binds")
    assert newest == second
    assert await _listed(stage, limit=1) == [newest]
    assert await _listed(stage, states=["destroyed", "leaked"]) == [oldest]
    assert await _listed(stage, provisioning_id=first.provisioning_id) == [oldest]
    assert await _listed(stage, provisioning_id="prov_none") == []


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"states": ["ready", "gone"]}, "provisioning.bad_state"),
        ({"limit": 201}, "provisioning.bad_limit"),
        ({"limit": -1}, "provisioning.bad_limit"),
    ],
)
async def test_a_listing_of_nonsense_is_refused(
    stage: Stage, members: dict[str, Any], code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await _listed(stage, **members)
    assert caught.value.code == code


async def test_a_record_that_is_no_longer_read_does_not_end_the_list(database: Database) -> None:
    await upgraded(database, PACKAGE, "head")
    row = {**ROW, "meta_yaml": "[]", "error_code": "provision.quota"}
    await insert(database, "resource_provisioner_provisionings", row)
    (kept,) = await usecases.newest(database, states=[], limit=1)
    told = provisioning_in_list(kept)
    assert (told.provisioning_id, told.description) == ("prov_1", "")
