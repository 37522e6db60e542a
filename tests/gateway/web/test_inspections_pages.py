"""The pages of collections and their inspections: what they show, what their forms do,
and what is told when there is nothing, or a role is away."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import UTC, datetime, timedelta
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.gateway.web.coverage_view import coverage_of
from proofwalk.gateway.web.inspection_view import Now, calendar_of, calendar_span
from proofwalk.gateway.web.languages import LANGUAGES, words_in
from proofwalk.gateway.web.moments import Moment, Span, zone_named
from proofwalk.gateway.web.page_parts import part_of
from proofwalk.gateway.web.schedule_words import schedule_words
from proofwalk.gateway.web.visit import ZONE_COOKIE
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import attribute, the

LIST = "/console/inspections"
ONE = f"{LIST}/col_1"
RUN = f"{ONE}/runs/insp_1"
BERLIN = ZoneInfo("Europe/Berlin")
SATURDAY = datetime(2026, 11, 28, 23, 30, tzinfo=UTC)
"""In Berlin it is Sunday."""
AWAY = ProofwalkError("rpc.unimplemented", "nobody answers there", status=Status.UNIMPLEMENTED)


@pytest.mark.parametrize(
    ("seconds", "unit", "count"),
    [
        (0, "moments", 0),
        (29, "moments", 0),
        (90, "minutes", 2),
        (7000, "minutes", 117),
        (7200, "hours", 2),
        (86_400, "hours", 24),
        (200_000, "days", 2),
    ],
)
def test_a_span_is_told_in_the_largest_unit_that_says_enough(
    seconds: float, unit: str, count: int
) -> None:
    assert Span.of(seconds) == Span(unit=unit, count=count)


def test_a_moment_is_its_readers() -> None:
    moment = Moment.of(SATURDAY + timedelta(hours=3), now=SATURDAY, zone=BERLIN)
    assert (moment.at.isoformat(), moment.is_past) == ("2026-11-29T03:30:00+01:00", False)
    for name in ("", "Mars/Base", "../../etc/passwd", "x" * 99, "Europe"):
        assert zone_named(name) == ZoneInfo("UTC")
    assert zone_named("Europe/Berlin") == BERLIN


@pytest.mark.parametrize(
    ("cron", "time", "days"),
    [
        ("0 3 * * 1", "03:00", ["mon"]),
        ("5 14 * * *", "14:05", []),
        ("0 0 * * sat,7", "00:00", ["sat", "sun"]),
        ("*/5 * * * *", "", []),
        ("0 3 1 * *", "", []),
        ("0 3 * * 1-5", "", []),
        ("", "", []),
    ],
)
def test_usual_schedules_have_words(cron: str, time: str, days: list[str]) -> None:
    words = schedule_words(cron, "")
    assert (words.time, list(words.days), words.zone) == (time, days, "UTC")


def test_a_folder_counts_everything_below_it() -> None:
    reply = pb.GetCoverageResponse(
        folders=[
            pb.FolderCoverage(folder="", procedures=1),
            pb.FolderCoverage(folder="a/b", procedures=2, outcomes={"verified": 1, "cancelled": 1}),
            pb.FolderCoverage(folder="a-x", procedures=1, outcomes={"suspected": 1}, unreadable=1),
            pb.FolderCoverage(folder="a/c", procedures=4, unreached=3),
        ]
    )
    rows = coverage_of(reply, zone=BERLIN).tree
    assert [(row.path, row.depth, row.procedures) for row in rows] == [
        ("", 0, 8),
        ("a", 1, 6),
        ("a/b", 2, 2),
        ("a/c", 2, 4),
        ("a-x", 1, 1),
    ]
    whole = rows[0]
    assert (whole.walked, whole.unreached, whole.unreadable) == (3, 3, 1)
    assert dict(whole.groups) == {"verified": 1, "defect": 1, "untold": 1}
    assert [(part.left, part.width) for part in whole.bar] == [(0, 20), (20, 20), (40, 20)]
    assert coverage_of(pb.GetCoverageResponse(), zone=BERLIN).listed_at is None


def test_the_calendar_has_the_readers_days() -> None:
    now = Now(at=SATURDAY, zone=BERLIN)
    first, last = calendar_span(now)
    assert (first.isoformat(), last.isoformat()) == (
        "2026-11-02T00:00:00+01:00",
        "2026-12-14T00:00:00+01:00",
    )
    entry = pb.CalendarEntry(collection_id="col_1", at=moment_to_pb(SATURDAY))
    calendar = calendar_of(pb.GetCalendarResponse(entries=[entry]), now)
    assert [len(week) for week in calendar.weeks] == [7] * 6
    (day,) = [day for week in calendar.weeks for day in week if day.entries]
    assert (day.date.isoformat(), day.is_today) == ("2026-11-29", True)
    assert day.entries[0].path == ONE


async def test_a_part_is_waited_for_only_so_long() -> None:
    async def never() -> int:
        await asyncio.Event().wait()
        return 1

    async def refused() -> int:
        raise not_found("collection.not_found", "there is none")

    late = await part_of(never(), wait_s=0.01)
    assert late.error is not None
    assert late.error.code == "rpc.deadline_exceeded"
    assert late.mapped(str).error is late.error
    with pytest.raises(ProofwalkError, match="there is none"):
        await part_of(refused())
    assert (await part_of(refused(), also=(Status.NOT_FOUND,))).error is not None


def _coverage(now: datetime) -> pb.GetCoverageResponse:
    """One folder with four procedures, three of them due."""
    return pb.GetCoverageResponse(
        inspection_id="insp_1",
        listed_at=moment_to_pb(now),
        folders=[
            pb.FolderCoverage(
                folder="ecs/net",
                procedures=4,
                outcomes={"verified": 1, "doc_defect": 1, "unproven": 1},
                unreached=1,
            )
        ],
        due=[
            pb.DueProcedure(
                procedure_id="ecs/net/stop#a&b",
                page="ecs/net/stop.md",
                title="Stop an instance",
                due="changed",
                why="document changed since the last walk",
                outcome=common.OUTCOME_VERIFIED,
            )
        ],
        due_counts={"changed": 3},
    )


def put_rows(gateway: Gateway) -> None:
    """A collection with a schedule, a run under way, coverage and a calendar."""
    now = gateway.clock.now()
    inspections = gateway.inspections
    schedule = pb.Schedule(cron="0 3 * * 1", time_zone="Europe/Berlin")
    made = inspections.has(schedule=schedule, budget=pb.Budget(walks=50))
    made.next_run_at.CopyFrom(moment_to_pb(now + timedelta(days=3)))
    run = inspections.ran(progress=pb.Progress(done=2, total=5, seconds_left=700, measured=4))
    run.created_at.CopyFrom(moment_to_pb(now - timedelta(hours=3)))
    run.progress.waits_for = "1 verification under way"
    run.outcomes["doc_defect"] = 2
    inspections.coverage = _coverage(now)
    inspections.calendar = pb.GetCalendarResponse(
        entries=[
            pb.CalendarEntry(
                collection_id="col_1",
                collection="ECS",
                at=moment_to_pb(now),
                inspection_id="insp_1",
                state="running",
            ),
            pb.CalendarEntry(
                collection_id="col_1", collection="ECS", at=moment_to_pb(now + timedelta(days=3))
            ),
        ]
    )
    item = pb.Item(
        inspection_id="insp_1",
        number=1,
        procedure_id="ecs/net/stop#a&b",
        page="ecs/net/stop.md",
        title="Stop an instance",
        due="changed",
        state="done",
        how="walk",
        verification_id="ver_1",
        outcome=common.OUTCOME_DOC_DEFECT,
        changed=["document"],
        seconds=12,
    )
    item.finished_at.CopyFrom(moment_to_pb(now))
    inspections.items = [item, pb.Item(procedure_id="b", state="skipped", code="budget.walks")]


async def test_collections_are_listed_with_when_and_what(
    gateway: Gateway, operator: Browser
) -> None:
    put_rows(gateway)
    page = (await operator.ask("GET", LIST)).text
    row = the(page, "#collections tbody tr").text()
    for words in ("ECS", "in 3 days", "Monday at 03:00 (Europe/Berlin)", "Running", "3 procedures"):
        assert words in row, words
    assert "about 12 min left, by 4 measured walks" in row
    assert {one.text() for one in the(page, "#calendar").css("a")} >= {"00:00 ECS, Running"}
    assert "to come" in the(page, "#calendar .coming").text()


async def test_a_collection_is_told_whole(gateway: Gateway, operator: Browser) -> None:
    put_rows(gateway)
    page = (await operator.ask("GET", ONE)).text
    rows = [" ".join(one.text(separator=" ").split()) for one in the(page, ".tree tbody").css("tr")]
    assert rows[0] == "Everything 4 75 % 3 25 % 1 25 % 1 25 % 1 25 % 1 0"
    assert [row.split()[0] for row in rows] == ["Everything", "ecs", "net"]
    due = the(page, "#due tbody tr").text()
    assert "document changed since the last walk" in due
    history = attribute(page, "#due a", "href")
    assert history == f"{ONE}/history?procedure_id={quote('ecs/net/stop#a&b', safe='')}"
    assert "50 walks" in the(page, "#about").text()
    assert attribute(page, "#runs a", "href") == RUN
    strip = await operator.ask("GET", history)
    assert attribute(strip.text, ".strip a", "href") == "/console/verifications/ver_1"
    assert "Document is wrong" in the(strip.text, ".strip").text()


async def test_a_run_says_how_far_it_is(gateway: Gateway, operator: Browser) -> None:
    put_rows(gateway)
    page = (await operator.ask("GET", RUN)).text
    about = the(page, "#about").text()
    for words in ("2 of 5 done", "about 12 min left", "Waits for: 1 verification under way"):
        assert words in " ".join(about.split()), words
    assert attribute(page, "body", "data-refresh-s") == "5"
    assert "budget.walks" in the(page, "#items").text()
    gateway.inspections.runs["insp_1"].progress.ClearField("seconds_left")
    page = (await operator.ask("GET", RUN)).text
    assert "too few walks are measured" in page
    other = await operator.ask("GET", f"{LIST}/col_2/runs/insp_1")
    assert (other.status_code, "inspection.not_found" in other.text) == (404, True)


async def test_forms_start_pause_resume_and_cancel(gateway: Gateway, operator: Browser) -> None:
    made = gateway.inspections.has(never_replay=True)
    for act, paused in (("pause", True), ("resume", False)):
        await operator.ask("POST", f"{ONE}/{act}")
        assert (made.spec.paused, made.spec.never_replay) == (paused, True), "the rest stays"
        assert ("/start" in (await operator.ask("GET", ONE)).text) is not paused
    begun = await operator.ask("POST", f"{ONE}/start", fields={"everything": "true"})
    (run,) = gateway.inspections.runs.values()
    assert begun.headers["location"] == f"{ONE}/runs/{run.inspection_id}"
    assert run.everything
    await operator.ask("POST", f"{ONE}/runs/{run.inspection_id}/cancel")
    assert run.state == "cancelling"
    assert 'class="danger"' not in (await operator.ask("GET", begun.headers["location"])).text


async def test_a_viewer_sees_no_forms_that_change(gateway: Gateway, visitors: SignIn) -> None:
    put_rows(gateway)
    reader = await visitors("pw_reader")
    for path in (ONE, RUN):
        page = (await reader.ask("GET", path)).text
        assert f'action="{LIST}' not in page


async def test_times_are_told_in_the_browsers_zone(gateway: Gateway, operator: Browser) -> None:
    put_rows(gateway)
    operator.client.cookies.set(ZONE_COOKIE, "Asia/Shanghai")
    page = (await operator.ask("GET", ONE)).text
    assert "Times are in the time zone Asia/Shanghai." in page
    assert "T08:00:00+08:00" in attribute(page, "#coverage time", "datetime")
    span = gateway.inspections.spans[-1]
    assert span.first.ToDatetime().hour == 16


async def test_a_role_that_is_away_says_so_in_its_part_alone(
    gateway: Gateway, operator: Browser
) -> None:
    put_rows(gateway)
    for method, path in (
        ("GetCoverage", LIST),
        ("ListInspections", LIST),
        ("GetCalendar", LIST),
        ("ListCollections", LIST),
        ("GetCoverage", ONE),
        ("ListInspections", ONE),
        ("GetCalendar", ONE),
        ("ListItems", RUN),
        ("ListHistory", f"{ONE}/history"),
    ):
        gateway.inspections.errors = {method: deque([AWAY])}
        page = await operator.ask("GET", path)
        assert (page.status_code, "nobody answers there" in page.text) == (200, True), path


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_empty_says_why_and_what_to_do(
    gateway: Gateway, operator: Browser, language: str
) -> None:
    words, headers = words_in(language), {"Accept-Language": language}
    gateway.inspections.ran()
    cases = [(LIST, "empty")]
    for path, name in [*cases, (ONE, "no_coverage"), (RUN, "no_items")]:
        if path != LIST:
            gateway.inspections.has()
        page = (await operator.ask("GET", path, headers=headers)).text
        assert words(f"inspections.{name}.why") in page
        assert words(f"inspections.{name}.next") in page.replace("&#39;", "'")
    gateway.inspections.runs.clear()
    assert (
        words("inspections.no_runs.why") in (await operator.ask("GET", ONE, headers=headers)).text
    )
    history = await operator.ask("GET", f"{ONE}/history?procedure_id=x", headers=headers)
    assert words("inspections.no_history.why") in history.text
