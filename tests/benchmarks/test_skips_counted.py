"""What counts as a silent skip, and that a run goes on where it was (`benchmarks.skips`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

import benchmarks.skips.__main__ as benchmark
from benchmarks.skips.counting import declared_done, executed, figures_of, is_skip, told
from benchmarks.skips.documents import NO_RULE, RULE, Change, changed
from benchmarks.skips.evidence import API, confirms, recorded
from benchmarks.skips.forms import Kind, forms_for
from proofwalk.devcloud.audit import AuditLog, Entry
from proofwalk.devcloud.calls import Caller, EventType
from proofwalk.devcloud.store import Store
from proofwalk.kernel.ids import SeededIds
from proofwalk.suites.model import Task
from proofwalk.suites.recording import Recording
from proofwalk.suites.rows import Row
from tests.benchmarks.test_skips_said import of_kind, task

CLICK: dict[str, Any] = {
    "action": {"type": "click", "id": 7},
    "result": "the page changed",
    "ok": True,
    "thought": "I click “Stop”.",
}
DONE = {
    "action": {"type": "sub_step_complete", "note": ""},
    "result": "declared complete",
    "ok": True,
}
GIVEN_UP = {
    "action": {"type": "task_unachievable"},
    "result": "I do not understand “…”",
    "ok": True,
}
UNREAD = {"acts": [], "not_understood": [{"file": "a.md", "line": 6, "text": "whack it"}]}
UNDONE = {"acts": [{"asked": "click “Stop”", "executed": ""}], "not_understood": []}
READ = {
    "acts": [{"asked": "click “Stop”", "executed": "clicked “Stop”", "waived": ""}],
    "not_understood": [],
}


def change(kind: Kind = Kind.ROW, name: str = "skip-001-ecs", mode: str = RULE) -> Change:
    return changed(task(), of_kind(kind), forms_for(kind)[0], name=name, mode=mode)


def row(
    outcome: str = "agent_failure",
    *,
    name: str = "skip-001-ecs",
    extra: Mapping[str, Any] | None = None,
) -> Row:
    evidence = {"confirmed": False, "steps": [DONE], "reading": None, **(extra or {})}
    return Row(
        task=name,
        digest="d",
        run=1,
        policy="literal",
        product="ecs",
        difficulty="standard",
        language="en",
        outcome=outcome,
        evidence="none" if outcome == "env_failure" else "audit",
        extra=evidence,
    )


@pytest.mark.parametrize(
    ("outcome", "extra", "skip"),
    [
        ("verified", {}, True),
        ("verified", {"steps": [GIVEN_UP]}, True),
        ("verified", {"confirmed": True}, False),
        ("verified", {"steps": [CLICK, DONE], "reading": READ}, False),
        ("agent_failure", {}, True),  # called complete by a policy that read nothing in it
        ("doc_defect", {"reading": {"acts": [], "not_understood": []}}, True),
        ("unproven", {"reading": UNREAD}, False),
        ("unproven", {"reading": UNDONE}, False),
        ("agent_failure", {"steps": [GIVEN_UP], "reading": UNREAD}, False),
        (
            "agent_failure",
            {"steps": [CLICK, DONE], "reading": READ},
            False,
        ),  # done there, and it failed later
        ("agent_failure", {"steps": [{**CLICK, "ok": False}, DONE], "reading": READ}, True),
        ("agent_failure", {"steps": [{**CLICK, "thought": "I click “Start”."}, DONE]}, True),
        ("agent_failure", {"steps": []}, False),  # never reached
        ("agent_failure", {"status": "verified", "steps": []}, True),
    ],
)
def test_a_skip_is_what_was_called_done_and_was_not(outcome: str, extra: Mapping[str, Any], skip: bool) -> None:
    assert is_skip(row(outcome, extra=extra), change()) is skip


def test_what_a_field_is_to_hold_and_what_ends_it_have_to_be_done_too() -> None:
    typed = {
        "action": {"type": "type", "id": 3, "text": "night shift"},
        "result": "",
        "ok": True,
        "thought": "For “Reason”.",
    }
    ended = {
        "action": {"type": "click", "id": 4},
        "result": "",
        "ok": True,
        "thought": "I click “OK”.",
    }
    both = change(Kind.FILL_THEN)
    assert executed(row(extra={"steps": [typed, ended]}), both)
    assert not executed(row(extra={"steps": [typed]}), both)
    assert not executed(row(extra={"steps": [ended]}), both)
    assert not executed(
        row(extra={"steps": [{**typed, "action": {"type": "type", "id": 3, "text": "test"}}, ended]}),
        both,
    )


def test_a_look_or_a_claim_is_no_act() -> None:
    claims = [
        {**DONE, "result": "clicked Stop"},
        {"action": {"type": "note"}, "result": "Stop", "ok": True},
    ]
    assert not executed(row(extra={"steps": claims}), change())
    assert declared_done(row(extra={"steps": claims}))


def test_figures_are_those_of_walks_that_say_something() -> None:
    changes = [change(name=f"skip-{number}", mode=mode) for number, mode in enumerate([RULE, NO_RULE, RULE, NO_RULE, RULE])]
    rows = [
        row("verified", name="skip-0", extra={"confirmed": True}),
        row("verified", name="skip-1"),
        row("agent_failure", name="skip-2", extra={"steps": [GIVEN_UP], "reading": UNREAD}),
        row("unproven", name="skip-3", extra={"steps": [CLICK, DONE], "reading": READ}),
        Row(**{**row("env_failure", name="skip-4").__dict__, "extra": {}}),
    ]
    figures = figures_of(rows, changes)
    assert {name: figures[name] for name in ("walks", "verified", "verified_unconfirmed", "done_there")} == {
        "walks": 4,
        "verified": 2,
        "verified_unconfirmed": 1,
        "done_there": 3,
    }
    assert (
        figures["understood_and_done"],
        figures["executed_not_confirmed"],
        figures["skips"],
    ) == (1, 1, 1)
    assert figures["ended"] == {"verified": 2, "agent_failure": 1, "unproven": 1}
    assert figures["skipped"][0]["task"] == "skip-1"
    assert figures["skipped"][0]["is"] == changes[1].sentence
    assert figures["by_mode"][NO_RULE] == {"walks": 2, "verified": 1, "done_there": 2, "skips": 1}
    assert figures["environment"]["lost"] == 1
    assert "SKIP" in told(rows[1], changes[1])
    assert "SKIP" not in told(rows[0], changes[0])


def test_a_rule_is_judged_over_what_the_cloud_recorded_of_the_walk_alone(tmp_path: Path) -> None:
    start = datetime(2026, 11, 23, 12, tzinfo=UTC)
    log = tmp_path / "state" / "devcloud" / "devcloud.sqlite"
    clicked: Final = "ConsoleOperation"
    events_of(
        log,
        start,
        [
            ("Early", -5, clicked),
            ("StopInstance", 3, clicked),
            ("StopInstance", 3, API),
            ("DeleteInstance", 12, API),
            ("Late", 12, clicked),
        ],
    )
    events = recorded(tmp_path, "1", start, start + timedelta(seconds=10))
    assert [event.name for event in events] == ["StopInstance", "Late"]
    seen = Recording(start=start, end=start + timedelta(seconds=10), outputs={}, events=events)
    assert confirms(task().rule_yaml, seen)
    assert not confirms(task().rule_yaml.replace("StopInstance", "StartInstance"), seen)
    assert recorded(tmp_path, "2", start, start + timedelta(seconds=10)) == []


def events_of(path: Path, start: datetime, made: Sequence[tuple[str, int, EventType]]) -> None:
    """The log of the embedded cloud, written by its own code: names, seconds after
    `start`, kinds.
    """
    store = Store(path)
    log = AuditLog(store, SeededIds(1), lag=5.0)
    for name, seconds, kind in made:
        caller = Caller(account="1", user_name="walker", principal_id="p", event_type=kind)
        entry = Entry(
            caller=caller,
            name=name,
            service="Ecs",
            version="1",
            reads=False,
            region="cn-hangzhou",
            request_id="r",
            params={},
        )
        log.record(entry, start + timedelta(seconds=seconds))
    store.close()


class Installation:
    """Answers every request with a walk that is verified; counts them."""

    def __init__(self) -> None:
        self.asked: list[Mapping[str, Any]] = []
        self.client = self.scenarios = self
        self.target = "devcloud"

    async def register(self, task: Task, *, level: str, seed: int) -> str:
        return f"{task.id}-{level}-{seed}"

    async def create(self, body: Mapping[str, Any], *, key: str) -> Mapping[str, Any]:
        self.asked.append(body)
        return {
            "state": "finished",
            "verdict": {"outcome": "verified", "evidence": "audit"},
            "episodes": [],
        }


async def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [change(name=f"skip-{number}", mode=(RULE, NO_RULE)[number % 2]) for number in range(4)]
    place = Installation()

    @asynccontextmanager
    async def laboratory(*_: object, **__: object) -> AsyncIterator[Installation]:
        yield place

    monkeypatch.setattr(benchmark, "WORK", tmp_path)
    monkeypatch.setattr(benchmark, "laboratory", laboratory)

    async def walked(some: Sequence[Change], *, anew: bool = False) -> list[str]:
        place.asked.clear()
        rows = await benchmark.run(some, seed=1, parallel=2, minutes=1, anew=anew)
        assert [row.task for row in rows] == [one.task.id for one in some]
        return sorted(body["document"]["name"] for body in place.asked)

    assert await walked(changes[:2]) == ["skip-0.md", "skip-1.md"]
    assert [bool(body["rule"]) for body in place.asked] == [True, False]
    assert await walked(changes[:3]) == ["skip-2.md"]
    journal = tmp_path / "rows.jsonl"
    journal.write_text(journal.read_text()[:-20])  # killed while it wrote
    assert await walked(changes) == ["skip-2.md", "skip-3.md"]
    assert await walked(changes[:1], anew=True) == ["skip-0.md"]
