"""Every word of the kernel has its counterpart in the contract, and every word of the
contract is the kernel's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from proofwalk.api.common.v1 import common_pb2 as pb
from proofwalk.chassis.rpc import vocabulary
from proofwalk.chassis.rpc.vocabulary import OUTCOMES, Words
from proofwalk.kernel import outcomes
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.evidence import AuditEvent, Citation
from proofwalk.kernel.leases import LeaseRef
from proofwalk.kernel.outcomes import Finding, FindingKind, OutcomeKind

TABLES: dict[str, tuple[type[StrEnum], Words[Any, Any]]] = {
    "Outcome": (outcomes.OutcomeKind, vocabulary.OUTCOMES),
    "EnvironmentCause": (outcomes.EnvCause, vocabulary.CAUSES),
    "Evidence": (outcomes.Evidence, vocabulary.EVIDENCE),
    "Goal": (outcomes.Goal, vocabulary.GOALS),
    "Blame": (outcomes.Blame, vocabulary.BLAMES),
    "Decision": (outcomes.Decision, vocabulary.DECISIONS),
    "FindingKind": (outcomes.FindingKind, vocabulary.FINDING_KINDS),
    "SubStepStatus": (outcomes.SubStepStatus, vocabulary.SUB_STEP_STATUSES),
}


def test_every_enum_of_the_contract_has_its_table() -> None:
    assert set(pb.DESCRIPTOR.enum_types_by_name) == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_words_go_over_and_come_back_each_as_itself(name: str) -> None:
    kernel, words = TABLES[name]
    values = pb.DESCRIPTOR.enum_types_by_name[name].values
    told = [words.from_pb(value.number) for value in values]
    assert told[0] is None
    assert set(told[1:]) == set(kernel), "a word without a counterpart"
    for value, word in zip(values, told, strict=True):
        assert words.to_pb(word) == value.number
        assert word is None or (
            value.name.endswith(f"_{word.name}") and words.spelt(word.value) is word
        )


def test_a_word_of_a_later_release_is_refused_and_so_is_none_where_one_has_to_be() -> None:
    for read, value in ((OUTCOMES.from_pb, 99), (OUTCOMES.require, 99), (OUTCOMES.require, 0)):
        with pytest.raises(ProofwalkError) as caught:
            read(value)  # type: ignore[arg-type]
        assert caught.value.code == "rpc.unknown_word"
    assert OUTCOMES.spelt("lost") is None


def test_a_word_of_the_kernel_alone_is_found_when_the_table_is_made() -> None:
    class Two(StrEnum):
        VERIFIED = "verified"
        LOST = "lost"

    with pytest.raises(ValueError, match="OUTCOME_LOST"):
        Words(Two, pb.Outcome)
    words: Words[OutcomeKind, pb.Outcome] = Words(OutcomeKind, pb.Outcome)
    assert words.require(pb.OUTCOME_VERIFIED) is OutcomeKind.VERIFIED


def test_records_come_back_as_they_were() -> None:
    event = AuditEvent(
        id="evt-1",
        time=datetime(2026, 11, 1, 10, 0, 5, 250_000, tzinfo=UTC),
        service="Ecs",
        name="StopInstance",
        kind="ApiCall",
        write=True,
        ok=False,
        error_code="Denied",
        actor="proofwalk",
        request={"InstanceId": "i-1", "名": ["ü"]},
        resources=("i-1",),
    )
    sent = vocabulary.event_to_pb(event, expectation="stopped")
    assert (vocabulary.event_from_pb(sent), sent.expectation) == (event, "stopped")
    lease = LeaseRef(lease_id="lease_1", epoch=3, target="devcloud")
    assert vocabulary.lease_from_pb(vocabulary.lease_to_pb(lease)) == lease
    finding = Finding(
        file="a.md",
        line=3,
        sentence="Click Stop.",
        kind=FindingKind.MOVED,
        message="there",
        candidates=("Stop",),
        asked="Stop",
        offered="Pumps > Stop",
        place="Pumps",
        way=("Pumps", "Stop"),
    )
    assert vocabulary.finding_from_pb(vocabulary.finding_to_pb(finding)) == finding
    citation = Citation(source="page", quote="Stopped")
    assert vocabulary.citation_from_pb(vocabulary.citation_to_pb(citation)) == citation


@pytest.mark.parametrize("seconds", [-(2**63), -1, 2**38, 2**63 - 1])
def test_a_moment_of_no_calendar_is_refused(seconds: int) -> None:
    with pytest.raises(ProofwalkError) as caught:
        vocabulary.moment_from_pb(Timestamp(seconds=seconds))
    assert caught.value.code == "rpc.bad_time"


@pytest.mark.parametrize("seconds", [-(2**63), 2**38, 2**63 - 1])
def test_a_span_that_no_clock_measures_is_refused(seconds: int) -> None:
    with pytest.raises(ProofwalkError) as caught:
        vocabulary.span_from_pb(Duration(seconds=seconds))
    assert caught.value.code == "rpc.bad_time"
    assert vocabulary.span_from_pb(Duration(seconds=-1)) == timedelta(seconds=-1)
