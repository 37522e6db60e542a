"""Pages written as reStructuredText."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from proofwalk.suites.writing.blocks import (
    Block,
    Bullets,
    Entry,
    Heading,
    Note,
    Paragraph,
    Steps,
    Table,
)
from proofwalk.suites.writing.page_styles import Style
from proofwalk.suites.writing.text_runs import Role, runs

_BEFORE = frozenset(" \n'\"([{<-/:")
_AFTER = frozenset(" \n'\")]}>-/\\:.,;!?")


class RstPage:
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
