"""What kind of document bytes are, and which bytes are refused."""

from __future__ import annotations

import hashlib

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.loading import load, no_procedure
from proofwalk.procedures.model import Document
from proofwalk.procedures.selection import select
from tests.procedures.reading import read, refused

LIST = b"1. Click.\n"


@pytest.mark.parametrize(
    ("name", "body", "media_type", "expected"),
    [
        ("a.md", LIST, None, "text/markdown"),
        ("a.MARKDOWN", LIST, None, "text/markdown"),
        ("a.rst", LIST, None, "text/x-rst"),
        ("a.htm", b"<ol><li>x</ol>", None, "text/html"),
        ("https://example.com/docs/a.rst?x=1.md#b", LIST, "text/plain", "text/x-rst"),
        ("https://example.com/docs/a", b"<!DOCTYPE html><ol><li>x</ol>", None, "text/html"),
        ("a.md", b"<ol><li>x</ol>", "text/html; charset=UTF-8", "text/html"),
        ("a", b"# T\n\n1. **Click**.\n", None, "text/markdown"),
        ("a", b"Title\n=====\n\n#. Click :guilabel:`x`.\n", None, "text/x-rst"),
        (
            "a.txt",
            b"<div><p>x</p><ol><li>x</li></ol></div>",
            "application/octet-stream",
            "text/html",
        ),
        ("v1.2/page", LIST, "text/plain", "text/markdown"),
    ],
)
def test_the_type_comes_from_the_declaration_the_name_or_the_content(
    name: str, body: bytes, media_type: str | None, expected: str
) -> None:
    document = load(name, body, media_type)
    assert (document.media_type, document.digest) == (expected, hashlib.sha256(body).hexdigest())


@pytest.mark.parametrize(
    ("body", "media_type", "code"),
    [
        (b"", None, "document.empty"),
        (b" \r\n\t", None, "document.empty"),
        (b"\xef\xbb\xbf\n", None, "document.empty"),
        (b"%PDF-1.7 ...", None, "document.bad_media_type"),
        (b"PK\x03\x04....", None, "document.bad_media_type"),
        (b"\x89PNG\r\n", "text/markdown", "document.bad_media_type"),
        (LIST, "application/json", "document.bad_media_type"),
        (LIST, "image/png", "document.bad_media_type"),
        (b"1. a\x00b\n", None, "document.not_text"),
        (b"1. \xff\xfe\xfa\n", None, "document.not_text"),
        (b"1. \x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\n", None, "document.not_text"),
        (LIST, "text/markdown; charset=rot13", "document.not_text"),
        (LIST, "text/markdown; charset=no-such", "document.not_text"),
        (b"1. \xa4\n", "text/markdown; charset=utf-8", "document.not_text"),
        (b"Just text.\n", None, "document.no_procedure"),
        (b"> 1. In a note only.\n", None, "document.no_procedure"),
        (b"# T\n\n## Prerequisites\n\n1. Have it.\n", None, "document.no_procedure"),
        (b"1.\n2.\n", None, "document.no_procedure"),
    ],
)
def test_refusals_have_a_code_and_a_hint(body: bytes, media_type: str | None, code: str) -> None:
    error = refused(body, "doc.md", media_type)
    assert (error.code, error.retryable) == (code, False)
    assert error.hint


def test_a_document_may_not_exceed_its_bounds() -> None:
    assert refused(LIST * 20, max_bytes=100).code == "document.too_large"
    assert refused(b"1. x" + b"y" * 5_000_000).code == "document.too_large"
    assert refused(b"1. x\n" + b"y\n" * 600_000, "doc.rst").code == "document.too_large"
    assert (
        refused(b"".join(b"%d. x\n" % number for number in range(1, 402))).code
        == "document.too_many_steps"
    )
    assert (
        len(
            load("a.md", b"".join(b"%d. x\n" % number for number in range(1, 401)))
            .procedures[0]
            .substeps
        )
        == 400
    )


def _nested(opening: str, depth: int, closing: str = "") -> bytes:
    return (opening * depth + "x" + closing * depth).encode()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("a.md", _nested("> ", 500) + b"\n"),
        ("a.md", "".join("   " * level + "1. x\n" for level in range(12)).encode()),
        ("a.md", "".join("  " * level + "- x\n" for level in range(60)).encode()),
        ("a.md", b"1. x\n\n" + _nested("<div hidden>\n\n", 200)),
        ("a.rst", "".join(" " * 3 * level + "1. x\n\n" for level in range(200)).encode()),
        ("a.rst", "".join(" " * level + "x\n\n" for level in range(300)).encode()),
        ("a.html", _nested("<div>", 50_000)),
        ("a.html", _nested("<ol><li>", 5_000)),
        ("a.html", _nested("<b>", 5_000, "</b>")),
    ],
)
def test_nesting_made_to_exhaust_a_parser_is_refused(name: str, body: bytes) -> None:
    assert refused(body, name).code == "document.too_deep"


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        ("1. 单击。\n".encode("gb18030"), "text/markdown; charset=GBK"),
        ("1. 单击。\n".encode("utf-16"), None),
        (b"\xef\xbb\xbf" + "1. 单击。\n".encode(), None),
        ('<meta charset="gb2312"><ol><li>单击。</ol>'.encode("gb18030"), "text/html"),
    ],
)
def test_encodings(body: bytes, media_type: str | None) -> None:
    assert load("a", body, media_type).procedures[0].substeps[0].text == "单击。"


def test_all_line_ends_count_the_same() -> None:
    for end in ("\n", "\r\n", "\r"):
        for name, text in (
            ("a.md", "T|1. x|2. y. Z|   w. V"),
            ("a.rst", "T||1. x|2. y. Z|   w. V"),
            ("a.html", "<ol>|<li>x|<li>y. Z|w. V"),
        ):
            document = load(name, text.replace("|", end).encode())
            last = document.procedures[0].substeps[-1].sentences[-1]
            assert (last.text, last.span.line) == ("V", text.count("|") + 1)


def test_characters_that_only_python_breaks_lines_at_break_none() -> None:
    document = load("a.rst", "A\x0cb\u2028c\x85d.\n\n1. x\n".encode())
    assert document.procedures[0].substeps[0].span.line == 3


def _three() -> Document:
    return read(
        "# T\n\n## Background\n\n1. a\n\n## Procedure\n\n1. b\n\n## What to do next\n\n1. c\n"
    )


def test_the_procedure_of_a_document_is_chosen_the_same_way_each_time() -> None:
    assert select(_three()).id == "t/procedure"
    assert select(_three(), "t/what-to-do-next").substeps[0].text == "c"
    assert select(read("# T\n\n## Related\n\n1. a\n\n## Do it\n\n1. b\n")).id == "t/do-it"
    assert select(read("# T\n\n## One\n\n1. a\n\n## Two\n\n1. b\n")).id == "t/one"


def test_an_unknown_procedure_names_those_that_exist() -> None:
    with pytest.raises(ProofwalkError) as caught:
        select(_three(), "t/nope")
    assert caught.value.code == "document.unknown_procedure"
    assert "t/procedure" in caught.value.hint
    assert no_procedure().code == "document.no_procedure"
