"""What a need is kept for, and what is told of what was made for it."""

from __future__ import annotations

import pytest

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.kernel.needs import (
    LONGEST_INTENT,
    MadeResource,
    intent_of_procedure,
    report_of,
)
from proofwalk.kernel.staleness import LONGEST_REASON, blames_the_record, reason_of


def test_a_procedures_intent_is_its_id() -> None:
    assert intent_of_procedure("stop-an-instance") == "Procedure stop-an-instance"
    longest = "x" * (LONGEST_INTENT - len("Procedure "))
    assert intent_of_procedure(longest) == f"Procedure {longest}"


@pytest.mark.parametrize("procedure", ["x" * LONGEST_INTENT, "x" * 1000, "é" * 400])
def test_an_intent_that_is_too_long_has_the_longest_form_and_its_own_end(procedure: str) -> None:
    intent = intent_of_procedure(procedure)
    start, _, digest = intent.rpartition("~")
    assert len(intent) == LONGEST_INTENT
    assert f"Procedure {procedure}".startswith(start)
    assert len(digest) == 12
    assert intent_of_procedure(procedure + "x") != intent


@pytest.mark.parametrize("procedure", ["", "a\nb", "\u200b" * 300, "é\t" * 99])
def test_every_intent_is_one_printable_line_within_its_length(procedure: str) -> None:
    intent = intent_of_procedure(procedure)
    assert intent.isprintable()
    assert len(intent) <= LONGEST_INTENT


def test_ids_that_differ_in_what_cannot_be_printed_have_intents_of_their_own() -> None:
    assert len({intent_of_procedure(one) for one in ("ab", "a\nb", "a\tb")}) == 3


def test_a_report_names_what_was_made_first_and_what_it_stands_on() -> None:
    web = MadeResource(product="ecs", type="instance", id="i-1", name="web", state="Running")
    network = MadeResource(product="vpc", type="vpc", id="vpc-1")
    assert web.words == 'ecs instance i-1 named "web", Running'
    assert network.words == "vpc vpc vpc-1"
    report = report_of([web, network], "It is yours.")
    assert report.resources == (web, network)
    assert report.text.splitlines() == [
        "Provisioned on request:",
        f"- {web.words}",
        "- vpc vpc vpc-1",
        "It is yours.",
    ]


def test_a_record_is_stale_by_what_the_cloud_refused_and_not_by_trouble() -> None:
    refused = ProofwalkError("provision.no_stock", "none\n left \x00", status=Status.ABORTED)
    assert blames_the_record(refused)
    assert not blames_the_record(ProofwalkError("provision.throttled", "", status=refused.status))
    assert reason_of(refused) == "provision.no_stock: none left "
    long = ProofwalkError("meta.invalid", "x" * 1000, status=refused.status)
    assert len(reason_of(long)) == LONGEST_REASON
