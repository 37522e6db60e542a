"""Overview, list and the page of one verification, with and without anything in
them."""

from __future__ import annotations

from datetime import date

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.web import charts
from proofwalk.gateway.web.story import entry_of, walk_of
from tests.gateway.conftest import FakeRollout, Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import attribute

LIST = "/console/verifications"
SUBSTEPS = [{"number": 1, "text": "One."}, {"number": 2, "text": "Two."}]


async def test_an_empty_installation_says_why_and_what_to_do(
    operator: Browser, visitors: SignIn
) -> None:
    page = (await operator.ask("GET", "/console")).text
    for words in ("no verdict in these days", "Nothing runs", "No document was found wrong"):
        assert words in page
    assert 'href="/console/submit"' in page
    assert "<svg" not in page
    reader = await visitors("pw_reader")
    for path in ("/console", LIST):
        assert "/console/submit" not in (await reader.ask("GET", path)).text


async def test_a_list_is_narrowed_by_rollout_and_keeps_its_filter(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.has(title="Stop an instance")
    page = await operator.ask("GET", f"{LIST}?status=suspected&target=devcloud")
    request = gateway.rollout.listed[-1]
    assert (request.state, request.outcome) == ("", common.OUTCOME_SUSPECTED)
    assert (request.target, request.limit) == ("devcloud", 50)
    older = attribute(page.text, "a[rel=next]", "href")
    assert older == f"{LIST}?status=suspected&target=devcloud&page_token=more"
    page = await operator.ask("GET", older)
    assert gateway.rollout.listed[-1].page_token == "more"
    assert f'href="{LIST}?status=suspected&amp;target=devcloud"' in page.text
    await operator.ask("GET", f"{LIST}?status=queued")
    assert gateway.rollout.listed[-1].state == "queued"
    await operator.ask("GET", f"{LIST}?status=nonsense")
    assert (gateway.rollout.listed[-1].state, gateway.rollout.listed[-1].outcome) == ("", 0)


async def test_a_page_goes_on_where_it_was_rendered(gateway: Gateway, operator: Browser) -> None:
    gateway.has()
    gateway.rollout.tell("procedure_read", title="x", substeps=SUBSTEPS)
    page = (await operator.ask("GET", f"{LIST}/ver_1")).text
    stream = attribute(page, "#history", "data-events")
    assert stream == f"{LIST}/ver_1/events?after=1"
    gateway.rollout.tell("step_taken", step=1, substep=2, thought="Here.", ok=True)
    gateway.rollout.tell("walk_finished", steps=1)
    gateway.rollout.finished.set()
    for headers, ids in (({}, ["2", "3"]), ({"Last-Event-ID": "2"}, ["3"])):
        answer = await operator.ask(
            "GET", stream, headers={"Accept": "text/event-stream", **headers}
        )
        lines = answer.text.splitlines()
        assert [line[4:] for line in lines if line.startswith("id: ")] == ids
        assert lines[-2:] == ["data: {}", ""]
    bad = await operator.ask("GET", stream, headers={"Last-Event-ID": "x"})
    assert (bad.status_code, "events.bad_id" in bad.text) == (422, True)


async def test_a_finished_one_has_its_report_and_no_cancel(
    gateway: Gateway, operator: Browser
) -> None:
    made = gateway.has(state="finished")
    made.verdict.outcome, made.verdict.reason = common.OUTCOME_VERIFIED, "The log shows it."
    page = (await operator.ask("GET", f"{LIST}/ver_1")).text
    assert f'href="{LIST}/ver_1/report"' in page
    assert "The log shows it." in page
    assert "/cancel" not in page
    assert "data-events" not in page
    report = await operator.ask("GET", f"{LIST}/ver_1/report")
    assert report.text == "<!doctype html><p>report</p>"
    policy = report.headers["content-security-policy"]
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy, "its script reads nothing of the console"


async def test_a_viewer_watches_and_has_no_button(gateway: Gateway, visitors: SignIn) -> None:
    gateway.has()
    reader = await visitors("pw_reader")
    page = await reader.ask("GET", f"{LIST}/ver_1")
    assert page.status_code == 200
    assert "/cancel" not in page.text


def test_the_current_sub_step_is_of_the_episode_that_began_last() -> None:
    rollout = FakeRollout()
    rollout.tell("episode_started", number=1)
    rollout.tell("procedure_read", substeps=SUBSTEPS)
    rollout.tell("step_taken", step=1, substep=2)
    assert [one.state for one in walk_of(rollout.events, is_walking=True)] == ["done", "current"]
    assert [one.state for one in walk_of(rollout.events, is_walking=False)] == ["done", "done"]
    rollout.tell("episode_started", number=2)
    assert [one.state for one in walk_of(rollout.events, is_walking=True)] == ["ahead", "ahead"]
    assert walk_of([], is_walking=True) == []


def test_an_event_of_a_later_release_is_a_line_like_any_other() -> None:
    entry = entry_of(pb.Event(type="robot_waved", data_json='{"arm": {"side": "left"}, "no": ""}'))
    assert entry.facts == [("arm", '{"side": "left"}')]
    assert entry_of(pb.Event(type="x", data_json="[1]")).facts == []
    assert (
        len(entry_of(pb.Event(type="x", data_json='{"a": "%s"}' % ("y" * 900))).facts[0][1]) == 601
    )


def test_bars_stand_on_each_other_and_days_without_verdicts_are_there() -> None:
    counts = [
        pb.VerdictCount(day="2026-01-02", outcome=common.OUTCOME_VERIFIED, count=3),
        pb.VerdictCount(day="2026-01-02", outcome=common.OUTCOME_SUSPECTED, count=1),
        pb.VerdictCount(day="2026-01-03", outcome=common.OUTCOME_CANCELLED, count=2),
        pb.VerdictCount(day="2025-12-01", outcome=common.OUTCOME_VERIFIED, count=9),
    ]
    chart = charts.chart_of(counts, today=date(2026, 1, 3), days=3)
    assert [bar.day for bar in chart.bars] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert (chart.highest, chart.total) == (4, 6)
    full = chart.bars[1].segments
    assert [(one.group, one.top, one.height) for one in full] == [
        ("verified", 35.0, 105.0),
        ("defect", 0.0, 35.0),
    ]
    assert [(one.group, one.percent) for one in chart.shares] == [
        ("verified", 75),
        ("defect", 25),
        ("untold", 0),
    ]
    assert charts.chart_of([], today=date(2026, 1, 3), days=3).total == 0
