"""Lists that are narrowed, and counts, on both engines."""

from __future__ import annotations

from datetime import timedelta

from proofwalk.kernel.callers import ITSELF, Caller
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import Outcome, OutcomeKind
from proofwalk.rollout import repository, usecases
from proofwalk.rollout.judgement import Judgement, Verdict
from proofwalk.rollout.judgement_codec import encode_verdict
from proofwalk.rollout.selections import EVERY, Selection, VerdictCount, summarise
from tests.rollout.setting import Setting

CI = Caller(principal="ci")
HOSTILE = (
    "'",
    "' or '1'='1",
    "'; drop table rollout_verification; --",
    '"; delete from rollout_verification; --',
    "\\",
    "\\'",
    "%",
    "_",
    "c%",
    "?",
    ":name",
    "$1",
    "%(name)s",
    "{name}",
)
"""Words that mean something to a database, or to who writes to one."""


async def _finish(rows: Setting, verification_id: str, kind: OutcomeKind, days_ago: int) -> None:
    judgement = Judgement(outcome=Outcome(kind=kind, reason=""))
    verdict = Verdict(judgement=judgement, seconds=1.0, cost=0.0, episodes=1)
    at = rows.clock.now() - timedelta(days=days_ago)
    await rows.db.run(
        lambda tx: repository.update_verification(
            tx,
            verification_id,
            state=JobState.FINISHED.value,
            finished_at=at,
            verdict=encode_verdict(verdict),
        )
    )


async def test_a_list_is_narrowed_and_counted_for_its_caller(rows: Setting) -> None:
    for name, principal, document in (
        ("a", "ci", "stop.md"),
        ("b", "ci", "stop.md"),
        ("c", "ci", "start.md"),
        ("d", "web", "stop.md"),
        ("e", "ci", "stop.md"),
        ("f", "web", "other.md"),
    ):
        await rows.create(f"ver_{name}", principal=principal, document_name=document)
    await _finish(rows, "ver_a", OutcomeKind.DOC_DEFECT, 1)
    await _finish(rows, "ver_b", OutcomeKind.VERIFIED, 1)
    await _finish(rows, "ver_c", OutcomeKind.VERIFIED, 0)
    await _finish(rows, "ver_d", OutcomeKind.SUSPECTED, 0)
    await _finish(rows, "ver_e", OutcomeKind.VERIFIED, 9)

    async def listed(caller: Caller, selection: Selection) -> set[str]:
        page = await usecases.page_of_verifications(
            rows.db, caller=caller, limit=9, before=None, selection=selection
        )
        return {row.id for row, _ in page}

    verified = Selection(outcome=OutcomeKind.VERIFIED)
    assert await listed(CI, verified) == {"ver_b", "ver_c", "ver_e"}
    assert await listed(CI, Selection(outcome=OutcomeKind.SUSPECTED)) == set()
    assert await listed(ITSELF, Selection(state=JobState.QUEUED)) == {"ver_f"}
    assert len(await listed(ITSELF, Selection(target="devcloud"))) == 6
    assert await listed(ITSELF, Selection(target="moon")) == set()
    assert len(await listed(CI, EVERY)) == 4

    now = rows.clock.now()
    days = {ago: (now - timedelta(days=ago)).date().isoformat() for ago in (0, 1)}
    since = now - timedelta(days=7)
    mine = await summarise(rows.db, caller=CI, since=since)
    assert mine.verdicts == [
        VerdictCount(day=days[1], outcome=OutcomeKind.DOC_DEFECT, count=1),
        VerdictCount(day=days[1], outcome=OutcomeKind.VERIFIED, count=1),
        VerdictCount(day=days[0], outcome=OutcomeKind.VERIFIED, count=1),
    ]
    assert mine.unfinished == {}
    assert [(one.document, one.verdicts, one.defects) for one in mine.documents] == [
        ("stop.md", 2, 1),
        ("start.md", 1, 0),
    ]
    everybodys = await summarise(rows.db, caller=ITSELF, since=since)
    assert everybodys.unfinished == {JobState.QUEUED: 1}
    assert [(one.document, one.verdicts, one.defects) for one in everybodys.documents] == [
        ("stop.md", 3, 2),
        ("start.md", 1, 0),
    ]
    assert everybodys.documents[0].last_finished_at == now


async def test_words_that_mean_something_to_a_database_are_words(rows: Setting) -> None:
    await rows.create("ver_ci", principal="ci", document_name="stop.md")
    for number, word in enumerate(HOSTILE):
        await rows.create(f"ver_{number}", principal=word, document_name=word)
        await _finish(rows, f"ver_{number}", OutcomeKind.DOC_DEFECT, 0)

    async def listed(caller: Caller, selection: Selection = EVERY) -> set[str]:
        page = await usecases.page_of_verifications(
            rows.db, caller=caller, limit=99, before=None, selection=selection
        )
        return {row.id for row, _ in page}

    since = rows.clock.now() - timedelta(days=1)
    for number, word in enumerate(HOSTILE):
        assert await listed(Caller(principal=word)) == {f"ver_{number}"}
        assert await listed(ITSELF, Selection(principal=word)) == {f"ver_{number}"}
        assert await listed(ITSELF, Selection(target=word)) == set()
        assert await listed(CI, Selection(principal=word)) == set()
        summary = await summarise(rows.db, caller=Caller(principal=word), since=since)
        assert [one.document for one in summary.documents] == [word]
    assert len(await listed(ITSELF)) == len(HOSTILE) + 1
