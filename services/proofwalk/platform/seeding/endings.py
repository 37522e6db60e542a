"""What a planned walk left behind, by how it comes out: the facts that the rollout role
judges. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from proofwalk.kernel.evidence import API_CALL, AuditEvent, CitedEvent
from proofwalk.kernel.outcomes import Decision, EnvCause
from proofwalk.platform.seeding.documents import SampleDocument
from proofwalk.platform.seeding.history import Ending, Failure, PlannedWalk
from proofwalk.rollout.facts import WalkedSubStep, WalkEnding, WalkFacts
from proofwalk.rollout.ports import Reward

SUBSTEP_S = 4
"""Seconds from one sub-step to the next."""
_RULE = """\
# Sample: a rule of the made-up history.
expect:
  - event: {operation}
    service: {product}
"""
_GAVE_UP = ("walk.action_failures", "the same action failed three times")
_ENVIRONMENT = {
    Failure.SANDBOX: (EnvCause.SANDBOX, "sandbox.crashed", "the browser ended during the walk"),
    Failure.ACCOUNT: (EnvCause.ACCOUNT, "account.none_free", "no clean account was free in time"),
    Failure.PROVISION: (
        EnvCause.PROVISION,
        "provision.create_failed",
        "the resources that the walk needs could not be made",
    ),
    Failure.QUOTA: (EnvCause.QUOTA, "provision.quota", "the account's quota is used up"),
    Failure.MODEL: (EnvCause.MODEL, "model.timeout", "the model did not answer in time"),
}


def rule_of(document: SampleDocument) -> str:
    """The rule over the audit log that a walk of the document is held to."""
    return _RULE.format(operation=document.operation, product=document.product)


def facts_of(walk: PlannedWalk, started: datetime) -> tuple[WalkFacts, Reward]:
    """What the walk left behind, and what the log has to say to it."""
    silent = Reward(decision=Decision.NO_RULE, reason="")
    match walk.ending, walk.failure:
        case Ending.VERIFIED, _:
            facts = _facts(walk, started, WalkEnding.COMPLETED, executed=4)
            return facts, _confirmed(walk, started)
        case Ending.NOTED, _:
            facts = _facts(walk, started, WalkEnding.COMPLETED, executed=4)
            return replace(facts, noted=(walk.fault,)), _confirmed(walk, started)
        case ((Ending.DEFECT | Ending.SUSPECTED), _):
            at = walk.document.sentences.index(walk.fault.sentence) + 1
            facts = _facts(walk, started, WalkEnding.FINDING, executed=at - 1)
            return (
                replace(
                    facts,
                    reason=walk.fault.message,
                    finding=walk.fault,
                    finding_substep=str(at),
                ),
                silent,
            )
        case _, Failure.UNPROVEN:
            return _facts(walk, started, WalkEnding.COMPLETED, executed=4), silent
        case _, Failure.AGENT:
            code, reason = _GAVE_UP
            facts = _facts(walk, started, WalkEnding.ACTION_FAILURES, executed=2)
            return replace(facts, reason=reason, code=code), silent
        case _, Failure.SPLIT:
            reason = "one judge says that it was done, and the other that it was not"
            facts = _facts(walk, started, WalkEnding.COMPLETED, executed=4)
            return facts, Reward(decision=Decision.JUDGE_SPLIT, reason=reason)
        case _, Failure.AUDIT_LATE:
            reason = "the log was not complete in time"
            facts = _facts(walk, started, WalkEnding.COMPLETED, executed=4)
            return facts, Reward(decision=Decision.AUDIT_LATE, reason=reason)
        case _, Failure.CANCELLED:
            facts = _facts(walk, started, WalkEnding.CANCELLED, executed=1)
            return replace(facts, reason="cancelled on request"), silent
        case _, failure:
            assert failure is not None, "a walk that came to nothing says why"
            cause, code, reason = _ENVIRONMENT[failure]
            reached = 0 if cause in (EnvCause.ACCOUNT, EnvCause.PROVISION, EnvCause.QUOTA) else 2
            facts = _facts(walk, started, WalkEnding.ENVIRONMENT, executed=reached)
            return replace(facts, cause=cause, code=code, reason=reason), silent


def _facts(walk: PlannedWalk, started: datetime, ending: WalkEnding, *, executed: int) -> WalkFacts:
    document = walk.document
    substeps = [
        WalkedSubStep(
            number=str(number),
            text=sentence,
            line=document.line(number),
            executed=number <= executed,
            optional=False,
            reason="" if number <= executed else "not reached",
            steps=1 if number <= executed else 0,
            started_at=started + timedelta(seconds=SUBSTEP_S * number)
            if number <= executed
            else None,
            ended_at=started + timedelta(seconds=SUBSTEP_S * number + 3)
            if number <= executed
            else None,
        )
        for number, sentence in enumerate(document.sentences, 1)
    ]
    return WalkFacts(ending=ending, reason="walked to its end", substeps=tuple(substeps))


def _confirmed(walk: PlannedWalk, started: datetime) -> Reward:
    """The log has the procedure's effect, and one call beside it."""
    document = walk.document
    effect, look = (
        AuditEvent(
            id=f"evt-{walk.seed:08x}-{number}",
            time=(started + timedelta(seconds=seconds)).replace(microsecond=0),
            service=document.product,
            name=name,
            kind=API_CALL,
            write=write,
            ok=True,
            actor="console-user",
            request={"RegionId": "cn-hangzhou", "Choice": document.choice} if write else {},
        )
        for number, (name, seconds, write) in enumerate(
            ((document.operation, 17, True), (f"Describe{document.operation}", 9, False))
        )
    )
    return Reward(
        decision=Decision.CONFIRMED,
        reason=f"the audit log confirms it: {document.operation} by {effect.id}",
        rule=rule_of(document),
        matched=(CitedEvent(event=effect, expectation=document.operation),),
        observed=(look, effect),
    )
