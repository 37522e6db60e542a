"""A rule for a document that has none, from walks of it.

Each document is walked twice at least:

1. under a rule that nothing meets, so that the judge reads the whole window and keeps
   it. The walk's changes propose a rule (`authoring.rule_proposal`), which is proven on
   the spot (`authoring.rule_proof`);
2. under the proposed rule. A walk that it verifies is the proof that no recording can
   give: another run, with other ids and times, means the same. A walk that it denies
   narrows it once to what both walks have in common, and the third walk decides.

Whatever stands in the way has a code and says what to do; then there is no rule, and
nothing else depends on the document. Where to read next: `authoring.grounds`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.authoring.documents import text_about
from proofwalk.authoring.grounds import DocumentLines, Ground, Sources, lines_of
from proofwalk.authoring.opposites import Operations
from proofwalk.authoring.rule_proof import prove_rule
from proofwalk.authoring.rule_proposal import Proposal, RuleHead, agreed, propose
from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.experiments.platform import Platform
from proofwalk.kernel.account_pools import AUTHORING
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.ids import IdSource
from proofwalk.kernel.json_values import JsonObject, list_of, object_of
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import VerdictBody, VerificationBody
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.constants import Console, comparable
from proofwalk.suites.rules.sharpness import Judging

POLL_S = 0.5
_META_BYTES = 200_000
_REMARK = 200
_DENIED = "reward.denied"
_WORDS: Mapping[Ground, str] = {
    Ground.META: "META prepared it",
    Ground.EVENT: "an earlier change answered with it",
    Ground.DOCUMENT: "the document says it",
    Ground.DEFAULT: "the console sends it unasked",
    Ground.ASKED: "the document asks for a value and leaves it open",
}

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What is known of the console and its operations, and who judges."""

    console: Console
    operations: Operations
    judging: Judging
    delta_s: float


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a rule is made of, besides a walk."""

    rule_id: str
    document: DocumentLines
    meta_yaml: str

    def proposal(self, recording: Recording, knowledge: Knowledge) -> Proposal:
        """The rule that a walk proposes. Raises `author.*`."""
        sources = Sources(
            document=self.document,
            outputs=recording.outputs,
            meta=comparable(self.meta_yaml),
            binds=bound_by(self.meta_yaml),
            console=knowledge.console,
        )
        return propose(
            recording,
            sources,
            knowledge.operations,
            head=RuleHead(id=self.rule_id, delta_s=knowledge.delta_s),
            prepared=prepared_by(self.meta_yaml),
        )


@dataclass(frozen=True, kw_only=True)
class Authored:
    """A rule that was proposed and proven."""

    rule_yaml: str
    changes: tuple[str, ...]
    """Operations that it demands."""
    near_misses: int
    walks: int
    seconds: float


class Author:
    """Writes rules with a platform that walks."""

    def __init__(
        self, place: Platform, known: Knowledge, *, ids: IdSource, poll_s: float = POLL_S
    ) -> None:
        self._place = place
        self._knowledge = known
        self._ids = ids
        self._poll_s = poll_s

    async def rule_for(self, request: VerificationRequest, *, rule_id: str, say: Say) -> Authored:
        """The rule. Raises `author.*`, and what the platform refuses."""
        began = time.monotonic()
        if not request.document.text:
            raise invalid(
                "author.no_text",
                "a rule is made beside a document's text, and this one is an address",
                hint="save the page, and name the file",
            )
        material = await asyncio.to_thread(material_of, request, rule_id)
        say("walking it to see what it changes")
        first = await self._recorded(request, listening(self._knowledge.delta_s))
        proposal = material.proposal(first, self._knowledge)
        recordings = [first]
        near_misses = self._refuse_unproven(proposal, recordings)
        say(f"walking it again under the rule of {_changes(proposal)}")
        verdict, second = await self._walked(request, proposal.text)
        if verdict["outcome"] != "verified":
            if verdict.get("code") != _DENIED or second is None:
                raise _not_walked(verdict)
            proposal = agreed(proposal, material.proposal(second, self._knowledge))
            recordings.append(second)
            near_misses = self._refuse_unproven(proposal, recordings)
            say("the rule was too narrow; walking it under what both walks have in common")
            verdict, _ = await self._walked(request, proposal.text)
            if verdict["outcome"] != "verified":
                raise _not_repeated(verdict)
        return Authored(
            rule_yaml=explained(proposal),
            changes=tuple(demand.event.name for demand in proposal.demands),
            near_misses=near_misses,
            walks=len(recordings) + 1,
            seconds=round(time.monotonic() - began, 1),
        )

    def _refuse_unproven(self, proposal: Proposal, recordings: list[Recording]) -> int:
        """The near misses that it denied. Raises `author.not_sharp`."""
        proof = prove_rule(proposal.text, recordings, self._knowledge.judging)
        if proof.problems:
            raise ProofwalkError(
                "author.not_sharp",
                f"the proposed rule does not hold: {'; '.join(proof.problems[:3])}",
                status=Status.FAILED_PRECONDITION,
                hint="write the rule by hand; docs/howto/rules.md has the language",
            )
        return proof.near_misses

    async def _recorded(self, request: VerificationRequest, rule: str) -> Recording:
        """What a walk to the end left. Raises `author.not_walked`."""
        verdict, recording = await self._walked(request, rule)
        if verdict.get("code") != _DENIED or recording is None:
            raise _not_walked(verdict)
        return recording

    async def _walked(
        self, request: VerificationRequest, rule: str
    ) -> tuple[VerdictBody, Recording | None]:
        changes = {"rule": rule, "attempts": 1, "account_purpose": AUTHORING}
        asked = request.model_copy(update=changes)
        verification = await self._place.client.create(asked, key=self._ids.new("author"))
        while verification["state"] != "finished":
            await asyncio.sleep(self._poll_s)
            verification = await self._place.client.get(verification["verification_id"])
        return verification["verdict"], await self._recording(verification)

    async def _recording(self, verification: VerificationBody) -> Recording | None:
        episodes = verification["episodes"]
        return await self._place.recording(episodes[-1]["episode_id"]) if episodes else None


def material_of(request: VerificationRequest, rule_id: str) -> Material:
    """Of the procedure that is asked for. Raises `document.*`."""
    source = request.document
    text = text_about(
        source.text,
        name=source.name,
        media_type=source.media_type,
        procedure_id=request.procedure_id,
    )
    return Material(rule_id=rule_id, document=lines_of(text), meta_yaml=request.meta)


def listening(delta_s: float) -> str:
    """A rule that nothing meets, under which the judge reads and keeps the window."""
    return (
        f"id: author-listening\nversion: 1\ndelta_s: {delta_s}\n"
        "all:\n- {event: proofwalk-author-listens}\n"
    )


def prepared_by(meta_yaml: str) -> tuple[str, ...]:
    """The types of resources that META says it makes."""
    attributes = object_of(_members(meta_yaml).get("attributes"))
    return tuple(
        str(one.get("type", "")) if isinstance(one, Mapping) else str(one)
        for one in list_of(attributes.get("resources"))
    )


def bound_by(meta_yaml: str) -> frozenset[str]:
    """The values that META has the document's phrases stand for, in lower case, but for
    those that it makes up for each walk."""
    binds = object_of(_members(meta_yaml).get("binds"))
    return frozenset(one.lower() for value in binds.values() if "${" not in (one := str(value)))


def _members(meta_yaml: str) -> JsonObject:
    try:
        record: Any = read_yaml(meta_yaml, YamlBounds(max_bytes=_META_BYTES))
    except YamlRefused:
        return {}
    return object_of(record)


def explained(proposal: Proposal) -> str:
    """The rule's file, with a line for every value that says where it is from."""
    lines = ["# Proposed from walks of the document by `proofwalk author`, and proven on them."]
    for demand in proposal.demands:
        lines.append(_remark(f"{demand.event.name}:"))
        for one in demand.values:
            told = "" if one.op == "exists" else f" {one.op} {one.value}"
            lines.append(_remark(f"  {one.path}{told}: {_WORDS[one.ground]}"))
        if demand.open:
            lines.append(_remark(f"  left open, since nothing says it: {', '.join(demand.open)}"))
    return "\n".join([*lines, proposal.text])


def _remark(text: str) -> str:
    """A comment of one line: what a log wrote ends no comment."""
    plain = "".join(mark if mark.isprintable() else " " for mark in text)
    return f"# {plain if len(plain) <= _REMARK else plain[: _REMARK - 1] + '…'}"


def _changes(proposal: Proposal) -> str:
    return ", ".join(demand.event.name for demand in proposal.demands)


def _not_walked(verdict: VerdictBody) -> ProofwalkError:
    return ProofwalkError(
        "author.not_walked",
        f"the walk ended as {verdict['outcome']}: {verdict.get('reason', '')}",
        status=Status.FAILED_PRECONDITION,
        hint=(
            "a rule is made of a walk to the end: mend the document, give META for what it"
            " needs, or name another --policy"
        ),
    )


def _not_repeated(verdict: VerdictBody) -> ProofwalkError:
    return ProofwalkError(
        "author.not_repeated",
        "a further walk does not do what the two before have in common:"
        f" {verdict.get('reason', '')}",
        status=Status.FAILED_PRECONDITION,
        hint="write the rule by hand; the document can be done in more than one way",
    )
