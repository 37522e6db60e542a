"""Documents in other words: nothing is lost, and what is asked for stays."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.datasets.rewording.frames import FRAMES
from proofwalk.datasets.rewording.sentences import reworded, reworded_sentence
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import InlineRole, Procedure, Sentence

GAP = re.compile(r"<(\w+?)_*[+*~]?>")


def procedure(*steps: str) -> Procedure:
    text = "# Stop it\n\n" + "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    (found,) = load("a.md", text.encode()).procedures
    return found


def sentence(text: str) -> Sentence:
    return procedure(text).substeps[0].sentences[0]


def said(text: str, seed: int = 0, language: str = "en") -> str:
    return reworded_sentence(sentence(text), language=language, chance=Random(seed)).text


def marked(one: Sentence) -> list[tuple[str, str]]:
    return sorted((run.role.value, run.text) for run in one.inlines if run.role != InlineRole.TEXT)


@pytest.mark.parametrize("language", FRAMES)
def test_every_way_has_every_gap_of_its_clause_once(language: str) -> None:
    for clause, ways in FRAMES[language]:
        # What stands in one branch is the same gap in another.
        gaps = set(GAP.findall(clause)) | set(re.findall(r"\?P<(\w+)>", clause))
        assert ways
        for way in ways:
            named = re.findall(r"<(\w+)>", way)
            assert sorted(named) == sorted(gaps), (clause, way)


SENTENCES = (
    "Log on to the **Shop** console.",
    "In the left-side navigation pane, choose **Goods** > **Shelves**.",
    "Find the shelf that is empty and click **Fill** in the **Actions** column.",
    "In the **Actions** column of the shelf, choose **More** > **Fill**.",
    "In the **Name** field, enter `shelf-1`.",
    "From the **Size** drop-down list, select the size that fits and click **OK**.",
    "Select **Large** as **Size**, and then click **Next**.",
    "Turn the **Lock** switch on. Click **OK**.",
    "Wait until the status of the shelf changes to **Full**.",
    "Click **Create** and keep the page open.",
)


@pytest.mark.parametrize("text", SENTENCES)
@given(seed=st.integers(0, 10_000))
def test_labels_and_values_stay_and_the_words_change(text: str, seed: int) -> None:
    before = sentence(text)
    after = reworded_sentence(before, language="en", chance=Random(seed))
    assert marked(after) == marked(before)
    assert after.text != before.text
    assert after.text[0].isupper() or after.inlines[0].role != InlineRole.TEXT
    assert after.text.endswith(".")
    assert after.span == before.span


def test_clauses_are_said_otherwise_one_by_one() -> None:
    ways = {
        said("Select **Large** as **Size**, and then click **Next**.", seed) for seed in range(60)
    }
    assert len(ways) > 15
    assert "Let Size be Large; then press Next." in ways


@pytest.mark.parametrize(
    "text",
    [
        "The **Shelves** page appears.",
        "Enter `a` in the **From** field and `b` in the **To** field.",
        "Set **Size** to **Large** and **Colour** to **Red**.",
        "Configure the parameters that are described in the following table.",
        "Shelves are full.",
    ],
)
def test_what_no_frame_has_or_leans_on_what_comes_before_it_stays(text: str) -> None:
    assert {said(text, seed) for seed in range(20)} == {sentence(text).text}


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("单击**确定**。", "按下确定。"),
        ("在**名称**中输入 `a1`。", "名称填a1。"),
        ("在左侧导航栏选择**货架** > **列表**。", "通过左侧菜单进入货架>列表。"),
    ],
)
def test_chinese_documents_are_said_otherwise_too(text: str, way: str) -> None:
    assert way in {said(text, seed, "zh") for seed in range(30)}


def test_the_same_seed_gives_the_same_words_and_everything_else_stays() -> None:
    before = procedure(*SENTENCES)
    one, other = (reworded(before, language="en", seed=f"ep_1/{number}") for number in (1, 2))
    assert one == reworded(before, language="en", seed="ep_1/1")
    assert one != other
    assert [step.number for step in one.substeps] == [step.number for step in before.substeps]
    assert [step.span for step in one.substeps] == [step.span for step in before.substeps]
    assert one.substeps[4].text == one.substeps[4].sentences[0].text
    assert reworded(before, language="fr", seed="ep_1/1") == before
