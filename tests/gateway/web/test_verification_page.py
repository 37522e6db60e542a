"""The page of a walk and of two walks: what it shows, where its links lead, and that no
text from outside becomes markup."""

from __future__ import annotations

import json
import os
import re
from collections import deque
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.gateway.walks import MOST_STEPS, Walk
from proofwalk.gateway.web.languages import LANGUAGES, words_in
from proofwalk.gateway.web.verification_view import phases_of, view_of
from proofwalk.kernel.errors import not_found
from proofwalk.kernel.jobs import EpisodePhase
from proofwalk.kernel.outcomes import Evidence, FindingKind, Goal, SubStepStatus
from tests.gateway.conftest import Gateway
from tests.gateway.web import walks
from tests.gateway.web.walks import has_defect, put_walk, step

PAGE = "/console/verifications/ver_1/walk"
GOLDEN = Path(__file__).parent / "walk_page.txt"
CORPUS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "javascript:alert(1)",
    "</textarea></details><svg/onload=alert(1)>",
    "{{ 7*7 }}{% raw %}",
    "\u202e\u0000&lt;b&gt;",
)


def text_of(page: str) -> str:
    """What the page says, a line for each text."""
    main = LexborHTMLParser(page).css_first("main")
    assert main is not None
    texts = (one.strip() for one in main.text(separator="\n").splitlines())
    return "\n".join(filter(None, texts)) + "\n"


def links_of(page: str) -> list[str]:
    """Where the page's elements lead, and what they load."""
    nodes = LexborHTMLParser(page).css("[href], [src]")
    return [one.attributes.get("href") or one.attributes.get("src") or "" for one in nodes]


def walk_of(**values: object) -> Walk:
    fields = {
        "verification": pb.Verification(verification_id="ver_1"),
        "episode": 1,
        "steps": walks.steps(),
        "is_open": False,
        "document": None,
        "evidence": pb.GetEvidenceResponse(),
    }
    return Walk(**{**fields, **values})  # type: ignore[arg-type]


async def test_the_page_tells_what_it_told_when_it_was_looked_at(
    gateway: Gateway, operator: Browser
) -> None:
    """Write the file anew (`PROOFWALK_WRITE_GOLDEN=1`) when the page is changed on
    purpose."""
    has_defect(gateway)
    answer = await operator.ask("GET", PAGE)
    assert answer.status_code == 200
    if os.environ.get("PROOFWALK_WRITE_GOLDEN"):
        GOLDEN.write_text(text_of(answer.text), encoding="utf-8")
    assert text_of(answer.text) == GOLDEN.read_text(encoding="utf-8")
    for name in ("compare", "report", "json", "trajectory?episode=2", "trace?episode=2"):
        assert f"/console/verifications/ver_1/{name}" in links_of(answer.text)


async def test_a_step_has_an_address_that_works_without_script(
    gateway: Gateway, operator: Browser
) -> None:
    has_defect(gateway)
    for query, shown, lit in (
        ("", "3", "2"),
        ("?step=1", "1", "1"),
        ("?step=2", "2", "2"),
        ("?step=99", "3", "2"),
    ):
        page = LexborHTMLParser((await operator.ask("GET", PAGE + query)).text)
        assert [one.attributes["data-step"] for one in page.css(".shot:not([hidden])")] == [shown]
        assert [one.attributes["data-of"] for one in page.css("[aria-current=step]")] == [lit]
        assert [one.attributes["id"] for one in page.css(".source .lit")] == [
            {"1": "line-3", "2": "line-4"}[lit]
        ]
        assert page.css(f'.film a[href="{PAGE}?step=2"]')


async def test_another_episode_keeps_its_number_in_every_steps_address(
    gateway: Gateway, operator: Browser
) -> None:
    has_defect(gateway)
    page = (await operator.ask("GET", f"{PAGE}?episode=1")).text
    steps = [one for one in links_of(page) if "?step=" in one]
    assert steps
    assert all(one.endswith("&episode=1") for one in steps)


