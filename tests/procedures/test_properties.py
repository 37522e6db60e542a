"""What holds for every input: no crash, bounded time, lines inside the file, words
where the lines say."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from proofwalk.procedures.loading import load
from proofwalk.procedures.model import Document, SourceSpan
from proofwalk.procedures.sentences import ABBREVIATIONS
from tests.procedures.reading import outcome

RELAXED = settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
NAMES = st.sampled_from(["a.md", "a.rst", "a.html", "a"])
MARKUP = st.sampled_from(
    [
        *(
            "1. ",
            "2. ",
            "   ",
            "- ",
            "> ",
            "**",
            "`",
            "``",
            "[a](b)",
            "![i](j)",
            "\n",
            "\n\n",
            "# ",
            "| a | b |\n",
            "| --- | --- |\n",
        ),
        *(":::note\n", "!!! note\n    ", "---\n", "term\n: d\n", "```\n", "[!NOTE]"),
        *(
            ".. note::\n\n   ",
            "#. ",
            ".. |x| replace:: |y|\n",
            ".. |y| replace:: |x|\n",
            "|x|",
            ":kbd:`k`",
            "=====\n",
            "a) ",
            ":f: v\n",
        ),
        *(".. tabs::\n\n   ", "+--+\n|a |\n+--+\n", "`a`__", "__ b\n", ".. _a: b\n", "a_"),
        *(
            "<ol>",
            "<li>",
            "</li>",
            "</ol>",
            "<p>",
            "<table><tr><td>",
            "</table>",
            "<div hidden>",
            "</div>",
            "<!--",
            "-->",
            "<script>",
        ),
        *("<b x='", "<dl><dt>", "<dd>", "<pre>", "<h2>", "<title>"),
        *(
            "Click OK. ",
            "e.g. ",
            "单击。",
            "word ",
            "\t",
            "\\",
            "&amp;",
            "\u2028",
            "\x0c",
            "\ufdd0\ufdd2\ufddb",
        ),
    ]
)
SOUP = st.lists(st.one_of(MARKUP, st.text(max_size=6)), max_size=40).map("".join)


def spans(document: Document) -> Iterator[tuple[SourceSpan, str]]:
    for procedure in document.procedures:
        yield procedure.span, ""
        for step in procedure.substeps:
            yield step.span, ""
            yield from ((sentence.span, sentence.text) for sentence in step.sentences)
            for block in step.blocks:
                yield block.span, ""
                yield from (
                    (SourceSpan(file="", line=line, end_line=line), "") for line in block.row_lines
                )
    yield from ((sentence.span, sentence.text) for sentence in document.prerequisites)


@RELAXED
@given(
    name=NAMES,
    body=st.one_of(st.binary(max_size=200), SOUP.map(lambda text: text.encode("utf-8", "ignore"))),
)
@example(name="a.rst", body=b".. role:: x(y)\n\n1. a")
@example(name="a.md", body=b"1. <div hidden>\n\n   x\n")
def test_garbage_gives_a_document_or_a_coded_error_and_lines_inside_the_file(
    name: str, body: bytes
) -> None:
    document = outcome(name, body)
    if document is None:
        return
    text = (
        body.decode("utf-8", "replace")
        if not body.startswith((b"\xff\xfe", b"\xfe\xff"))
        else body.decode("utf-16", "replace")
    )
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for span, _ in spans(document):
        assert 1 <= span.line <= span.end_line <= count


# Text of an alphabet is drawn several times as fast as what a pattern describes. The
# full stop of an abbreviation ends no sentence.
WORDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=8)
    .filter(lambda word: f"{word}." not in ABBREVIATIONS)
    .map(str.capitalize),
    min_size=2,
    max_size=6,
)
PLAIN = st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=5)


@pytest.mark.timeout(240)
@RELAXED
@given(items=PLAIN, kind=st.sampled_from(["md", "rst", "html"]), wrap=st.integers(1, 4))
def test_every_sentence_stands_on_its_lines(
    items: list[list[list[str]]], kind: str, wrap: int
) -> None:
    """Items of sentences, broken over lines after every `wrap` words."""
    lines: list[str] = (
        ["Title", "=====", ""]
        if kind == "rst"
        else ["<h1>Title</h1>", "<ol>"]
        if kind == "html"
        else ["# Title", ""]
    )
    expected: list[tuple[str, int, int]] = []
    for number, sentences in enumerate(items, 1):
        words = [
            (word + ("." if at == len(sentence) - 1 else ""), which)
            for which, sentence in enumerate(sentences)
            for at, word in enumerate(sentence)
        ]
        lead = "<li>" if kind == "html" else f"{number}. "
        where: dict[int, list[int]] = {}
        for at in range(0, len(words), wrap):
            chunk = words[at : at + wrap]
            lines.append((lead if at == 0 else "   ") + " ".join(word for word, _ in chunk))
            for _, which in chunk:
                where.setdefault(which, []).append(len(lines))
        expected += [
            (" ".join(sentence) + ".", min(where[which]), max(where[which]))
            for which, sentence in enumerate(sentences)
        ]
    document = load(f"a.{kind}", "\n".join(lines).encode())
    found = [
        (one.text, one.span.line, one.span.end_line)
        for step in document.procedures[0].substeps
        for one in step.sentences
    ]
    assert found == expected
    for text, first, last in found:
        source = " ".join(lines[first - 1 : last])
        assert all(word in source for word in re.findall(r"\w+", text))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.md", "*a **b " * 20_000),
        ("a.md", "[" * 50_000),
        ("a.md", "1. " + "`" * 30_001 + "a" + "`b" * 10_000),
        ("a.md", "<!--" * 20_000 + "\n\n1. x"),
        ("a.md", "<b " * 20_000 + "\n\n1. x"),
        ("a.md", "| a " * 3_000 + "\n" + "| - " * 3_000 + "\n" + "| b " * 3_000),
        ("a.md", "1. " + "word. Word " * 40_000),
        ("a.html", "<" * 200_000),
        ("a.html", '<a x="' * 50_000),
        ("a.html", "<!-- " * 50_000),
        ("a.html", "<script>" * 20_000),
        ("a.html", "<p style='display:" + " " * 100_000 + "'>x<ol><li>y"),
        ("a.html", "<style>" + "a{" * 50_000 + "</style><ol><li>y"),
        ("a.html", "<table>" * 3_000 + "<ol><li>x"),
        ("a.rst", "*a **b ``c " * 3_000),
        ("a.rst", "|x|_ " * 3_000),
        (
            "a.rst",
            "\n".join(f".. |a{n}| replace:: |a{n + 1}| |a{n + 1}|" for n in range(40))
            + "\n\n1. |a0|\n",
        ),
        ("a.rst", "+" + "-+" * 200 + "\n" + ("|" + " |" * 200 + "\n+" + "-+" * 200 + "\n") * 30),
    ],
)
def test_adversarial_input_takes_bounded_time(name: str, body: str) -> None:
    began = time.process_time()
    outcome(name, body.encode())
    assert time.process_time() - began < 15
