"""The queue of findings and the page of one: what they show, what a decision does, and
what is told when somebody else was quicker or a role is away."""

from __future__ import annotations

from collections import deque
from urllib.parse import parse_qs, urlsplit

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.common.v1 import common_pb2 as common
from proofwalk.api.inspection.v1 import findings_pb2 as pb
from proofwalk.api.rollout.v1 import rollout_pb2 as rollout
from proofwalk.gateway.web.finding_view import (
    ALL,
    Narrowing,
    choices_of,
    evidence_of,
    narrowing_of,
)
from proofwalk.gateway.web.languages import LANGUAGES, words_in
from proofwalk.gateway.web.verification_view import view_of
from proofwalk.kernel.errors import ProofwalkError, Status, exhausted
from tests.gateway.conftest import Gateway
from tests.gateway.web import walks
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import attribute, the
from tests.gateway.web.test_verification_page import walk_of
from tests.gateway.web.walks import has_defect

QUEUE = "/console/findings"
ONE = f"{QUEUE}/fnd_1"


def test_an_address_says_what_is_looked_at() -> None:
    words = {"state": "fixed", "kind": "moved", "product": "ECS", "text": "a&b", "order": "x"}
    narrowing = narrowing_of(words)
    assert parse_qs(urlsplit(narrowing.address()).query) == {
        "state": ["fixed"],
        "kind": ["moved"],
        "product": ["ECS"],
        "text": ["a&b"],
    }
    assert narrowing_of({"state": "lost", "kind": "lost"}) == Narrowing()
    assert Narrowing().address() == QUEUE
    assert list(Narrowing().request().states) == ["open", "reopened"]
    assert list(Narrowing(state=ALL).request().states) == []
    assert narrowing.request().kinds == [common.FINDING_KIND_MOVED]


def test_a_choice_names_the_version_that_was_looked_at() -> None:
    sent = ["fnd_1:3", "fnd_2", "fnd_3:x", "fnd_4:99999999999", "fnd_5:0"]
    assert choices_of(sent) == {"fnd_1": 3, "fnd_5": 0}


def test_evidence_is_the_last_step_of_the_sentences_sub_step() -> None:
    document = rollout.GetDocumentResponse(
        substeps=[
            rollout.DocumentSubStep(number=number, text=text, line=line)
            for number, text, line in walks.SUBSTEPS
        ]
    )
    view = view_of(walk_of(document=document), step=0)
    for line, step in ((3, 1), (4, 3), (9, 3), (1, 3)):
        evidence = evidence_of(view, pb.StoredFinding(finding=common.Finding(line=line)))
        assert evidence is not None
        assert evidence.address == f"/console/verifications/ver_1/walk?step={step}"
    assert evidence_of(view_of(walk_of(steps=[]), step=0), pb.StoredFinding()) is None


