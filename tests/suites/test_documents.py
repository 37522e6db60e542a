"""Documents read back as they were written, in every format, and scripts are aligned
with their sub-steps."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.selection import select
from proofwalk.suites.families.generation import task_of
from proofwalk.suites.model import SUFFIXES
from proofwalk.suites.writing.blocks import Block, Entry, Heading, Steps, Table
from proofwalk.suites.writing.documents import write
from proofwalk.suites.writing.markup import render
from proofwalk.suites.writing.page_styles import Style, draw_style
from proofwalk.suites.writing.text_runs import Role, runs, visible

FORMATS = tuple(SUFFIXES)
ALL = [
    *("vpc-create", "vpc-vswitch", "vpc-delete", "vpc-both", "vpc-suitable"),
    *("ecs-stop", "ecs-attach", "ecs-release-running", "ecs-stop-moved", "ecs-stop-protected"),
]
# what labels and sentences of consoles are made of
words = st.text(
    alphabet=st.sampled_from("abcXYZ019 .,:;()[]_-/&<>*`\\|#'\"%$é单击在（）、"),
    min_size=1,
    max_size=12,
)


def neutral(text: str) -> str:
    """Text that means itself in the neutral form: no marks of its own."""
    return re.sub(r"[*`\[\]]", "", " ".join(text.split()))


sentence = st.lists(
    st.one_of(
        words.map(neutral),
        words.map(lambda text: neutral(text).strip()).filter(bool).map(lambda text: f"**{text}**"),
        words.map(lambda text: re.sub(r"[`\\\\]", "", text).strip())
        .filter(bool)
        .map(lambda text: f"`{text}`"),
    ),
    min_size=1,
    max_size=5,
).map(lambda parts: "Click " + " ".join(parts) + " x")


@settings(deadline=None)
@given(st.sampled_from(FORMATS), st.lists(sentence, min_size=2, max_size=4), st.integers(0, 30))
def test_any_step_reads_back_with_its_labels_and_values(
    media_type: str, texts: list[str], seed: int
) -> None:
    blocks: list[Block] = [
        Heading(level=1, text="T"),
        Heading(level=2, text="Procedure"),
        Steps(entries=tuple(Entry(text=text) for text in texts)),
    ]
    page = render(media_type, blocks, draw_style(Random(seed)), language="en", product="ecs")
    substeps = select(load("d", page.encode(), media_type)).substeps
    assert len(substeps) == len(texts)
    for substep, text in zip(substeps, texts, strict=True):
        assert "".join(substep.text.split()) == "".join(visible(text).split())
        said = [
            inline.text
            for one in substep.sentences
            for inline in one.inlines
            if inline.role in (InlineRole.STRONG, InlineRole.CODE)
        ]
        meant = [run.text for run in runs(text) if run.role in (Role.STRONG, Role.CODE)]
        assert "".join("".join(said).split()) == "".join("".join(meant).split())


@pytest.mark.parametrize("media_type", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        "在**操作**列单击**创建（专业版）**下的`a_b`。",
        "See [Stop an instance](stop.html) for **A** > **B**.",
    ],
)
def test_marks_without_spaces_and_links_read_back(media_type: str, text: str) -> None:
    blocks: list[Block] = [
        Heading(level=1, text="T"),
        Heading(level=2, text="操作步骤"),
        Steps(entries=(Entry(text=text), Entry(text="End."))),
    ]
    page = render(media_type, blocks, draw_style(Random(1)), language="zh", product="ecs")
    assert "".join(
        select(load("d", page.encode(), media_type)).substeps[0].text.split()
    ) == "".join(visible(text).split())


@pytest.mark.parametrize("media_type", FORMATS)
def test_tables_and_nested_steps_read_back(media_type: str) -> None:
    table = Table(
        header=("Parameter", "Description"),
        rows=(("**Name**", "Enter `web|1`."), ("**Zone**", "Select **H**.")),
    )
    entries = (
        Entry(text="First.", entries=(Entry(text="Set.", table=table), Entry(text="Go."))),
        Entry(text="Last."),
    )
    blocks: list[Block] = [
        Heading(level=1, text="T"),
        Heading(level=2, text="Procedure"),
        Steps(entries=entries),
    ]
    for seed in range(6):
        page = render(media_type, blocks, draw_style(Random(seed)), language="en", product="ecs")
        substeps = select(load("d", page.encode(), media_type)).substeps
        assert [(one.number, one.text) for one in substeps] == [
            ("1", "First."),
            ("1.1", "Set."),
            ("1.2", "Go."),
            ("2", "Last."),
        ]
        assert substeps[1].blocks[0].rows[1:] == (("Name", "Enter web|1."), ("Zone", "Select H."))


@pytest.mark.parametrize("family", ALL)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_shape_of_a_document_is_aligned_with_its_script(
    composed: Any, family: str, language: str
) -> None:
    for seed in range(3):
        draft = composed(family, language=language, seed=seed)
        for media_type in FORMATS:
            written = write(draft, Random(seed), media_type=media_type)
            assert len(written.substeps) == len(written.script)
            done = [dict(action) for entry in written.script for action in entry]
            assert done == [dict(action) for item in draft.items for action in item.do], (
                "nothing is lost or done twice"
            )
            task = task_of(draft, written, suite_id="s")
            assert len(parse_script(task.script_yaml).entries) == len(written.substeps)
            assert len(yaml.safe_load(task.script_yaml)) == len(written.substeps)


def test_documents_differ_in_form(composed: Any) -> None:
    drafts = [composed("vpc-both", seed=seed) for seed in range(40)]
    pages = [write(draft, Random(seed)) for seed, draft in enumerate(drafts)]
    assert {page.media_type for page in pages} == set(FORMATS)
    assert any(block.rows for page in pages for one in page.substeps for block in one.blocks), (
        "some forms are tables"
    )
    assert any("." in one.number for page in pages for one in page.substeps), (
        "some chains are grouped"
    )
    assert any("Step 1" in page.text for page in pages)
    assert len({page.text for page in pages}) == 40


def test_a_step_that_does_not_read_back_is_refused(composed: Any) -> None:
    draft = composed("ecs-stop")
    broken = replace(draft.items[1], text="Do this.\n\n1. And that.")
    section = replace(draft.sections[0], items=(draft.items[0], broken))
    with pytest.raises(ProofwalkError) as caught:
        write(replace(draft, sections=(section,)), Random(1), media_type="text/markdown")
    assert caught.value.code == "suite.document_mismatch"


def test_styles_are_drawn_from_the_seed() -> None:
    assert draw_style(Random(5)) == draw_style(Random(5))
    assert len({draw_style(Random(seed)) for seed in range(30)}) > 10
    assert isinstance(draw_style(Random(1)), Style)
