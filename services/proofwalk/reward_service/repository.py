"""All SQL of the reward service: one row per judgement, with the events that it rests
on, one per judge that was asked, and one per judgement under way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Integer,
    RowMapping,
    String,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)

from proofwalk.chassis.database import Json, Transaction, UtcDateTime, role_metadata
from proofwalk.kernel.answers import AnsweredField
from proofwalk.kernel.evidence import AuditEvent, Citation
from proofwalk.kernel.outcomes import Decision
from proofwalk.reward_service.confined import Cited, answered_of, event_of, row_of
from proofwalk.reward_service.judges.answers import (
    JudgeAnswer,
    JudgedField,
    JudgedSubStep,
    Verdict,
)

METADATA = role_metadata()

JUDGEMENTS = Table(
    "reward_service_judgement",
    METADATA,
    Column("request_id", String(200), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("target", String(64), nullable=False),
    Column("rule", String(120), nullable=False),
    Column("rule_yaml", Text, nullable=False),
    Column("outputs", Json, nullable=False),
    Column("start", UtcDateTime, nullable=False),
    Column("end", UtcDateTime, nullable=False),
    Column("delta_s", Float, nullable=False),
    Column("decision", String(20), nullable=False),
    Column("reason", Text, nullable=False),
    Column("matched", Json, nullable=False),
    Column("missing", Json, nullable=False),
    Column("violations", Json, nullable=False),
    Column("answer", Text, nullable=False, server_default=""),
    Column("answered", Json, nullable=False, server_default="[]"),
    Column("events", Json, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("polls", Integer, nullable=False),
    Column("judged_at", UtcDateTime, nullable=False, index=True),
)

JUDGE_ANSWERS = Table(
    "reward_service_judge_answer",
    METADATA,
    Column("request_id", String(200), primary_key=True),
    Column("family", String(40), primary_key=True),
    Column("judge", String(200), nullable=False),
    Column("model", String(200), nullable=False),
    Column("verdict", String(20), nullable=False),
    Column("reason", Text, nullable=False),
    Column("substeps", Json, nullable=False),
    Column("fields", Json, nullable=False, server_default="[]"),
    Column("evidence", Json, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("malformed", Integer, nullable=False),
    Column("tokens_in", Integer, nullable=False),
    Column("tokens_out", Integer, nullable=False),
    Column("tokens_cached", Integer, nullable=False),
    Column("cost", Float, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("answered_at", UtcDateTime, nullable=False, index=True),
)

BEGUN = Table(
    "reward_service_begun",
    METADATA,
    Column("request_id", String(200), primary_key=True),
    Column("times", Integer, nullable=False),
    Column("begun_at", UtcDateTime, nullable=False, index=True),
)
"""Judgements by a rule that were begun and have not ended: what is left of one that
took its process along."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A stored judgement."""

    request_id: str
    fingerprint: str
    target: str
    rule: str
    rule_yaml: str
    outputs: Mapping[str, str]
    start: datetime
    end: datetime
    delta_s: float
    decision: Decision
    reason: str
    matched: Sequence[Cited]
    missing: Sequence[str]
    violations: Sequence[Cited]
    events: Sequence[AuditEvent]
    """Every event of the window that was seen, oldest first."""
    complete: bool
    """Whether absence from `events` means that it did not happen."""
    polls: int
    judged_at: datetime
    answers: Sequence[JudgeAnswer] = ()
    """What each judge said; none where a rule decided alone."""
    answer: str = ""
    """What the agent told, as it told it."""
    answered: Sequence[AnsweredField] = ()
    """What the rule has to say to each field of it that it expects."""


async def find(transaction: Transaction, request_id: str) -> Judged | None:
    """The judgement of a request."""
    row = (
        (await transaction.execute(select(JUDGEMENTS).where(JUDGEMENTS.c.request_id == request_id)))
        .mappings()
        .one_or_none()
    )
    if row is None:
        return None
    values = dict(row)
    for name in ("matched", "violations"):
        values[name] = tuple(Cited(**item) for item in values[name])
    values["events"] = tuple(event_of(item) for item in values["events"])
    values["missing"] = tuple(values["missing"])
    values["answered"] = tuple(map(answered_of, values["answered"]))
    values["decision"] = Decision(values["decision"])
    return Judged(**values, answers=await find_answers(transaction, request_id))


@dataclass(frozen=True, kw_only=True)
class ListedJudgement:
    """A stored judgement without its question and its events."""

    request_id: str
    target: str
    rule: str
    decision: Decision
    judged_at: datetime


