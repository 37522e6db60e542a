"""Another vendor's console without a line of code for it: a target file, a document, a
rule, and verdicts with what they rest on."""

from __future__ import annotations

import time

import pytest

from proofwalk.orders.body import read_request
from proofwalk.orders.verification import VerificationBody
from tests.e2e.generic_console import DOCUMENT, PASSWORD, RULE, TARGETS, TENANT, running
from tests.e2e.installation import HANGS_S, Installation, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
NAME = "create-a-project.md"


async def _verify(
    found: Installation, target: str, text: str = DOCUMENT, *, key: str = ""
) -> VerificationBody:
    body = {"document": {"text": text, "name": NAME}, "target": target, "rule": RULE, "attempts": 1}
    created = await found.client.create(read_request(body), key=key or target)
    return await found.finish(created["verification_id"])


async def _left_nothing(found: Installation) -> None:
    assert await found.account_states() == ["free"] * len(TARGETS)
    assert (
        await found.rows("rollout", "select key from rollout_intents where state <> 'undone'") == []
    )
    assert (
        await found.rows(
            "sandbox_scheduler", "select id from sandbox_scheduler_sandboxes where state <> 'ended'"
        )
        == []
    )
    assert found.browsers() == []


async def test_a_verdict_rests_on_the_journal_where_there_is_one_and_says_so_where_there_is_none() -> (
    None
):
    params = {"name": "doc-project", "environment": "production"}
    with home() as folder:
        async with running(folder) as (found, harbor):
            # Neither an earlier project of this tenant nor another tenant's of this
            # moment is what the walk did.
            strangers = {
                harbor.record("add", params, at=time.time() - 3600),
                harbor.record("add", params, tenant="tenant-8", at=time.time() + 5),
            }

            logged = await _verify(found, "harbor")
            verdict = logged["verdict"]
            assert (verdict["outcome"], verdict["evidence"]) == ("verified", "audit"), verdict
            (line,) = [line for line in harbor.written() if line["uid"] not in strangers]
            assert verdict["audit_events"] == [line["uid"]]
            assert (line["tenant"], line["params"]) == (TENANT, params)
            assert {step["status"] for step in verdict["substeps"]} == {"verified"}
            page = (await found.client.report(logged["verification_id"])).decode()
            assert str(line["uid"]) in page
            assert PASSWORD not in page + str(await found.client.events(logged["verification_id"]))

            harbor.projects.clear()
            blind = (await _verify(found, "harbor-blind"))["verdict"]
            assert (blind["outcome"], blind["evidence"]) == ("verified", "page"), blind
            assert "no audit log" in blind["reason"]
            assert "weaker" in blind["reason"]
            assert not blind.get("audit_events")
            assert harbor.projects == {"doc-project": "production"}
            await _left_nothing(found)


async def test_a_wrong_button_is_found_on_its_line_and_a_journal_without_the_effect_is_no_verdict_on_the_document() -> (
    None
):
    text = DOCUMENT.replace("**Save project**", "**Publish project**")
    with home() as folder:
        async with running(folder) as (found, harbor):
            # One after the other: both act as one tenant, and what the second does
            # would contradict the first one's finding.
            wrong = (await _verify(found, "harbor", text))["verdict"]
            denied = (await _verify(found, "harbor-elsewhere"))["verdict"]

            assert wrong["outcome"] == "doc_defect", wrong
            assert (wrong["goal"], [one["episode"] for one in wrong["sightings"]]) == (
                "yes",
                [1, 2],
            )
            finding = wrong["finding"]
            assert finding is not None
            (line,) = [
                number
                for number, row in enumerate(text.splitlines(), 1)
                if "Publish project" in row
            ]
            assert (finding["file"], finding["line"]) == (NAME, line)
            assert "Publish project" in finding["sentence"]
            assert "Save project" in str(finding["candidates"])

            assert (denied["outcome"], denied.get("finding")) == ("agent_failure", None), denied
            assert {step["status"] for step in denied["substeps"]} == {"not_verified"}
            assert len(harbor.written()) == 3, (
                "both sightings went on with the button that is there, and so did the other walk"
            )
            await _left_nothing(found)
