"""DocBook as a documentation's repository holds it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.procedures import docbook, docbook_tree
from proofwalk.procedures.loading import load
from proofwalk.procedures.model import BlockKind, Inline, InlineRole
from proofwalk.procedures.outline import paragraphs
from tests.procedures.reading import only, outcome, outline, read, refused, step, text

SPACE = 'xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink"'
PAGE = f"""
<?xml version="1.0"?>
<!DOCTYPE chapter [
  <!ENTITY short "the <phrase>pool</phrase>">
  <!ENTITY % entities SYSTEM "generic-entities.ent">
  %entities;
]>
<chapter {SPACE} version="5.0">
 <title>Manage &product;</title>
 <info><date>2026</date></info>
 <sect1>
  <title>Mirroring</title>
  <para>Two clusters.</para>
  <procedure>
   <title>Replicate a pool</title>
   <para>Have both at hand.</para>
   <step>
    <para>
     Open <menuchoice><guimenu>Block</guimenu>
     <guimenu>Mirroring</guimenu></menuchoice>, and click
     <guibutton>Add
     peer</guibutton>.
    </para>
    <substeps>
     <step><para>Enter <literal>two</literal> for &short;.</para></step>
     <step><title>Optional: the key</title><para>Press <keycombo><keycap>Ctrl</keycap>
       <keycap>V</keycap></keycombo>.</para></step>
    </substeps>
   </step>
   <step>
    <para>Click <inlinemediaobject><imageobject><imagedata fileref="gear.png"/></imageobject>
      <textobject><phrase>Gear</phrase></textobject></inlinemediaobject>. See
      <link xlink:href="https://a.example/">more</link><footnote><para>No.</para></footnote>.</para>
    <variablelist>
     <varlistentry><term>Name</term><listitem><para>Its name.</para></listitem></varlistentry>
    </variablelist>
    <tip><para>It takes a while.</para></tip>
    <screen>tool
run</screen>
   </step>
  </procedure>
 </sect1>
