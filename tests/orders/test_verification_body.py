"""What clients read of a verification is what the contract has."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.api.common.v1 import common_pb2
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.orders import verification as bodies


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (bodies.VerificationBody, pb.Verification),
        (bodies.ProgressBody, pb.Progress),
        (bodies.EpisodeBody, pb.Episode),
        (bodies.VerdictBody, pb.Verdict),
        (bodies.SightingBody, pb.FindingSighting),
        (bodies.SubstepBody, pb.SubStepResult),
        (bodies.FindingBody, common_pb2.Finding),
    ],
)
def test_each_member_is_a_field_of_the_contract(body: Any, message: Any) -> None:
    fields = {field.name for field in message.DESCRIPTOR.fields}
    assert set(body.__annotations__) <= fields
