"""Turns bytes into a document: finds their type and text, and checks bounds.

`load` is synchronous and only uses the processor: a typical page takes milliseconds,
five megabytes take seconds, and a hostile page takes minutes. So services call it in a
process of its own (`confined`). It raises nothing but `ProofwalkError`s of the
`document` family: `document.empty`, `document.too_large`, `document.bad_media_type`,
`document.not_text`, `document.too_deep`, `document.too_many_steps` (`_items`,
`_headings`, `_cells`, `_attributes`, `_marks`, `_elements`), `document.malformed` and
`document.no_procedure`.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from dataclasses import dataclass

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.procedures import docbook, html, markdown, rst
from proofwalk.procedures.assembly import assemble
from proofwalk.procedures.extent import check_extent
from proofwalk.procedures.model import Document
from proofwalk.procedures.outline import Node, too_deep

MAX_BYTES = 5_000_000
"""Most bytes of a document, unless the caller says otherwise."""

MARKDOWN, RST, HTML = "text/markdown", "text/x-rst", "text/html"
DOCBOOK = "application/docbook+xml"

_DECLARED = {
    "text/markdown": MARKDOWN,
    "text/x-markdown": MARKDOWN,
    "text/x-rst": RST,
    "text/prs.fallenstein.rst": RST,
    "text/html": HTML,
    "application/xhtml+xml": HTML,
    "application/docbook+xml": DOCBOOK,
}
_XML = frozenset(["application/xml", "text/xml"])
"""Types that say no more than XML: DocBook, if the text says so."""
_UNSAID = frozenset(["", "text/plain", "application/octet-stream", "binary/octet-stream"])
_SUFFIXES = {
    "md": MARKDOWN, "markdown": MARKDOWN, "mdown": MARKDOWN, "mkd": MARKDOWN, "mdx": MARKDOWN,
    "rst": RST, "rest": RST,
    "html": HTML, "htm": HTML, "xhtml": HTML,
    "dbk": DOCBOOK, "docbook": DOCBOOK,
}  # fmt: skip
_MAGIC = (
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\xd0\xcf\x11\xe0", "an office document"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "an archive"),
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHARSETS = frozenset(
    [
        "utf-8", "ascii", "iso8859-1", "cp1252", "gb18030", "gbk", "gb2312", "big5", "shift_jis", "euc_jp", "euc_kr",
        "iso8859-15", "cp1251", "koi8-r", "utf-16-le", "utf-16-be"
    ]
)  # fmt: skip
_META_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f]")
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_DOCBOOK_SIGN = re.compile(
    r"http://docbook\.org/ns/docbook|-//(?:OASIS//DTD|NORMAN WALSH//DTD) DocBook", re.I
)
_HTML_BLOCK = re.compile(r"<(?:ol|ul|div|section|article|main|p|h[1-6])\b", re.IGNORECASE)
_MD_SIGN = re.compile(r"^(?:#{1,6} |```|:::|> |\|.*\|\s*$|\d+\. .*\*\*.+\*\*|!\[)", re.MULTILINE)
_RST_SIGN = re.compile(
    r"^(?:\.\. [\w|].{0,200}::|\.\. _\S.{0,200}:|#\."
    r" |\S.{0,200}\n(?:={3,}|-{3,}|~{3,}|\^{3,}|\*{3,})\s*$)|:[a-z]+:`|``\S",
    re.MULTILINE,
)


def load(
    name: str, body: bytes, media_type: str | None = None, *, max_bytes: int = MAX_BYTES
) -> Document:
    """Parse a document. `name` is its name in findings (a path or a URL); `media_type`
    is a Content-Type, if there was one."""
    if len(body) > max_bytes:
        raise invalid(
            "document.too_large",
            f"the document has {len(body)} bytes; at most {max_bytes} are read",
            hint="verify the part of the document that holds the procedure",
        )
    if not body.strip(b" \t\r\n\x0b\x0c\xef\xbb\xbf"):
        raise invalid(
            "document.empty",
            "the document is empty",
            hint="check that the address names the document itself",
        )
    for magic, kind in _MAGIC:
        if body.startswith(magic):
            raise _bad_media_type(f"the document is {kind}")
    text = _lines(decode(body, media_type).text)
    kind = _kind(name, text, media_type)
    check_extent(text)
    try:
        title, nodes = _read(kind, text)
        document = assemble(
            nodes, name=name, title=title, media_type=kind, digest=hashlib.sha256(body).hexdigest()
        )
    except RecursionError:
        raise too_deep() from None
    if not document.procedures:
        raise no_procedure()
    return document


def no_procedure() -> ProofwalkError:
    """Return the error for a document without a procedure."""
    return invalid(
        "document.no_procedure",
        "the document has no procedure: no ordered list outside notes and prerequisites, no"
        " headings of the form 'Step 1', and no bullets or paragraphs that ask to click, select or"
        " open something",
        hint="write the steps as a numbered list, or name the document that holds them",
    )


def _read(kind: str, text: str) -> tuple[str, tuple[Node, ...]]:
    if kind == HTML:
        return html.read(text)
    if kind == DOCBOOK:
        return docbook.read(text)
    return rst.read(text) if kind == RST else markdown.read(text)


def _bad_media_type(what: str) -> ProofwalkError:
    return invalid(
        "document.bad_media_type",
        f"{what}; documents are Markdown, reStructuredText, HTML or DocBook",
        hint="export the document as one of them",
    )


def _not_text(why: str) -> ProofwalkError:
    return invalid("document.not_text", f"the document is not text: {why}", hint="save it as UTF-8")


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """The text of a source as it is written, with its own line ends, and how its bytes
    are made: `bom`, then `text` in `charset`."""

    bom: bytes
    charset: str
    text: str


def decode(body: bytes, media_type: str | None = None) -> Encoded:
    """Return the text of a source. Raises `document.not_text`."""
    for bom, charset in _BOMS:
        if body.startswith(bom):
            text = _decoded(body[len(bom) :], charset)
            return Encoded(bom=bom, charset=charset, text=text)
    label = _charset_label(body, media_type)
    charset = _charset(label.lower()) or ""
    if not charset:
        raise _not_text(f"its encoding {label!r} is not known")
    return Encoded(bom=b"", charset=charset, text=_decoded(body, charset))


def _charset_label(body: bytes, media_type: str | None) -> str:
    declared = re.search(r"charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", media_type or "", re.IGNORECASE)
    if b"\x00" in body:
        raise _not_text(f"it holds a NUL byte at offset {body.index(0)}")
    if declared:
        return declared.group(1)
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        meta = _META_CHARSET.search(body[:4096])
        if meta and _charset(meta.group(1).decode()) != "utf-8":
            return meta.group(1).decode()
        raise _not_text(
            f"it is not UTF-8 at byte {error.start} and declares no other encoding"
        ) from None
    return "utf-8"


def _charset(label: str) -> str | None:
    try:
        name = codecs.lookup(
            label.replace("gb2312", "gb18030").replace("iso-8859-1", "cp1252")
        ).name
    except (LookupError, ValueError):
        return None
    return name if name in _CHARSETS else None


def _decoded(body: bytes, charset: str) -> str:
    try:
        return body.decode(charset)
    except UnicodeDecodeError as error:
        raise _not_text(f"it is not {charset} at byte {error.start}") from None


def _lines(text: str) -> str:
    """Return the text with LF line ends. Raises an error for characters that no text
    contains."""
    controls = len(_CONTROL.findall(text))
    if "\x00" in text or (controls > 8 and controls * 100 > len(text)):
        raise _not_text(f"it holds {controls} control characters")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _kind(name: str, text: str, media_type: str | None) -> str:
    declared = (media_type or "").split(";")[0].strip().lower()
    if declared in _DECLARED:
        return _DECLARED[declared]
    head = text[:20_000]
    is_docbook = head.lstrip().startswith("<") and _DOCBOOK_SIGN.search(head) is not None
    if declared in _XML and is_docbook:
        return DOCBOOK
    if declared not in _UNSAID:
        raise _bad_media_type(f"the document's type is {declared!r}")
    path = re.split(r"[?#]", name)[0] if "://" in name else name
    suffix = (
        path.rsplit("/", 1)[-1].rpartition(".")[2].lower() if "." in path.rsplit("/", 1)[-1] else ""
    )
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if is_docbook:
        return DOCBOOK
    if _HTML_START.match(head):
        return HTML
    markdown_signs, rst_signs = len(_MD_SIGN.findall(head)), len(_RST_SIGN.findall(head))
    if len(_HTML_BLOCK.findall(head)) >= 3 and not markdown_signs:
        return HTML
    return RST if rst_signs > markdown_signs else MARKDOWN
