"""Signs that a document draws with a font or a short code, and lists with letters."""

from __future__ import annotations

import pytest

from proofwalk.procedures.model import BlockKind, InlineRole
from tests.procedures.reading import outline, read, step


@pytest.mark.parametrize(
    ("drawn", "name"),
    [
        ("<span mi btn>add</span>", "add"),
        ('<span class="material-icons">delete</span>', "delete"),
        ('<i class="fa fa-lg fa-plus"></i>', "plus"),
        ('<i class="fas fa-arrow-up" title="Up"></i>', "Up"),
        (':icon{name="material-symbols:edit-outline-rounded"}', "edit"),
        (':icon{name="material-symbols:edit" title="Edit pump"}', "Edit pump"),
        ('{{< icon name="ellipsis_v" >}}', "ellipsis v"),
        ('{% octicon "gear" aria-label="The gear" %}', "The gear"),
    ],
)
def test_a_sign_is_a_picture_with_a_name(drawn: str, name: str) -> None:
    document = read(f"""
        # Pumps

        1. Click {drawn} in *the list*, then **Save**.
        2. Wait.
    """)
    inlines = step(document, "1").sentences[0].inlines
    assert [(one.role, one.text) for one in inlines if one.role is not InlineRole.TEXT] == [
        (InlineRole.IMAGE, name),
        (InlineRole.EMPHASIS, "the list"),
        (InlineRole.STRONG, "Save"),
    ]


def test_what_only_lays_a_page_out_shows_no_words() -> None:
    document = read("""
        # Pumps

        1. Click **Save**. {{< img "/pump.png" "a pump" >}}
           {% include pump.html %}
        2. Run `{{< icon >}}`.
    """)
    assert outline(document) == [("1", 3, "Click Save."), ("2", 5, "Run {{< icon >}}.")]


def test_a_sign_that_is_never_closed_is_text() -> None:
    document = read("""
        # Pumps

        1. Click <span mi>add the pump.
        2. Wait.
    """)
    assert outline(document)[0] == ("1", 3, "Click add the pump.")


def test_a_container_may_have_two_colons() -> None:
    document = read("""
        # Pumps

        1. Click **Save**.

           ::callout{icon="info"}
           It takes a minute.
           ::

        2. Wait.
    """)
    (block,) = step(document, "1").blocks
    assert block.kind is BlockKind.NOTE
    assert outline(document) == [("1", 3, "Click Save."), ("2", 9, "Wait.")]


def test_lines_with_letters_are_a_list() -> None:
    document = read("""
        # Pumps

        1. Set it up
           a. Choose **East**
           b. Enter a **Name**
              that is new.
        2. Wait.
    """)
    assert outline(document) == [
        ("1", 3, "Set it up"),
        ("1.1", 4, "Choose East"),
        ("1.2", 5, "Enter a Name that is new."),
        ("2", 7, "Wait."),
    ]


def test_letters_that_do_not_follow_one_another_are_words() -> None:
    document = read("""
        # Pumps

        1. Choose the vitamin
           c. It is sour.
           a. Wait.
        2. Wait.
    """)
    assert [number for number, _, _ in outline(document)] == ["1", "1", "1", "2"]
