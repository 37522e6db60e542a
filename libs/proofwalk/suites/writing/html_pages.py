"""Pages written as HTML."""

from __future__ import annotations

import html as html_escapes
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


class HtmlPage:
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
