"""Where one sentence ends and the next begins."""

from __future__ import annotations

import pytest

from proofwalk.procedures.model import InlineRole
from proofwalk.procedures.outline import Fragment
from proofwalk.procedures.sentences import split

TEXT, STRONG, CODE, LINK, IMAGE = (
    InlineRole.TEXT,
    InlineRole.STRONG,
    InlineRole.CODE,
    InlineRole.LINK,
    InlineRole.IMAGE,
)


def parts(*runs: tuple[InlineRole, str]) -> list[str]:
    return [
        one.text
        for one in split([Fragment(role=role, text=text, line=1) for role, text in runs], file="f")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Click OK. Wait.", ["Click OK.", "Wait."]),
        ("Enter a name, e.g. Web. Click OK.", ["Enter a name, e.g. Web.", "Click OK."]),
        (
            "Use types such as ecs.g7.large. Then go.",
            ["Use types such as ecs.g7.large.", "Then go."],
        ),
        (
            "Version 8.0.32 is used. MySQL 5.7 is not.",
            ["Version 8.0.32 is used.", "MySQL 5.7 is not."],
        ),
        ("Select version 8. Click OK.", ["Select version 8.", "Click OK."]),
        ("1. Click OK. 2. Wait.", ["1. Click OK.", "2. Wait."]),
        ("Is it done? Good! Go.", ["Is it done?", "Good!", "Go."]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("(Optional.) Click it.", ["(Optional.)", "Click it."]),
        ("Click More... and wait.", ["Click More... and wait."]),
        (
            "Open index.html. Then file.txt is there.",
            ["Open index.html.", "Then file.txt is there."],
        ),
        ("登录控制台。单击**创建**。完成！", ["登录控制台。", "单击**创建**。", "完成！"]),
        ("Compare A vs. B. See Fig. 3.", ["Compare A vs. B.", "See Fig. 3."]),
        ("No full stop", ["No full stop"]),
        ("   ", []),
    ],
)
def test_plain_text(text: str, expected: list[str]) -> None:
    assert parts((TEXT, text)) == expected


def test_labels_and_code_are_never_cut() -> None:
    assert parts((TEXT, "Click "), (STRONG, "Agree. Continue"), (TEXT, " now. Wait.")) == [
        "Click Agree. Continue now.",
        "Wait.",
    ]
    assert parts((TEXT, "Run "), (CODE, "a. B"), (TEXT, ".")) == ["Run a. B."]


def test_a_path_goes_on_behind_dots() -> None:
    run = (
        (TEXT, "Select "),
        (STRONG, "More"),
        (TEXT, " ("),
        (STRONG, "..."),
        (TEXT, ") > "),
        (STRONG, "Drain"),
        (TEXT, ". Wait."),
    )
    assert parts(*run) == ["Select More (...) > Drain.", "Wait."]


def test_a_sentence_may_begin_with_lower_case_code() -> None:
    assert parts((TEXT, "Wait. "), (CODE, "i-abc"), (TEXT, " is running.")) == [
        "Wait.",
        "i-abc is running.",
    ]
    assert parts((TEXT, "Wait. it is lower.")) == ["Wait. it is lower."]


def test_images_keep_their_place_and_decide_nothing() -> None:
    pieces = [
        (TEXT, "Click "),
        (IMAGE, "Add. Now"),
        (TEXT, " icon. Then "),
        (IMAGE, "x"),
        (TEXT, "go."),
    ]
    first, second = split(
        [Fragment(role=role, text=text, line=1) for role, text in pieces], file="f"
    )
    assert (first.text, second.text) == ("Click icon.", "Then go.")
    assert [run.text for run in first.inlines if run.role is IMAGE] == ["Add. Now"]


def test_inlines_spell_the_sentence() -> None:
    pieces = [
        (TEXT, "Choose "),
        (STRONG, "A "),
        (TEXT, "\n> "),
        (STRONG, " B"),
        (TEXT, " ."),
        (TEXT, " Go  on."),
    ]
    for sentence in split(
        [Fragment(role=role, text=text, line=1) for role, text in pieces], file="f"
    ):
        assert "".join(run.text for run in sentence.inlines) == sentence.text


def test_lines_are_those_of_the_first_and_last_word() -> None:
    pieces = [
        Fragment(role=TEXT, text="One. ", line=3),
        Fragment(role=TEXT, text=" Two", line=3),
        Fragment(role=TEXT, text=" ", line=3),
        Fragment(role=TEXT, text="ends.", line=5),
    ]
    assert [(one.span.line, one.span.end_line) for one in split(pieces, file="f")] == [
        (3, 3),
        (3, 5),
    ]
