"""HTML as help centres serve it."""

from __future__ import annotations

import pytest

from proofwalk.procedures import html_lines
from proofwalk.procedures.model import BlockKind, InlineRole
from tests.procedures.reading import only, outline, read, step, text


def test_sentences_have_their_lines_with_unclosed_items_and_nesting() -> None:
    document = read(
        """
        <html><body>
        <ol>
          <li>Click <b>Create</b>. In the
              dialog
              box, click <strong>OK</strong>.
              <ol type="a">
                <li>One.
                <li><p>Two.</p>
              </ol>
              <p>After that, <code>x</code>.</p>
          <li>Second
        </ol>
        """,
        "doc.html",
    )
    assert outline(document) == [
        ("1", 3, "Click Create."),
        ("1", 3, "In the dialog box, click OK."),
        ("1.1", 7, "One."),
        ("1.2", 8, "Two."),
        ("2", 11, "Second"),
    ]
    (after,) = step(document, "1.2").blocks
    assert (text(after), after.span.line) == ("After that, x.", 10)


@pytest.mark.parametrize(
    "hidden",
    [
        '<span style="display: none">BAD</span>',
        '<p style="color:red;display:none!important">BAD</p>',
        '<span style="visibility:hidden">BAD</span>',
        '<span style="font-size:0">BAD</span>',
        '<span style="font-size: 0px;">BAD</span>',
        '<span style="opacity:0">BAD</span>',
        '<div style="width:0;height:0;overflow:hidden">BAD</div>',
        '<span style="position:absolute;left:-9999px">BAD</span>',
        "<div hidden>BAD</div>",
        '<i aria-hidden="true">BAD</i>',
        "<script>BAD</script>",
        "<style>BAD</style>",
        "<template>BAD</template>",
        "<noscript>BAD</noscript>",
        "<!-- BAD -->",
        "<!-- > BAD -->",
        '<span class="away">BAD</span>',
        '<span id="gone">BAD</span>',
        "<svg><text>BAD</text></svg>",
        "<select><option>BAD</option></select>",
        '<textarea>BAD</textarea><input value="BAD">',
    ],
)
def test_what_a_reader_does_not_see_is_dropped(hidden: str) -> None:
    style = "<style>.away, #gone {display:none} @media print { .seen {display:none} }</style>"
    document = read(
        f'{style}<ol><li>Click <b>Next</b> <span class="seen">now</span>{hidden}</li></ol>',
        "doc.html",
    )
    assert "BAD" not in repr(document)
    assert step(document, "1").text == "Click Next now"


@pytest.mark.parametrize(
    "seen",
    [
        "font-size:10px",
        "opacity:0.5",
        "opacity:1",
        "left:-2px",
        "height:0",
        "width:0.5em",
        "display:block",
        "font:12px/1.5 sans",
    ],
)
def test_ordinary_styles_hide_nothing(seen: str) -> None:
    document = read(f'<ol><li>Click <b style="{seen}">Next</b></li></ol>', "doc.html")
    assert step(document, "1").text == "Click Next"


def test_navigation_and_footer_lists_are_no_procedures() -> None:
    document = read(
        "<nav><ol><li>Home</li></ol></nav><main><ol><li>Go.</li></ol></main><footer><ol><li>F</li></ol></footer>",
        "doc.html",
    )
    assert outline(document) == [("1", 1, "Go.")]


def test_notes_and_tables_in_a_step() -> None:
    document = read(
        """
        <ol><li>Set:
        <div class="help-note"><p>Note. It
        costs.</p></div>
        <table><thead><tr><th>P</th>
        <th>V</th></tr></thead>
        <tbody><tr><td><b>Name</b></td><td><p>web</p><p>or more</p></td></tr>
        <tr hidden><td>x</td><td>y</td></tr></tbody></table>
        <img src="a.png" alt="Shot">
        <pre>code
        more</pre></li></ol>
        """,
        "doc.html",
    )
    note, table, image, code = step(document, "1").blocks
    assert (note.kind, text(note), note.span.line, note.span.end_line) == (
        BlockKind.NOTE,
        "Note. It costs.",
        2,
        3,
    )
    assert (table.rows, table.row_lines) == ((("P", "V"), ("Name", "web or more")), (4, 6))
    assert (image.kind, image.inlines[0].text, image.span.line) == (BlockKind.IMAGE, "Shot", 8)
    assert (code.kind, text(code), code.span.line, code.span.end_line) == (
        BlockKind.CODE,
        "code\nmore",
        9,
        10,
    )


def test_positions_survive_what_the_parser_repairs() -> None:
    document = read(
        """
        <p title="a > b
        c">x</p><ol start="3"><li>One <a href='x"y'
          target=_blank>link</a>.
        <li>Two &amp; <b
        class="y">bold</b>
        text. Three.</ol><table>stray<tr><td>cell</table>
        """,
        "doc.html",
    )
    assert outline(document) == [
        ("3", 2, "One link."),
        ("4", 4, "Two & bold text."),
        ("4", 6, "Three."),
    ]
    (link,) = [
        run for run in step(document, "3").sentences[0].inlines if run.role is InlineRole.LINK
    ]
    assert (link.text, link.target) == ("link", 'x"y')


def test_a_page_cannot_forge_line_marks() -> None:
    forged = "<ol><li data-line=999>\ufdd0\ufdd9\ufdd9\ufddbClick.</li></ol>"
    assert [line for _, line, _ in outline(read(forged, "doc.html"))] == [1]


def test_the_title_is_the_first_heading_or_the_page_title() -> None:
    assert (
        read("<title>T - Help</title><h1>Create\n a VPC</h1><ol><li>x</li></ol>", "d.html").title
        == "Create a VPC"
    )
    assert read("<title>T - Help</title><ol><li>x</li></ol>", "d.html").title == "T - Help"


def test_tokens_cover_the_source_without_gaps() -> None:
    raw = "a<b c='>'>d</b><!-- x > --><!doctype html><script>1<b></script >e<1<"
    stretches = list(html_lines.tokens(raw))
    assert "".join(raw[one.begin : one.end] for one in stretches) == raw
    assert only(read(f"<ol><li>{raw}</ol>", "d.html")).substeps[0].text.startswith("ad")
