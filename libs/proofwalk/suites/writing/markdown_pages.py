"""Pages written as Markdown."""

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
from proofwalk.suites.writing.text_runs import Role, runs, visible


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


class MarkdownPage:
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