async def test_while_it_walks_the_newest_step_is_shown_and_the_page_says_so(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.has(state="running")
    put_walk(gateway.rollout, "ver_1", walks.steps()[:2], is_open=True)
    page = (await operator.ask("GET", PAGE)).text
    assert "data-open" in page
    assert [one.id for one in LexborHTMLParser(page).css(".shot:not([hidden])")] == ["step-2"]
    assert "/report" not in page


async def test_before_the_first_step_the_page_says_what_will_come(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.has(state="queued")
    page = (await operator.ask("GET", PAGE)).text
    assert "No step was taken yet." in page
    assert "The procedure was not read yet." in page


async def test_a_document_that_is_gone_leaves_the_walk(gateway: Gateway, operator: Browser) -> None:
    has_defect(gateway)
    gateway.rollout.errors["GetDocument"] = deque([not_found("blob.not_found", "no blob")])
    answer = await operator.ask("GET", PAGE)
    assert answer.status_code == 200
    assert walks.SUBSTEPS[1][1].split("**")[1] in answer.text, "the verdict has the sub-steps too"


async def test_a_long_walk_is_read_in_parts(gateway: Gateway, operator: Browser) -> None:
    has_defect(gateway).at_once = 1
    page = (await operator.ask("GET", PAGE)).text
    assert page.count('<article class="shot"') == 3


async def test_no_text_from_outside_becomes_markup(gateway: Gateway, operator: Browser) -> None:
    _poison(gateway, "words")
    paths = (PAGE, "/console/verifications/ver_1/compare?with=ver_1")
    clean = [_shape((await operator.ask("GET", path)).text) for path in paths]
    for hostile in CORPUS:
        _poison(gateway, hostile)
        pages = [(await operator.ask("GET", path)).text for path in paths]
        assert [_shape(page) for page in pages] == clean, hostile
        for page in pages:
            assert all(one.startswith(("/", "#")) for one in links_of(page)), hostile
            assert hostile.replace("\0", "").strip() in text_of(page)


def _shape(page: str) -> list[tuple[str | None, list[str]]]:
    """Elements with the names of their attributes."""
    return [(one.tag, sorted(one.attributes)) for one in LexborHTMLParser(page).css("*")]


def _poison(gateway: Gateway, hostile: str) -> None:
    walk = has_defect(gateway)
    for one in walk.steps:
        one.thought = one.result = one.url = hostile
        one.action_json = f'{{"type": "type", "text": {json.dumps(hostile)}}}'
    walk.document.text = hostile.join(("", *walk.document.text.splitlines(keepends=True)))
    for told in walk.document.substeps:
        told.text = hostile
    verification = gateway.rollout.verifications["ver_1"]
    verification.title = verification.document = verification.target = hostile
    verdict = verification.verdict
    verdict.reason = verdict.code = hostile
    for found in (verdict.finding, *(one.finding for one in verdict.sightings)):
        found.file = found.message = found.offered = found.place = hostile
        found.sentence, found.asked = f"a {hostile} b", hostile
        found.candidates[:] = [hostile]
    for judge in verdict.judges:
        judge.judge = judge.model = judge.reason = judge.evidence[0].quote = hostile
    for substep in verdict.substeps:
        substep.reason = hostile
        for act in substep.reading.acts:
            act.asked = hostile
    for event in walk.evidence.events:
        event.event.request_json = event.event.name = event.event.expectation = hostile
    for made in walk.evidence.provisions:
        made.text = hostile


async def test_a_comparison_marks_the_first_difference_and_shows_outcomes_beside_each_other(
    gateway: Gateway, operator: Browser
) -> None:
    has_defect(gateway)
    gateway.has(
        "ver_2",
        state="finished",
        document="stop.md",
        verdict=pb.Verdict(outcome=common.OUTCOME_VERIFIED, seconds=8),
    )
    put_walk(
        gateway.rollout,
        "ver_2",
        [*walks.steps()[:2], step(3, "2", "clicked Confirm")],
        evidence=pb.GetEvidenceResponse(phases=[pb.PhaseTime(phase="walk", seconds=2)]),
    )
    page = (await operator.ask("GET", "/console/verifications/ver_1/compare?with=ver_2")).text
    rows = re.findall(r'<tr class="(same|different)( first)?"', page)
    assert rows == [("same", ""), ("same", ""), ("different", " first")]
    text = text_of(page)
    for told in ("2 of 3 rows are the same.", "First difference", "12.5 s", "8.0 s", "Verified"):
        assert told in text
    chosen = (await operator.ask("GET", "/console/verifications/ver_1/compare")).text
    assert "/console/verifications/ver_1/compare?with=ver_2" in links_of(chosen)


async def test_a_comparison_with_what_is_not_there_is_an_error_page(
    gateway: Gateway, operator: Browser
) -> None:
    has_defect(gateway)
    answer = await operator.ask("GET", "/console/verifications/ver_1/compare?with=ver_9")
    assert (answer.status_code, "verification.not_found" in answer.text) == (404, True)


@pytest.mark.parametrize("prefix", ["/console", "/v1"])
async def test_a_picture_is_private_never_guessed_at_and_kept_for_good(
    gateway: Gateway, operator: Browser, prefix: str
) -> None:
    walk = has_defect(gateway)
    address, content = next(iter(walk.pictures.items()))
    ask = operator.client.get if prefix == "/console" else gateway.client.get
    answer = await ask(f"{prefix}/verifications/ver_1/pictures/{address}")
    assert (answer.status_code, answer.content) == (200, content)
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "private, max-age=31536000, immutable"
    none = await ask(f"{prefix}/verifications/ver_1/pictures/{'0' * 64}")
    assert (none.status_code, "picture.not_found" in none.text) == (404, True)


async def test_steps_over_rest_come_behind_a_number(gateway: Gateway) -> None:
    has_defect(gateway)
    answer = (await gateway.client.get("/v1/verifications/ver_1/steps?after=1&episode=2")).json()
    assert [one["number"] for one in answer["steps"]] == [2, 3]
    assert (answer["episode"], answer["more"], answer["open"]) == (2, False, False)
    assert answer["steps"][0]["action"] == {"type": "click", "id": 2}
    assert "action_json" not in answer["steps"][0]


async def test_artefacts_and_json_are_had_with_a_session(
    gateway: Gateway, operator: Browser
) -> None:
    has_defect(gateway)
    path = "/console/verifications/ver_1"
    assert (await operator.ask("GET", f"{path}/json")).json()["verification_id"] == "ver_1"
    for name, content in (
        ("trajectory?episode=2", b"trajectory of episode 2"),
        ("trajectory?images=true", b"bundle of episode 0"),
        ("trace", b"trace of episode 0"),
        ("har", b"har of episode 0"),
    ):
        assert (await operator.ask("GET", f"{path}/{name}")).content == content


def test_a_walk_that_nobody_tells_the_procedure_of_has_the_sub_steps_that_its_steps_name() -> None:
    view = view_of(walk_of(), step=0)
    assert [(one.number, one.first_step) for one in view.substeps] == [("1", 1), ("2", 2)]
    assert (view.chosen and view.chosen.number, view.line_of(view.steps[0])) == (3, 0)


def test_of_a_very_long_walk_the_beginning_is_shown() -> None:
    many = [step(number % 50, "1", "") for number in range(MOST_STEPS)]
    assert view_of(walk_of(steps=many), step=0).is_cut
    assert not view_of(walk_of(), step=0).is_cut


def test_phases_of_two_walks_stand_in_columns() -> None:
    views = [
        view_of(walk_of(evidence=pb.GetEvidenceResponse(phases=phases)), step=0)
        for phases in ([pb.PhaseTime(phase="walk", seconds=2)], [pb.PhaseTime(phase="judge")])
    ]
    assert phases_of(*views) == [("judge", [None, 0.0]), ("walk", [2.0, None])]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_a_verdict_has_its_message(language: str) -> None:
    words = words_in(language)
    kinds = {
        "evidence": Evidence,
        "goal": Goal,
        "finding_kind": FindingKind,
        "substep_status": SubStepStatus,
    }
    for group, kind in kinds.items():
        for word in kind:
            assert words(f"{group}.{word}")
    for phase in EpisodePhase:
        assert phase is EpisodePhase.DONE or words(f"phase.{phase}")
