"""What clients read of a verification is what the contract has."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.api.common.v1 import common_pb2
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.kernel.outcomes import FindingKind, LaterKind
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


def test_a_kind_of_a_later_release_is_read_as_one() -> None:
    body: bodies.FindingBody = {"kind": "moved", "line": 4, "sentence": "Click OK."}
    known = bodies.finding_of(body, document="a.md")
    later = bodies.finding_of({**body, "kind": "blurred"}, document="a.md")
    assert (known.kind, later.kind) == (FindingKind.MOVED, LaterKind("blurred"))
    assert (later.file, later.line, later.sentence) == ("a.md", 4, "Click OK.")