</chapter>
"""


def test_a_procedure_with_substeps_has_its_lines_and_roles() -> None:
    document = read(PAGE, "doc.xml")
    assert (document.media_type, document.title) == ("application/docbook+xml", "Manage product")
    assert outline(document) == [
        ("1", 18, "Open Block > Mirroring, and click Add peer."),
        ("1.1", 24, "Enter two for the pool."),
        ("1.2", 25, "Optional: the key"),
        ("1.2", 25, "Press Ctrl+V."),
        ("2", 30, "Click ."),
        ("2", 31, "See more."),
    ]
    procedure = only(document)
    assert procedure.id == "manage-product/mirroring/replicate-a-pool"
    assert [one.text for one in procedure.introduction] == ["Two clusters.", "Have both at hand."]
    bold = [run for run in step(document, "1").sentences[0].inlines if run.role == "strong"]
    assert [run.text for run in bold] == ["Block > Mirroring", "Add peer"]
    click, see = step(document, "2").sentences
    assert Inline(role=InlineRole.IMAGE, text="Gear", target="gear.png") in click.inlines
    assert Inline(role=InlineRole.LINK, text="more", target="https://a.example/") in see.inlines
    bullets, tip, code = step(document, "2").blocks
    assert (bullets.kind, text_of_items(bullets.items)) == (BlockKind.BULLETS, ["Name: Its name."])
    assert (tip.kind, text(tip)) == (BlockKind.NOTE, "It takes a while.")
    assert (code.kind, text(code), code.span.line, code.span.end_line) == (
        BlockKind.CODE,
        "tool\nrun",
        37,
        38,
    )


def text_of_items(items: tuple[tuple[Inline, ...], ...]) -> list[str]:
    return ["".join(run.text for run in item) for item in items]


def test_lists_tables_and_paragraphs_of_docbook_4() -> None:
    document = read(
        """
        <!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd">
        <article>
         <articleinfo><title>Users</title></articleinfo>
         <section><title>Add</title>
          <orderedlist><listitem><para>Click <guimenu>Add</guimenu>.</para>
           <informaltable><tgroup cols="2"><tbody>
            <row><entry>Name</entry><entry><para>a</para><para>b</para></entry></row>
           </tbody></tgroup></informaltable></listitem></orderedlist>
         </section>
         <section><title>Delete</title>
          <para>To delete a user, select <emphasis role="bold">it</emphasis>&nbsp;first. Click
           <guilabel>Delete</guilabel>.</para>
         </section>
        </article>
        """,
        "doc",
    )
    first, second = document.procedures
    (table,) = first.substeps[0].blocks
    assert (table.kind, table.rows) == (BlockKind.TABLE, (("Name", "a b"),))
    assert [one.text for one in second.substeps] == [
        "To delete a user, select it first.",
        "Click Delete.",
    ]
    assert (second.id, second.is_numbered) == ("users/delete", False)


@pytest.mark.parametrize("media_type", ["application/xml", "text/xml", "application/docbook+xml"])
def test_the_types_of_docbook(media_type: str) -> None:
    assert load("a", PAGE.lstrip().encode(), media_type).media_type == "application/docbook+xml"


def test_other_xml_is_refused() -> None:
    body = b"<project><step>Click OK.</step></project>"
    assert refused(body, "a", "application/xml").code == "document.bad_media_type"


def test_what_is_no_xml_is_told_with_its_line() -> None:
    error = refused(f"<article {SPACE}>\n<para>\n</article>".encode(), "a.dbk")
    assert error.code == "document.malformed"
    assert "in line 3" in error.message


SECRET = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>"


def test_nothing_outside_the_text_is_read() -> None:
    step_of = "<procedure><step><para>A &x;.</para></step></procedure>"
    body = f"{SECRET}<article {SPACE}>{step_of}</article>"
    assert outline(load("a.dbk", body.encode())) == [("1", 1, "A x.")]
    included = body.replace(
        "&x;", '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="b"/>b'
    )
    assert outline(load("a.dbk", included.encode())) == [("1", 1, "A b.")]


def laughs(levels: int, where: str) -> str:
    entities = ['<!ENTITY a0 "ha ha ha ha ha ha ha ha ha ha ">'] + [
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, levels)
    ]
    return (
        f"<!DOCTYPE a [{''.join(entities)}]><article {SPACE}>{where.format(levels - 1)}</article>"
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (laughs(12, "<para>&a{};</para>"), "document.no_procedure"),
        (laughs(12, "<para x='&a{};'/>"), "document.malformed"),
        (laughs(2, "<para>" + "&a1;" * 100_000 + "</para>"), "document.no_procedure"),
        ('<!DOCTYPE a [<!ENTITY a "&b;"><!ENTITY b "&a;">]><article ' + SPACE + ">&a;</article>",
         "document.no_procedure"),
        (f"<article {SPACE}>" + "<para>" * 50_000, "document.too_deep"),
        (f"<article {SPACE}>" + "<a/>" * 250_000 + "</article>", "document.too_many_elements"),
        (f"<article {SPACE}>" + "<procedure><step>" * 60, "document.too_deep"),
        (f"<article {SPACE}><para>" + "word. Word\n" * 30_000 + "</para></article>",
         "document.no_procedure"),
        (f"<article {SPACE}>" + "<title>A</title>" * 50_000 + "</article>",
         "document.no_procedure"),
        (f"<article {SPACE}>" + "<menuchoice>" * 90 + "<guimenu>A</guimenu>" * 9_000
         + "</menuchoice>" * 90 + "</article>", "document.no_procedure"),
        (f"<article {SPACE}>" + "<figure>" * 90 + "<phrase/>" * 9_000 + "</figure>" * 90
         + "</article>", "document.no_procedure"),
    ],
)  # fmt: skip
def test_hostile_docbook_takes_bounded_time(body: str, code: str) -> None:
    began = time.process_time()
    assert refused(body.encode(), "a.dbk").code == code
    assert time.process_time() - began < 10


WORDS = st.sampled_from(["click ", "&amp;", "Add. ", "x\n", "\n", "b ", "&e;", "."])
ELEMENTS = (
    "para guimenu title step procedure substeps listitem orderedlist itemizedlist note screen"
    " section emphasis literal entry row table menuchoice phrase variablelist varlistentry"
)
NAMES = st.sampled_from(ELEMENTS.split())
TREES = st.recursive(
    WORDS,
    lambda inner: st.tuples(NAMES, st.lists(inner, max_size=4)).map(
        lambda one: f"<{one[0]}>{''.join(one[1])}</{one[0]}>"
    ),
    max_leaves=30,
)


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(TREES, max_size=6))
def test_any_nesting_gives_lines_of_the_document_and_words_of_it(parts: list[str]) -> None:
    source = f"<article {SPACE}>{''.join(parts)}</article>"
    count = source.count("\n") + 1
    document = outcome("a.dbk", source.encode())
    for procedure in document.procedures if document is not None else ():
        assert 1 <= procedure.span.line <= procedure.span.end_line <= count
        for one in procedure.substeps:
            assert 1 <= one.span.line <= one.span.end_line <= count


@given(
    items=st.lists(
        st.lists(st.text("abcdefgh", min_size=1, max_size=6), min_size=1, max_size=6),
        min_size=1,
        max_size=6,
    )
)
def test_no_word_of_a_paragraph_is_lost_or_invented(items: list[list[str]]) -> None:
    body = "".join("<para>" + "\n".join(words) + " </para>" for words in items)
    _, nodes = docbook.read(f"<article>{body}</article>")
    read_back = [piece.text for run in paragraphs(nodes) for piece in run]
    assert "".join(read_back).split() == " ".join(" ".join(words) for words in items).split()


def test_the_tree_knows_lines() -> None:
    root = docbook_tree.parse("<a>\n <b>x\ny</b></a>")
    (b,) = root.below("b")
    assert [(one.text, one.line) for one in b.children if isinstance(one, docbook_tree.Text)] == [
        ("x", 2),
        ("\n", 2),
        ("y", 3),
    ]