async def test_the_queue_asks_as_its_address_says_and_keeps_it(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.findings.has("fnd_1", product="ECS")
    gateway.findings.next_page_token = "behind"
    gateway.findings.precisions.append(pb.Precision(facet="product", name="ECS"))
    path = f"{QUEUE}?state=all&product=ECS&policy=literal&text=ok&order=importance"
    page = (await operator.ask("GET", f"{path}&page_token=here")).text
    (asked,) = gateway.findings.listed
    assert (asked.product, asked.policy, asked.text) == ("ECS", "literal", "ok")
    assert (asked.order, asked.page_token, asked.limit) == ("importance", "here", 50)
    assert asked.caller.principal == "local"
    assert attribute(page, "#product option[selected]", "value") == "ECS"
    further = parse_qs(urlsplit(attribute(page, "[rel=next]", "href")).query)
    assert further["page_token"] == ["behind"]
    assert further["product"] == ["ECS"]
    assert "page_token=here" in attribute(page, "[data-decisions]", "action")
    assert the(page, "mark").text() == "OK"


async def test_several_are_decided_on_and_each_answer_is_told(
    gateway: Gateway, operator: Browser
) -> None:
    for number in (1, 2, 3):
        gateway.findings.has(f"fnd_{number}")
    gateway.findings.stored["fnd_2"].version = 5
    answer = await operator.client.post(
        QUEUE,
        data={
            "csrf": operator.token,
            "act": "reject",
            "words": "it is right",
            "chosen": ["fnd_1:1", "fnd_2:1", "fnd_9:1"],
        },
        headers={"Origin": gateway.url},
    )
    assert answer.status_code == 200
    outcome = the(answer.text, "#outcome").text()
    assert [code in outcome for code in ("stale_version", "not_found")] == [True, True]
    states = {name: one.state for name, one in gateway.findings.stored.items()}
    assert states == {"fnd_1": "rejected", "fnd_2": "open", "fnd_3": "open"}
    assert attribute(answer.text, "#words", "value") == "it is right", "nothing is lost"
    assert 'value="fnd_2:5"' in answer.text, "the next decision is about what it is now"
    assert "fnd_1:" not in str(the(answer.text, "#queue").html)


async def test_a_decision_on_several_that_cannot_be_made_is_told(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.findings.has()
    fields = {"act": "reject", "words": "", "chosen": "fnd_1:1"}
    answer = await operator.ask("POST", QUEUE, fields=fields)
    assert (answer.status_code, "finding.no_reason" in answer.text) == (422, True)
    answer = await operator.ask("POST", QUEUE, fields={"act": "accept", "words": "why"})
    assert "No finding was chosen" in answer.text
    assert attribute(answer.text, "#words", "value") == "why"


async def test_one_finding_is_told_whole(gateway: Gateway, operator: Browser) -> None:
    has_defect(gateway)
    gateway.findings.has(finding=walks.finding(), assignee="ann", product="ECS")
    gateway.findings.patch = pb.ProposePatchResponse(diff="--- a\n+++ b\n-OK\n+Confirm\n")
    page = (await operator.ask("GET", ONE)).text
    for words in ("Click **Stop**", "Confirm", "Stop the instance", "ann", "ECS", "Not walked"):
        assert words in page, words
    assert the(page, ".diff .added").text().strip() == "+Confirm"
    assert 'href="/console/verifications/ver_1/walk?step=3"' in page
    assert the(page, "#evidence-title ~ img").attributes["src"]
    assert "Found" in the(page, ".history").text()
    gateway.findings.patch.proven_by = "ver_7"
    page = (await operator.ask("GET", ONE)).text
    assert "Proven by a walk" in page
    assert 'href="/console/verifications/ver_7/walk"' in page


@pytest.mark.parametrize(
    ("act", "words", "state"),
    [
        ("accept", "", "accepted"),
        ("reject", "it is right", "rejected"),
        ("fix", "", "fixed"),
        ("assign", "ann", "open"),
        ("comment", "hm", "open"),
    ],
)
async def test_a_decision_is_made_by_a_form(
    gateway: Gateway, operator: Browser, act: str, words: str, state: str
) -> None:
    stored = gateway.findings.has()
    page = (await operator.ask("GET", ONE)).text
    button = the(page, f"button[value={act}]")
    assert button.attributes["name"] == "act"
    fields = {"act": act, "words": words, "version": "1"}
    answer = await operator.ask("POST", ONE, fields=fields)
    assert (answer.status_code, answer.headers["location"]) == (303, ONE)
    assert (stored.state, gateway.findings.events["fnd_1"][-1].words) == (state, words)
    again = (await operator.ask("GET", ONE)).text
    assert ("button" in again, f'value="{act}"' in again) == (True, act in stored.acts)


async def test_whoever_was_slower_is_told_and_keeps_what_was_written(
    gateway: Gateway, operator: Browser
) -> None:
    gateway.findings.has(version=4)
    fields = {"act": "reject", "words": "the <b> is right", "version": "3"}
    answer = await operator.ask("POST", ONE, fields=fields)
    assert (answer.status_code, "finding.stale_version" in answer.text) == (409, True)
    assert attribute(answer.text, "#reject-words", "value") == "the <b> is right"
    assert attribute(answer.text, "input[name=version]", "value") == "4"
    gone = await operator.ask("POST", f"{QUEUE}/fnd_9", fields=fields)
    assert (gone.status_code, "finding.not_found" in gone.text) == (404, True)


async def test_a_role_that_is_away_says_so_in_its_part_alone(
    gateway: Gateway, operator: Browser
) -> None:
    away = ProofwalkError("rpc.unimplemented", "nobody answers there", status=Status.UNIMPLEMENTED)
    gateway.findings.has()
    gateway.findings.errors["GetPrecision"] = deque([away] * 99)
    page = await operator.ask("GET", QUEUE)
    assert (page.status_code, "nobody answers there" in page.text) == (200, True)
    assert 'value="fnd_1:1"' in page.text
    gateway.findings.errors["ListFindings"] = deque([away] * 99)
    page = await operator.ask("GET", QUEUE)
    assert (page.status_code, page.text.count("nobody answers there")) == (200, 2)
    gateway.rollout.errors["GetVerification"] = deque([away] * 99)
    gateway.findings.errors["ProposePatch"] = deque(
        [exhausted("document.busy", "too much to read")]
    )
    page = await operator.ask("GET", ONE)
    assert page.status_code == 200
    assert "nobody answers there" in page.text
    assert "too much to read" in page.text


async def test_a_viewer_sees_no_decisions(gateway: Gateway, visitors: SignIn) -> None:
    gateway.findings.has()
    reader = await visitors("pw_reader")
    for path in (QUEUE, ONE):
        page = (await reader.ask("GET", path)).text
        assert 'name="act"' not in page
        assert 'name="chosen"' not in page


async def test_precision_is_told_with_its_interval(gateway: Gateway, operator: Browser) -> None:
    gateway.findings.precisions += [
        pb.Precision(accepted=8, rejected=2, waiting=3, share=0.8, low=0.49, high=0.94),
        pb.Precision(facet="kind", name="renamed", waiting=1),
    ]
    panel = the((await operator.ask("GET", QUEUE)).text, "#precision").text()
    assert "80 % (95 % interval: 49 to 94 %)" in panel
    assert "8 accepted of 10 reviewed; 3 without a review" in panel
    assert "none reviewed" in panel


@pytest.mark.parametrize("language", LANGUAGES)
async def test_an_empty_queue_says_why_and_what_to_do(
    gateway: Gateway, operator: Browser, language: str
) -> None:
    words = words_in(language)
    headers = {"Accept-Language": language}
    page = (await operator.ask("GET", QUEUE, headers=headers)).text
    assert words("review.empty.why") in page
    assert words("review.empty.next") in page
    page = (await operator.ask("GET", f"{QUEUE}?state=fixed", headers=headers)).text
    assert words("review.nothing_so.why") in page
