"""A step that is missing comes before the one that failed, in the list's own style; a
step that is gone leaves a list that counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.findings.attempts import Refusal
from proofwalk.kernel.outcomes import FindingKind
from tests.findings.documents import finding, refusal_of, text_of

MISSING_STEP, GONE = FindingKind.MISSING_STEP, FindingKind.MISSING

ADDED = {
    "numbered": (
        "1. Click **A**.\n2. Click **B**.\n3. Click **C**.\n",
        "1. Click **A**.\n2. Specify **Zone**.\n3. Click **B**.\n4. Click **C**.\n",
    ),
    "one number for all": (
        "1. Click **A**.\n1. Click **B**.\n",
        "1. Click **A**.\n1. Specify **Zone**.\n1. Click **B**.\n",
    ),
    "blank lines between": (
        "1) Click `A`.\n\n2) Click `B`.\n\nEnd.\n",
        "1) Click `A`.\n\n2) Specify `Zone`.\n\n3) Click `B`.\n\nEnd.\n",
    ),
    "a number that grows": (
        "8. Click **A**.\n9. Click **B**.\n\n   - Is it there?\n10. Click **C**.\n",
        "8. Click **A**.\n9. Specify **Zone**.\n10. Click **B**.\n\n    - Is it there?\n11. Click"
        " **C**.\n",
    ),
    "bullets": (
        "- Click *A*.\n- Click *B*.\n",
        "- Click *A*.\n- Specify *Zone*.\n- Click *B*.\n",
    ),
    "nested": (
        "1. Do these:\n   1. Click **A**.\n   2. Click **B**.\n2. Click **C**.\n",
        "1. Do these:\n   1. Click **A**.\n   2. Specify **Zone**.\n   3. Click **B**.\n2. Click"
        " **C**.\n",
    ),
    "quoted": (
        "> 1. Click **A**.\n> 2. Click **B**.\n",
        None,
    ),
    "no last newline": (
        "1. Click **A**.\r\n2. Click **B**.",
        "1. Click **A**.\r\n2. Specify **Zone**.\r\n3. Click **B**.",
    ),
}


@pytest.mark.parametrize("name", ADDED)
def test_a_missing_step_is_added_in_markdown(name: str) -> None:
    before, after = ADDED[name]
    line = next(at for at, text in enumerate(before.split("\n"), 1) if "B" in text)
    one = finding(MISSING_STEP, line, "Click B.", offered="Zone")
    if after is None:
        assert refusal_of(one, before.encode()) is Refusal.UNREADABLE
    else:
        assert text_of(one, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("#. Click :guilabel:`A`.\n#. Click :guilabel:`B`.\n",
         "#. Click :guilabel:`A`.\n#. Specify :guilabel:`Zone`.\n#. Click :guilabel:`B`.\n"),
        ("1. Click **A**.\n\n2. Click **B**.\n",
         "1. Click **A**.\n\n2. Specify **Zone**.\n\n3. Click **B**.\n"),
    ],
)  # fmt: skip
def test_a_missing_step_is_added_in_restructured_text(before: str, after: str) -> None:
    line = next(at for at, text in enumerate(before.split("\n"), 1) if "B" in text)
    one = replace(finding(MISSING_STEP, line, "Click B.", offered="Zone"), file="a.rst")
    assert text_of(one, before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<ol>\n  <li>Click <b>A</b>.</li>\n  <li>Click <b>B</b>.</li>\n</ol>\n",
         "<ol>\n  <li>Click <b>A</b>.</li>\n  <li>Specify <b>Zone</b>.</li>\n"
         "  <li>Click <b>B</b>.</li>\n</ol>\n"),
        ("<ol>\n<li><p>Click <i>A</i>.</p></li>\n<li><p>Click <i>B</i>.</p></li></ol>",
         "<ol>\n<li><p>Click <i>A</i>.</p></li>\n<li><p>Specify <i>Zone</i>.</p></li>\n"
         "<li><p>Click <i>B</i>.</p></li></ol>"),
        ("<ol><li>Click <b>A</b>.<li>Click <b>B</b>.</ol>",
         "<ol><li>Click <b>A</b>.<li>Specify <b>Zone</b>.</li><li>Click <b>B</b>.</ol>"),
    ],
)  # fmt: skip
def test_a_missing_step_is_added_in_html(before: str, after: str) -> None:
    line = next(at for at, text in enumerate(before.split("\n"), 1) if "B<" in text)
    one = replace(finding(MISSING_STEP, line, "Click B.", offered="Zone"), file="a.html")
    assert text_of(one, before) == after


def test_behind_another_sentence_of_its_item_the_step_is_a_sentence() -> None:
    one = finding(MISSING_STEP, 1, "Click OK.", offered="Zone")
    text = "1. Click **Create**. Click **OK**.\n"
    assert text_of(one, text) == "1. Click **Create**. Specify **Zone**. Click **OK**.\n"


def test_a_chinese_document_gets_a_chinese_step() -> None:
    one = finding(MISSING_STEP, 2, "点击确定。", offered="可用区")
    text = "1. 点击**创建**。\n2. 点击**确定**。\n"
    assert text_of(one, text) == "1. 点击**创建**。\n2. 填写**可用区**。\n3. 点击**确定**。\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1. Click **A**.\n2. Click **B**.\n3. Click **C**.\n",
         "1. Click **A**.\n2. Click **C**.\n"),
        ("1. Click **A**.\n\n2. Click **B**.\n\n3. Click **C**.\n",
         "1. Click **A**.\n\n2. Click **C**.\n"),
        ("1. Click **A**.\n\n2. Click **B**.\n", "1. Click **A**.\n"),
        ("1. Click **B**.\n1. Click **C**.\n", "1. Click **C**.\n"),
    ],
)  # fmt: skip
def test_a_step_that_is_gone_is_taken_out(before: str, after: str) -> None:
    line = next(at for at, text in enumerate(before.split("\n"), 1) if "B" in text)
    assert text_of(finding(GONE, line, "Click B.", "B"), before, went_on=True) == after


def test_an_item_that_is_gone_is_taken_out_of_html() -> None:
    before = "<ol>\n  <li>Click A.</li>\n  <li>Click B.</li>\n</ol>\n"
    one = replace(finding(GONE, 3, "Click B.", "B"), file="a.html")
    assert text_of(one, before, went_on=True) == "<ol>\n  <li>Click A.</li>\n</ol>\n"


@pytest.mark.parametrize(
    ("text", "went_on", "code"),
    [
        ("1. Click **A**.\n2. Click **B**.\n", False, Refusal.NO_EVIDENCE),
        ("1. Click **A**.\n2. Click **B**. Then wait.\n", True, Refusal.SAYS_MORE),
        ("1. Click **A**.\n2. Click **B**.\n   1. Click **C**.\n", True, Refusal.SAYS_MORE),
        ("1. Go on with step 3.\n2. Click **B**.\n3. Wait.\n", True, Refusal.NUMBERS_REFERRED),
        (
            "1. Go on.\n2. Click **B**.\n3. Wait.\n\n   > **Note** See step 2.\n",
            True,
            Refusal.NUMBERS_REFERRED,
        ),
        ("## Step 1: Click A.\n## Step 2: Click B.\n", True, Refusal.NOT_A_LIST),
    ],
)
def test_a_step_stays_where_more_than_it_would_change(
    text: str, went_on: bool, code: Refusal
) -> None:
    one = finding(GONE, 2, "Click B.", "B")
    assert refusal_of(one, text.encode(), went_on=went_on) is code


def test_a_step_is_not_added_where_numbers_are_referred_to() -> None:
    text = "1. Click **A**.\n2. Click **B**.\n3. If it fails, repeat step 2.\n"
    one = finding(MISSING_STEP, 2, "Click B.", offered="Zone")
    assert refusal_of(one, text.encode()) is Refusal.NUMBERS_REFERRED
    one = finding(MISSING_STEP, 2, "Click B.", offered="{% x %}")
    assert refusal_of(one, text.encode()) is Refusal.UNSAFE_LABEL
    one = finding(MISSING_STEP, 2, "Click B.")
    assert refusal_of(one, text.encode()) is Refusal.NO_EVIDENCE
