"""Pages written as Markdown, reStructuredText or HTML.

A page is a list of blocks whose texts carry inline marks in one neutral form:
`**label**`, `` `value` ``, `[text](target)`. Each renderer turns them into its format's
own, escaped, so that `procedures` reads back the same labels and values: in Markdown
and reStructuredText a mark beside a letter (Chinese has no spaces) needs a separator,
which readers drop again. `Style` is what authors differ in without saying anything
else.
"""

from __future__ import annotations

import html as html_escapes
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Role(StrEnum):
    """How a run of text is set."""

    TEXT = "text"
    STRONG = "strong"
    CODE = "code"
    LINK = "link"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of one role."""

    role: Role
    text: str
    target: str = ""


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading; level 1 is the title."""

    level: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Bullets:
    """An unordered list."""

    items: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Note:
    """A callout: note, important, warning."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with a header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An item of the procedure with what stands below it."""

    text: str
    table: Table | None = None
    entries: tuple[Entry, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Steps:
    """The procedure's ordered list."""

    entries: tuple[Entry, ...]


Block = Heading | Paragraph | Bullets | Note | Table | Steps

_MARK = re.compile(
    r"\*\*(?P<strong>.+?)\*\*|`(?P<code>[^`]+)`|\[(?P<link>[^\]\[]+)\]\((?P<target>[^)\s]+)\)"
)


def runs(text: str) -> list[Run]:
    """The runs of a neutral text."""
    found: list[Run] = []
    at = 0
    for mark in _MARK.finditer(text):
        if mark.start() > at:
            found.append(Run(role=Role.TEXT, text=text[at : mark.start()]))
        if mark["strong"] is not None:
            found.append(Run(role=Role.STRONG, text=mark["strong"]))
        elif mark["code"] is not None:
            found.append(Run(role=Role.CODE, text=mark["code"]))
        else:
            found.append(Run(role=Role.LINK, text=mark["link"], target=mark["target"]))
        at = mark.end()
    if at < len(text):
        found.append(Run(role=Role.TEXT, text=text[at:]))
    return found


def visible(text: str) -> str:
    """What a reader sees of a neutral text."""
    return "".join(run.text for run in runs(text))


@dataclass(frozen=True, kw_only=True)
class Style:
    """An author's habits."""

    numbered: bool
    """rst: `1.` rather than `#.`"""
    guilabel: bool
    underline: str
    note: int
    """Which of the format's forms of a callout."""
    strong: str
    """html: the element of a label."""
    paragraphs: bool
    """html: list items hold paragraphs."""
    wrapper: str
    front_matter: bool


def draw_style(random: Random) -> Style:
    """The habits of one author."""
    return Style(
        numbered=random.random() < 0.4,
        guilabel=random.random() < 0.4,
        underline=random.choice("=-~"),
        note=random.randrange(3),
        strong=random.choice(("b", "strong", "strong")),
        paragraphs=random.random() < 0.5,
        wrapper=random.choice(("main", "article", 'div id="content"')),
        front_matter=random.random() < 0.3,
    )


def render(
    media_type: str, blocks: Sequence[Block], style: Style, *, language: str, product: str
) -> str:
    """The page's text."""
    if media_type == "text/html":
        return _Html(style).page(blocks, language, product)
    if media_type == "text/x-rst":
        return _Rst(style).page(blocks)
    return _Markdown(style).page(blocks, product)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


class _Markdown:
    _NOTES = (":::{kind}\n{text}\n:::", "> [!{KIND}]\n> {text}", "!!! {kind}\n    {text}")

    def __init__(self, style: Style) -> None:
        self._style = style

    def page(self, blocks: Sequence[Block], product: str) -> str:
        """The whole page."""
        head = ""
        title = next(
            (block.text for block in blocks if isinstance(block, Heading) and block.level == 1), ""
        )
        if self._style.front_matter:
            head = f'---\ntitle: "{visible(title)}"\nproduct: {product}\n---\n\n'
        return head + "\n\n".join(self._block(block) for block in blocks) + "\n"

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                return f"{'#' * block.level} {self._text(block.text)}"
            case Paragraph():
                return self._text(block.text)
            case Bullets():
                return "\n".join(f"- {self._text(item)}" for item in block.items)
            case Note():
                form = self._NOTES[self._style.note]
                return form.format(
                    kind=block.kind, KIND=block.kind.upper(), text=self._text(block.text)
                )
            case Table():
                return self._table(block)
            case Steps():
                return self._entries(block.entries)

    def _entries(self, entries: Sequence[Entry]) -> str:
        items = []
        for number, entry in enumerate(entries, 1):
            mark = f"{number}. "
            parts = [self._text(entry.text)]
            if entry.table is not None:
                parts.append(self._table(entry.table))
            if entry.entries:
                parts.append(self._entries(entry.entries))
            body = "\n\n".join(parts)
            items.append(mark + body.replace("\n", "\n" + " " * len(mark)))
        return "\n".join(line.rstrip() for line in "\n".join(items).split("\n"))

    def _table(self, table: Table) -> str:
        rows = [table.header, tuple("---" for _ in table.header), *table.rows]
        texts = [
            row if number == 1 else tuple(self._text(cell).replace("|", "\\|") for cell in row)
            for number, row in enumerate(rows)
        ]
        return "\n".join(f"| {' | '.join(row)} |" for row in texts)

    def _text(self, text: str) -> str:
        found = runs(text)
        out = ""
        for number, run in enumerate(found):
            after = found[number + 1].text[:1] if number + 1 < len(found) else ""
            match run.role:
                case Role.TEXT:
                    out += _escaped_markdown(run.text)
                case Role.CODE:
                    out += f"`{run.text}`"
                case Role.LINK:
                    out += f"[{_escaped_markdown(run.text)}]({run.target})"
                case Role.STRONG:
                    # A mark between a letter and a punctuation mark would not open or
                    # close: CommonMark's flanking rules.
                    if (
                        out
                        and _is_mark(run.text[0])
                        and not (out[-1].isspace() or _is_mark(out[-1]))
                    ):
                        out += " "
                    out += f"**{_escaped_markdown(run.text)}**"
                    if (
                        after
                        and _is_mark(run.text[-1])
                        and not (after.isspace() or _is_mark(after))
                    ):
                        out += " "
        return out


def _escaped_markdown(text: str) -> str:
    return re.sub(r"([\\*`\[\]<]|(?<!\w)_|_(?!\w))", r"\\\1", text)


_BEFORE = frozenset(" \n'\"([{<-/:")
_AFTER = frozenset(" \n'\")]}>-/\\:.,;!?")


class _Rst:
    _NOTES = (
        ".. {kind}::\n\n   {text}",
        ".. {kind}:: {text}",
        ".. admonition:: {Kind}\n\n   {text}",
    )

    def __init__(self, style: Style) -> None:
        self._style = style

    def page(self, blocks: Sequence[Block]) -> str:
        """The whole page."""
        return "\n\n".join(self._block(block) for block in blocks) + "\n"

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                text = self._text(block.text)
                width = sum(
                    2 if unicodedata.east_asian_width(character) in "WF" else 1
                    for character in text
                )
                if block.level == 1:
                    return f"{'#' * width}\n{text}\n{'#' * width}"
                return f"{text}\n{self._style.underline * width}"
            case Paragraph():
                return self._text(block.text)
            case Bullets():
                return "\n".join(f"* {self._text(item)}" for item in block.items)
            case Note():
                kind = (
                    block.kind if block.kind in ("note", "important", "warning", "tip") else "note"
                )
                return self._NOTES[self._style.note].format(
                    kind=kind, Kind=kind.capitalize(), text=self._text(block.text)
                )
            case Table():
                return self._table(block)
            case Steps():
                return self._entries(block.entries, 0)

    def _entries(self, entries: Sequence[Entry], depth: int) -> str:
        items = []
        for number, entry in enumerate(entries, 1):
            mark = (
                "abcdefghijklmnopqrstuvwxyz"[(number - 1) % 26] + ". "
                if depth
                else f"{number}. "
                if self._style.numbered
                else "#. "
            )
            parts = [self._text(entry.text)]
            if entry.table is not None:
                parts.append(self._table(entry.table))
            if entry.entries:
                parts.append(self._entries(entry.entries, depth + 1))
            items.append(mark + "\n\n".join(parts).replace("\n", "\n" + " " * len(mark)))
        return "\n".join(line.rstrip() for line in "\n\n".join(items).split("\n"))

    def _table(self, table: Table) -> str:
        lines = [".. list-table::", "   :header-rows: 1", ""]
        for row in (table.header, *table.rows):
            lines += [
                f"   {'* -' if number == 0 else '  -'} {self._text(cell)}"
                for number, cell in enumerate(row)
            ]
        return "\n".join(lines)

    def _text(self, text: str) -> str:
        found = runs(text)
        out = ""
        for number, run in enumerate(found):
            after = found[number + 1].text[:1] if number + 1 < len(found) else ""
            if run.role is Role.TEXT:
                out += _escaped_rst(run.text)
                continue
            if out and out[-1] not in _BEFORE:
                out += "\\ "
            match run.role:
                case Role.CODE:
                    out += f"``{run.text}``"
                case Role.LINK:
                    out += f"`{_escaped_rst(run.text)} <{run.target}>`__"
                case _ if self._style.guilabel and not set(run.text) & set("\\`<>&"):
                    out += f":guilabel:`{run.text}`"
                case _:
                    out += f"**{_escaped_rst(run.text)}**"
            if after and after not in _AFTER:
                out += "\\ "
        return out


def _escaped_rst(text: str) -> str:
    return re.sub(r"([\\*`|]|_(?!\w))", r"\\\1", text)


class _Html:
    def __init__(self, style: Style) -> None:
        self._style = style

    def page(self, blocks: Sequence[Block], language: str, product: str) -> str:
        """The whole page."""
        title = next(
            (block.text for block in blocks if isinstance(block, Heading) and block.level == 1), ""
        )
        tongue = "zh-CN" if language == "zh" else "en"
        wrapper = self._style.wrapper
        body = "\n".join(self._block(block) for block in blocks)
        return (
            f'<!DOCTYPE html>\n<html lang="{tongue}">\n<head>\n  <meta charset="utf-8">\n'
            f'  <title>{html_escapes.escape(visible(title))}</title>\n  <meta name="product"'
            f' content="{html_escapes.escape(product)}">\n'
            f"</head>\n<body>\n<{wrapper}>\n{body}\n</{wrapper.split()[0]}>\n</body>\n</html>\n"
        )

    def _block(self, block: Block) -> str:
        match block:
            case Heading():
                return f"<h{block.level}>{self._text(block.text)}</h{block.level}>"
            case Paragraph():
                return f"<p>{self._text(block.text)}</p>"
            case Bullets():
                return (
                    "<ul>\n"
                    + "\n".join(f"  <li>{self._text(item)}</li>" for item in block.items)
                    + "\n</ul>"
                )
            case Note():
                label = block.kind.capitalize()
                forms = (
                    (
                        f'<div class="note {block.kind}"><p><strong>{label}</strong>'
                        f" {self._text(block.text)}</p></div>"
                    ),
                    (
                        f'<div class="alert alert-{block.kind}"'
                        f' role="note">{self._text(block.text)}</div>'
                    ),
                    f'<aside class="note"><p>{self._text(block.text)}</p></aside>',
                )
                return forms[self._style.note]
            case Table():
                return self._table(block, "")
            case Steps():
                return self._entries(block.entries, "")

    def _entries(self, entries: Sequence[Entry], indent: str) -> str:
        kind = ' type="a"' if indent else ""
        lines = [f"{indent}<ol{kind}>"]
        for entry in entries:
            text = self._text(entry.text)
            opened = (
                f"{indent}  <li><p>{text}</p>"
                if self._style.paragraphs
                else f"{indent}  <li>{text}"
            )
            if entry.table is None and not entry.entries:
                lines.append(f"{opened}</li>")
                continue
            lines.append(opened)
            if entry.table is not None:
                lines.append(self._table(entry.table, indent + "    "))
            if entry.entries:
                lines.append(self._entries(entry.entries, indent + "    "))
            lines.append(f"{indent}  </li>")
        return "\n".join([*lines, f"{indent}</ol>"])

    def _table(self, table: Table, indent: str) -> str:
        def row(cells: Sequence[str], element: str) -> str:
            return (
                f"{indent}  <tr>"
                + "".join(f"<{element}>{self._text(cell)}</{element}>" for cell in cells)
                + "</tr>"
            )

        return "\n".join(
            [
                f"{indent}<table>",
                row(table.header, "th"),
                *(row(cells, "td") for cells in table.rows),
                f"{indent}</table>",
            ]
        )

    def _text(self, text: str) -> str:
        out = ""
        for run in runs(text):
            escaped = html_escapes.escape(run.text, quote=False)
            match run.role:
                case Role.STRONG:
                    out += f"<{self._style.strong}>{escaped}</{self._style.strong}>"
                case Role.CODE:
                    out += f"<code>{escaped}</code>"
                case Role.LINK:
                    out += f'<a href="{html_escapes.escape(run.target)}">{escaped}</a>'
                case _:
                    out += escaped
        return out
