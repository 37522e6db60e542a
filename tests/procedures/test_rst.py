"""reStructuredText as Sphinx projects write it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from docutils.parsers.rst import roles

from proofwalk.procedures.model import BlockKind, InlineRole
from tests.procedures.reading import only, outline, read, step, text


def test_sentences_have_their_lines_through_nesting_and_continuation() -> None:
    document = read(
        """
        Title
        =====

        #. In the left-side navigation pane, choose
           :menuselection:`Storage --> Disks`. Find the disk
           and click :guilabel:`&Create`.

           a) Enter ``x``
              in the field.
           b) Click **OK**.

           Continue. Then
           stop.
        #. Done.
        """,
        "doc.rst",
    )
    assert outline(document) == [
        ("1", 4, "In the left-side navigation pane, choose Storage > Disks."),
        ("1", 5, "Find the disk and click Create."),
        ("1.1", 8, "Enter x in the field."),
        ("1.2", 10, "Click OK."),
        ("2", 14, "Done."),
    ]
    labels = [
        run.text
        for run in step(document, "1").sentences[0].inlines
        if run.role is InlineRole.STRONG
    ]
    assert labels == ["Storage > Disks"]
    assert [(text(block), block.span.line) for block in step(document, "1.2").blocks] == [
        ("Continue.", 12),
        ("Then stop.", 12),
    ]


def test_notes_tables_images_and_substitutions() -> None:
    document = read(
        """
        .. |ecs| replace:: Elastic Compute Service

        1. Open |ecs|.

           .. note::

              Costs go on. Always.

           .. figure:: images/a.png
              :alt: The list

              A caption is no step.

        2. Configure.

           .. list-table::
              :header-rows: 1

              * - Parameter
                - Value
              * - Name
                - ``web``

           ====  ====
           One   Two
           ====  ====
           a     b
           ====  ====
        """,
        "doc.rst",
    )
    assert step(document, "1").text == "Open Elastic Compute Service."
    note, image = step(document, "1").blocks
    assert (note.kind, text(note), note.span.line) == (BlockKind.NOTE, "Costs go on. Always.", 7)
    assert (image.kind, image.inlines[0].target) == (BlockKind.IMAGE, "images/a.png")
    first, second = step(document, "2").blocks
    assert (first.rows[1], first.row_lines) == (("Name", "web"), (19, 21))
    assert (second.rows[1], second.row_lines) == (("a", "b"), (25, 27))


def test_an_unknown_directive_gives_its_content() -> None:
    document = read(
        """
        1. Click.

           .. tabs::
              :class: x

              In a **tab**.

           .. seealso:: nothing

              Elsewhere.
        """,
        "doc.rst",
    )
    assert [sentence.text for sentence in step(document, "1").sentences] == ["Click.", "In a tab."]
    assert [(sentence.span.line) for sentence in step(document, "1").sentences] == [1, 6]


@pytest.mark.parametrize(
    "directive",
    [
        "include:: {path}",
        "raw:: html\n   :file: {path}",
        "csv-table::\n   :file: {path}",
        "literalinclude:: {path}",
    ],
)
def test_nothing_outside_the_text_is_read(directive: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("1. TOPSECRET\n")
    document = read(f"1. Click.\n\n.. {directive.format(path=secret)}\n", "doc.rst")
    assert "TOPSECRET" not in repr(document)


def test_references_lead_where_their_targets_say() -> None:
    document = read(
        """
        1. Open `one`__, `two <https://two.example>`_, three_ and |four|_.

        __ https://one.example
        .. _three: https://three.example
        .. _four: https://four.example
        .. |four| replace:: the fourth
        """,
        "doc.rst",
    )
    (sentence,) = step(document, "1").sentences
    assert sentence.text == "Open one, two, three and the fourth."
    assert [run.target for run in sentence.inlines if run.role is InlineRole.LINK] == [
        f"https://{name}.example" for name in ("one", "two", "three", "four")
    ]


def test_substitutions_that_name_each_other_end() -> None:
    document = read(
        ".. |a| replace:: x |b|\n.. |b| replace:: y |a|\n\n1. Click |a| |c|.\n", "doc.rst"
    )
    assert step(document, "1").text == "Click x y |c|."


def test_raw_output_and_unknown_references_are_silent(capfd: pytest.CaptureFixture[str]) -> None:
    document = read(
        "1. Click |nothing| `x <y_>`_ :bogus:`role` [1]_.\n\n.. raw:: html\n\n  "
        " <script>1</script>\n",
        "doc.rst",
    )
    assert "script" not in repr(document)
    assert "role" in step(document, "1").text
    assert capfd.readouterr() == ("", "")


def test_roles_of_a_document_do_not_outlive_it() -> None:
    before = dict(vars(roles)["_roles"])
    read(".. role:: leak\n.. default-role:: strong\n\n1. A :leak:`b` `c`.\n", "doc.rst")
    assert vars(roles)["_roles"] == before


def test_configuration_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docutils.conf").write_text("[general]\nhalt_level: 1\nreport_level: 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DOCUTILSCONFIG", os.fspath(tmp_path / "docutils.conf"))
    assert step(read("1. A `broken.\n", "doc.rst"), "1").text == "A `broken."


def test_documents_are_read_side_by_side() -> None:
    results: list[str] = []

    def one(word: str) -> None:
        results.append(
            only(read(f".. role:: r{word}\n\n1. Click :r{word}:`{word}`.\n", "doc.rst"))
            .substeps[0]
            .text
        )

    threads = [threading.Thread(target=one, args=(f"w{index}",)) for index in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert sorted(results) == [f"Click w{index}." for index in range(6)]
