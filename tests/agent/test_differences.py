"""What a finding tells of the document's words and of the place."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.agent.page.differences import as_written, in_front, way_as_written
from proofwalk.console.observation import Box, Observation, TextRun
from proofwalk.kernel.outcomes import Finding, FindingKind, distinct


@pytest.mark.parametrize(
    ("label", "sentence", "written"),
    [
        ("Create VPC", "Click Create VPC.", "Create VPC"),
        ("create  vpc", "Click Create VPC.", "Create VPC"),
        ("VPC", "Click Create VPC.", "VPC"),
        ("vpc", "Open a VPC, then the vpc.", "vpc"),
        ("Stop", "Click Stopped.", ""),
        ("row", "Click the instance ID.", ""),
        ("", "Click Create VPC.", ""),
        ("停止", "单击停止。", "停止"),
    ],
)
def test_only_what_stands_in_the_sentence_is_the_documents_own(
    label: str, sentence: str, written: str
) -> None:
    assert as_written(label, sentence) == written


@given(st.text(max_size=12), st.text(max_size=40))
def test_what_is_told_as_asked_is_a_part_of_the_sentence(label: str, sentence: str) -> None:
    assert as_written(label, sentence) in sentence
    assert way_as_written((label, "b"), sentence) in sentence


@pytest.mark.parametrize(
    ("sentence", "written"),
    [
        ("choose Network > VPCs.", "Network > VPCs"),
        ("choose Network→VPCs.", "Network→VPCs"),
        ("choose Network, then VPCs.", "Network, then VPCs"),
        ("under Network, look for VPCs.", ""),
    ],
)
def test_a_way_is_taken_with_what_stands_between(sentence: str, written: str) -> None:
    assert way_as_written(("Network", "VPCs"), sentence) == written


def page(title: str, *headings: tuple[str, float], modal: str = "") -> Observation:
    return Observation(
        url="https://c.test/vpcs",
        title=title,
        taken_at=datetime(2026, 1, 2, tzinfo=UTC),
        elements=(),
        texts=tuple(
            TextRun(text=text, role="heading", box=Box(x=300, y=y, width=90, height=20))
            for text, y in headings
        ),
        tabs=(),
        viewport=(1280, 800),
        scroll=(0, 0, 1280, 800),
        modal=modal,
    )


def test_a_place_is_called_as_a_reader_sees_it() -> None:
    # The product's name in the top bar is no heading of the page.
    shown = (("Network", 10.0), ("Notice", 90.0), ("VPCs", 140.0))
    assert in_front(page("VPCs - Network", *shown)).name == "VPCs"
    assert in_front(page("Console", *shown)).name == "Notice"
    assert in_front(page("Console")).name == "Console"
    assert in_front(page("VPCs", *shown, modal="Create network")).name == "Create network"


def test_a_fault_that_was_noted_on_two_pages_is_one() -> None:
    def noted(place: str, asked: str = "Stop", message: str = "m") -> Finding:
        return Finding(
            file="a.md",
            line=3,
            sentence="Click Stop.",
            kind=FindingKind.MOVED,
            message=f"{message} on {place}",
            asked=asked,
            place=place,
        )

    first, again, other = noted("Pumps"), noted("Pump 1"), noted("Pumps", asked="Click")
    assert distinct([first, again, other, first]) == (first, other)
    # Without words of the document, only what is said of the sentence tells them apart.
    unworded = [noted("Pumps", asked=""), noted("Pumps", asked="", message="n")]
    assert distinct(unworded) == tuple(unworded)