async def list_after(
    transaction: Transaction, request_id: str, *, limit: int
) -> Sequence[ListedJudgement]:
    """The judgements with the next greater request ids, in their order."""
    names = [one.name for one in fields(ListedJudgement)]
    wanted = (
        select(*(JUDGEMENTS.c[name] for name in names))
        .where(JUDGEMENTS.c.request_id > request_id)
        .order_by(JUDGEMENTS.c.request_id)
        .limit(limit)
    )
    rows = (await transaction.execute(wanted)).mappings()
    return [ListedJudgement(**{**row, "decision": Decision(row["decision"])}) for row in rows]


async def put(transaction: Transaction, judged: Judged) -> None:
    """Store a judgement over a former one of the same request."""
    values = {name: getattr(judged, name) for name in JUDGEMENTS.columns.keys()}  # noqa: SIM118 -- columns, not a dict
    for name in ("matched", "violations", "answered"):
        values[name] = [asdict(item) for item in values[name]]
    values["events"] = [row_of(event) for event in judged.events]
    values["missing"] = list(judged.missing)
    values["decision"] = judged.decision.value
    values["outputs"] = dict(judged.outputs)
    changed = await transaction.execute(
        update(JUDGEMENTS).where(JUDGEMENTS.c.request_id == judged.request_id).values(**values)
    )
    if changed.rowcount == 0:
        await transaction.execute(insert(JUDGEMENTS).values(**values))


async def find_answers(transaction: Transaction, request_id: str) -> tuple[JudgeAnswer, ...]:
    """What judges have answered about a request, in the order of their families."""
    wanted = (
        select(JUDGE_ANSWERS)
        .where(JUDGE_ANSWERS.c.request_id == request_id)
        .order_by(JUDGE_ANSWERS.c.family)
    )
    return tuple(_answer(row) for row in (await transaction.execute(wanted)).mappings())


async def put_answer(transaction: Transaction, request_id: str, answer: JudgeAnswer) -> None:
    """Store a judge's answer, over a former one of the same request and family."""
    values = {one.name: getattr(answer, one.name) for one in fields(JudgeAnswer)}
    for name in ("substeps", "fields", "evidence"):
        values[name] = [asdict(item) for item in values[name]]
    texts = {
        "judge": answer.judge[:200],
        "model": answer.model[:200],
        "verdict": answer.verdict.value,
    }
    same = (JUDGE_ANSWERS.c.request_id == request_id) & (JUDGE_ANSWERS.c.family == answer.family)
    await transaction.execute(delete(JUDGE_ANSWERS).where(same))
    await transaction.execute(
        insert(JUDGE_ANSWERS).values(**{**values, **texts, "request_id": request_id})
    )


async def begin(transaction: Transaction, request_id: str, now: datetime) -> int:
    """Note that a judgement begins; how many of this request have begun since one
    ended, with this one."""
    same = BEGUN.c.request_id == request_id
    changed = await transaction.execute(
        update(BEGUN).where(same).values(times=BEGUN.c.times + 1, begun_at=now)
    )
    if changed.rowcount == 0:
        await transaction.execute(
            insert(BEGUN).values(request_id=request_id, times=1, begun_at=now)
        )
    return int((await transaction.execute(select(BEGUN.c.times).where(same))).scalar_one())


async def ended(transaction: Transaction, request_id: str) -> None:
    """Note that a judgement has come to an end, whichever."""
    await transaction.execute(delete(BEGUN).where(BEGUN.c.request_id == request_id))


async def tokens_since(transaction: Transaction, moment: datetime) -> int:
    """Tokens that answers since then have taken."""
    total = func.sum(JUDGE_ANSWERS.c.tokens_in + JUDGE_ANSWERS.c.tokens_out)
    return int(
        (
            await transaction.execute(select(total).where(JUDGE_ANSWERS.c.answered_at >= moment))
        ).scalar()
        or 0
    )


async def drop_before(transaction: Transaction, moment: datetime) -> int:
    """Forget judgements and answers older than `moment`; returns how many
    judgements."""
    await transaction.execute(delete(JUDGE_ANSWERS).where(JUDGE_ANSWERS.c.answered_at < moment))
    await transaction.execute(delete(BEGUN).where(BEGUN.c.begun_at < moment))
    return int(
        (
            await transaction.execute(delete(JUDGEMENTS).where(JUDGEMENTS.c.judged_at < moment))
        ).rowcount
    )


def _answer(row: RowMapping) -> JudgeAnswer:
    values = {name: value for name, value in row.items() if name != "request_id"}
    values["verdict"] = Verdict(values["verdict"])
    values["substeps"] = tuple(JudgedSubStep(**item) for item in values["substeps"])
    values["fields"] = tuple(JudgedField(**item) for item in values["fields"])
    values["evidence"] = tuple(Citation(**item) for item in values["evidence"])
    return JudgeAnswer(**values)
