"""Members of groups as their run keeps them: the contract's message, in the form of
this release or an earlier one.

An earlier release had words as text under the numbers that have enums here. Protobuf
sets such fields aside as unknown, with their bytes; `member_of` reads the words from
there, so that a run goes on with what it has fetched. A word that nobody knows stays
unspecified, and `group_tasks.reward_of_member` refuses the member.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import CAUSES, EVIDENCE, FINDING_KINDS, OUTCOMES, Words

_TEXT = 2
"""Wire type of text; an enum's is 0."""
_OF_MEMBER: Mapping[int, tuple[str, Words[Any, Any]]] = {
    4: ("outcome", OUTCOMES),
    5: ("cause", CAUSES),
    15: ("evidence", EVIDENCE),
}
_OF_FINDING: Mapping[int, tuple[str, Words[Any, Any]]] = {4: ("kind", FINDING_KINDS)}


def member_of(stored: bytes) -> pb.GroupMember:
    """Raises `DecodeError` for what is no message."""
    member = pb.GroupMember.FromString(stored)
    _read_words(member, _OF_MEMBER)
    if member.HasField("finding"):
        _read_words(member.finding, _OF_FINDING)
    member.DiscardUnknownFields()  # with those of what it holds
    return member


def _read_words(message: Message, words: Mapping[int, tuple[str, Words[Any, Any]]]) -> None:
    for unknown in UnknownFieldSet(message):  # type: ignore[attr-defined]  # its stubs leave it out
        if unknown.wire_type == _TEXT and unknown.field_number in words:
            name, known = words[unknown.field_number]
            setattr(message, name, known.to_pb(known.spelt(unknown.data.decode(errors="replace"))))
