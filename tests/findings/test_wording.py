"""A label, value or way is replaced where the finding's sentence has it, in its own
type, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proofwalk.findings.attempts import Refusal
from proofwalk.kernel.outcomes import FindingKind
from tests.findings.documents import finding, refusal_of, text_of

RENAMED, MOVED, WRONG = FindingKind.RENAMED, FindingKind.MOVED, FindingKind.WRONG_VALUE

MARKED = [
    ("a.md", "1. Click **{}**.\n", "**", "Create VPC", "Create network"),
    ("a.md", "1. Click __{}__.\n", "__", "Create VPC", "Create network"),
    ("a.md", "1. Click `{}`.\n", "`", "Create VPC", "Create *network*"),
    ("a.md", "1. Click <b>{}</b>.\n", "<b>", "Create VPC", "Create network"),
    ("a.md", "1. Click [{}](https://x.example/).\n", "[", "Create VPC", "Create network"),
    ("a.md", "1. Click {} now.\n", "", "Create VPC", "Create network"),
    ("a.rst", "T\n=\n\n1. Click :guilabel:`{}`.\n", ":", "Create VPC", "Create network"),
    ("a.rst", "T\n=\n\n1. Click **{}**.\n", "**", "Create VPC", "Create network"),
    ("a.html", "<ol><li>Click <b>{}</b>.</li></ol>", "<b>", "Create VPC", "Create network"),
    ("a.html", '<ol><li>Click <span class="x">{}</span>.</li></ol>', "", "A VPC", "B"),
]


@pytest.mark.parametrize(("name", "text", "mark", "asked", "offered"), MARKED)
def test_the_mark_up_around_a_label_stays(
    name: str, text: str, mark: str, asked: str, offered: str
) -> None:
    line = text.format(asked).count("\n") or 1
    sentence = f"Click {asked} now." if "now" in text else f"Click {asked}."
    one = replace(finding(RENAMED, line, sentence, asked, offered), file=name)
    assert text_of(one, text.format(asked)) == text.format(offered)


@pytest.mark.parametrize(
    ("name", "before", "after", "asked", "offered"),
    [
        ("a.md", r"1. Click **R\&D \*x\***.", r"1. Click **A & \*B\***.", "R&D *x*", "A & *B*"),
        ("a.md", "1. Click **R&amp;D**.", r"1. Click **A\|B**.", "R&D", "A|B"),
        ("a.md", "1. Click **Go &gt; x**.", r"1. Click **\<script>**.", "Go > x", "<script>"),
        ("a.html", "<ol><li>Click R&amp;D.</li></ol>", "<ol><li>Click A&lt;B&amp;C.</li></ol>",
         "R&D", "A<B&C"),
        ("a.html", "<ol><li>Click &#82;D.</li></ol>", "<ol><li>Click Go.</li></ol>", "RD", "Go"),
        ("a.md", "1. Click **Create\n   VPC**.", "1. Click **New net**.", "Create VPC", "New net"),
        ("a.md", "1. 点击创建VPC。", "1. 点击新建VPC。", "创建VPC", "新建VPC"),
    ],
)  # fmt: skip
def test_escapes_and_entities_are_read_and_written(
    name: str, before: str, after: str, asked: str, offered: str
) -> None:
    verb = "点击" if "点击" in before else "Click "
    one = finding(RENAMED, 1, f"{verb}{asked}{'。' if '。' in before else '.'}", asked, offered)
    assert text_of(replace(one, file=name), before) == after


@pytest.mark.parametrize(
    ("name", "before", "after", "asked", "offered"),
    [
        ("a.md", "1. Choose **Net** > **VPCs**.", "1. Choose **Networking** > **VPCs**.",
         "Net > VPCs", "Networking > VPCs"),
        ("a.md", "1. Choose **A > B**.", "1. Choose **A > C**.", "A > B", "A > C"),
        ("a.md", "1. Choose **A** > **B**.", "1. Choose **A** > **X > B**.", "A > B", "A > X > B"),
        ("a.md", "1. Choose **A** > **B**.", "1. Choose **X** > **B**.", "A", "X"),
        ("a.rst", "1. Choose :menuselection:`A --> B`.", "1. Choose :menuselection:`C --> B`.",
         "A > B", "C > B"),
        ("a.rst", "1. Choose :menuselection:`A --> B`.",
         "1. Choose :menuselection:`A --> X --> B`.", "A > B", "A > X > B"),
    ],
)  # fmt: skip
def test_of_a_way_only_the_labels_that_differ_change(
    name: str, before: str, after: str, asked: str, offered: str
) -> None:
    sentence = "Choose Net > VPCs." if "Net" in before else "Choose A > B."
    one = replace(finding(MOVED, 1, sentence, asked, offered), file=name)
    assert text_of(one, before) == after


def test_a_value_in_a_table_is_replaced_in_its_cell() -> None:
    text = "1. Set these:\n\n   | Parameter | Value |\n   |---|---|\n   | Size | `large` |\n"
    one = finding(WRONG, 5, "Size | large", "large", "huge|wide")
    assert text_of(one, text) == text.replace("large", r"huge\|wide")


def test_the_same_words_in_another_sentence_of_the_line_stay() -> None:
    text = "1. Open the Stop page. Click **Stop**.\n2. Click **Stop**.\n"
    one = finding(RENAMED, 1, "Click Stop.", "Stop", "Halt")
    assert text_of(one, text) == text.replace("Click **Stop**.\n2.", "Click **Halt**.\n2.")


def test_a_link_keeps_its_target() -> None:
    text = "1. Click [Stop](https://x.example/Stop).\n"
    one = finding(RENAMED, 1, "Click Stop.", "Stop", "Halt")
    assert text_of(one, text) == "1. Click [Halt](https://x.example/Stop).\n"


@pytest.mark.parametrize(
    ("text", "sentence", "asked", "offered", "code"),
    [
        ("1. On Stop, click **Stop**.", "On Stop, click Stop.", "Stop", "H", Refusal.NOT_ONCE),
        ("1. Click **Stop**.", "Click Stop.", "Halt", "H", Refusal.NOT_ONCE),
        ("1. Click **Stops**.", "Click Stops.", "Stop", "Halt", Refusal.NOT_ONCE),
        ("1. Click **Stop** it.", "Click Stop it.", "Stop it", "Halt", Refusal.ACROSS_TYPES),
        ("1. Click **Stop**.", "Click Start.", "Start", "Halt", Refusal.NO_SENTENCE),
        ("1. Click **Stop**.", "Click Stop.", "Stop", "", Refusal.NO_EVIDENCE),
        ("1. Click **Stop**.", "Click Stop.", "", "Halt", Refusal.NO_EVIDENCE),
        ("1. Click **Stop**.", "Click Stop.", "Stop", "{{ x }}", Refusal.UNSAFE_LABEL),
        ("1. Click **Stop**.", "Click Stop.", "Stop", "{% raw %}", Refusal.UNSAFE_LABEL),
        ("1. Click **Stop**.", "Click Stop.", "Stop", "a\u202eb", Refusal.UNSAFE_LABEL),
        ("1. Click `Stop`.", "Click Stop.", "Stop", "a`b", Refusal.NOT_IN_SOURCE),
        ("Nothing to do.", "Click Stop.", "Stop", "Halt", Refusal.UNREADABLE),
    ],
)
def test_where_no_edit_follows_there_is_none(
    text: str, sentence: str, asked: str, offered: str, code: Refusal
) -> None:
    assert refusal_of(finding(RENAMED, 1, sentence, asked, offered), text.encode()) is code


def test_a_character_that_the_encoding_lacks_is_refused_or_referred_to() -> None:
    body = '<meta charset="gbk"><ol><li>点击 Stop。</li></ol>'.encode("gbk")
    one = replace(finding(RENAMED, 1, "点击 Stop。", "Stop", "Stöp 🛑"), file="a.html")
    assert refusal_of(one, body) is Refusal.NOT_KEPT


def test_a_finding_that_offers_no_words_has_no_patch() -> None:
    for kind in (FindingKind.DISABLED, FindingKind.WRONG_OUTCOME):
        one = finding(kind, 1, "Click Stop.", "Stop")
        assert refusal_of(one, b"1. Click **Stop**.\n") is Refusal.NO_EVIDENCE
