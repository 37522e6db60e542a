"""A run goes on with the members that an earlier release kept, whose words were
text."""

from __future__ import annotations

from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.message_factory import GetMessageClass

from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.trainer.kept_members import member_of

_FIELDS = {
    "OldFinding": (("line", 2, "INT32"), ("sentence", 3, "STRING"), ("kind", 4, "STRING")),
    "OldMember": (
        ("verification_id", 2, "STRING"),
        ("number", 3, "INT32"),
        ("outcome", 4, "STRING"),
        ("cause", 5, "STRING"),
        ("finding", 8, "MESSAGE"),
        ("evidence", 15, "STRING"),
    ),
}


def old_member(**values: object) -> bytes:
    """As the earlier release's contract writes it."""
    file = descriptor_pb2.FileDescriptorProto(name="old.proto", package="old", syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            type_ = getattr(descriptor_pb2.FieldDescriptorProto, f"TYPE_{kind}")
            label = descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL
            type_name = ".old.OldFinding" if kind == "MESSAGE" else None
            message.field.add(
                name=field, number=number, type=type_, label=label, type_name=type_name
            )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = GetMessageClass(pool.FindMessageTypeByName("old.OldMember"))(**values)
    return bytes(made.SerializeToString())


def test_words_that_were_text_are_read() -> None:
    finding = {"line": 3, "sentence": "Click **Stop**.", "kind": "wrong_outcome"}
    stored = old_member(
        verification_id="g.1", number=1, outcome="doc_defect", evidence="page", finding=finding
    )
    assert member_of(stored) == pb.GroupMember(
        verification_id="g.1",
        number=1,
        outcome="OUTCOME_DOC_DEFECT",
        evidence="EVIDENCE_PAGE",
        finding=common.Finding(
            line=3, sentence="Click **Stop**.", kind="FINDING_KIND_WRONG_OUTCOME"
        ),
    )
    failed = member_of(old_member(outcome="env_failure", cause="audit_late"))
    assert (failed.outcome, failed.cause) == (
        common.OUTCOME_ENV_FAILURE,
        common.ENVIRONMENT_CAUSE_AUDIT_LATE,
    )


def test_a_word_that_nobody_knows_stays_unspecified() -> None:
    assert member_of(old_member(verification_id="g.1", outcome="lost")) == pb.GroupMember(
        verification_id="g.1"
    )


def test_what_this_release_kept_comes_back_as_it_was() -> None:
    member = pb.GroupMember(
        outcome="OUTCOME_VERIFIED", evidence="EVIDENCE_AUDIT", policy_versions=["run@step-1"]
    )
    assert member_of(member.SerializeToString()) == member
