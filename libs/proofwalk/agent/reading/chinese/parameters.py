"""Rewrites what Chinese tables and bullets say of a field into the English that the
rules read. `本示例选择普通账号。` becomes `Select 普通账号.`

A description begins with a verb of the lexicon, gives an example, leaves the field as
it is, or only explains. One that may ask for something else has no English (None), so
that its row ends as not understood.
"""

from __future__ import annotations

import re
from dataclasses import replace

from proofwalk.agent.reading.chinese.rewriting import is_chinese
from proofwalk.agent.reading.chinese.words import DUTIES, HEADERS, UI_ACTS, WORDS
from proofwalk.agent.reading.intents import Origin, Unread
from proofwalk.procedures.model import Block


def _any(slot: str) -> str:
    return "|".join(sorted(WORDS[slot], key=len, reverse=True))


_OPENING = rf"(?:{_any('as_needed')}|{_any('polite')}|[：:，\s])*"
_VERBS = (
    (re.compile(rf"{_OPENING}(?:{_any('choose')}|{_any('tick')})(?P<value>[^，。；]+)"), "Select"),
    (re.compile(rf"{_OPENING}(?:{_any('enter')})(?P<value>[^，。；]+)"), "Enter"),
    (re.compile(rf"{_OPENING}(?:{_any('set')})(?P<value>[^，。；]+)"), "Enter"),
    (re.compile(rf"{_OPENING}(?:例如|比如|示例)[：:，]?(?P<value>[^，。；]+)"), "For example,"),
    (re.compile(rf"{_OPENING}(?:{_any('on')})(?:该|此)?(?:开关|选项|功能)?(?P<value>)"), "Turn on"),
    (
        re.compile(rf"{_OPENING}(?:{_any('off')})(?:该|此)?(?:开关|选项|功能)?(?P<value>)"),
        "Turn off",
    ),
    (re.compile(rf"{_OPENING}(?:保持|使用)默认(?:值|设置|配置)?(?P<value>)"), "Keep the default"),
)
_OPEN = re.compile("合适|适合|所需|已|您|要|需要|目标|符合|满足|一个|任意|相应|对应")
_ENDS = re.compile(r"[。；]\s*")
_MAY_ASK = re.compile("|".join((*UI_ACTS, *DUTIES)))


def in_english(text: str) -> str | None:
    """Return the description of a field in English; the text itself if it has no
    Chinese verb to read; None if it may ask for more than is read."""
    if not is_chinese(text):
        return text
    first, *others = [part for part in _ENDS.split(text.strip()) if part]
    if any(_MAY_ASK.search(part) for part in others):
        return None
    for pattern, verb in _VERBS:
        found = pattern.fullmatch(first)
        if found:
            value = found["value"].strip()
            article = "the " if _OPEN.match(value) else ""
            return f"{f'{verb} {article}{value}'.strip()}."
    return None if _MAY_ASK.search(first) else "The field is explained."


def table_in_english(block: Block) -> tuple[Block, tuple[Unread, ...]]:
    """Return a table with its headers and descriptions in English, and its rows that
    were not understood."""
    if not block.rows or not any(is_chinese(cell) for row in block.rows for cell in row):
        return block, ()
    header = tuple(HEADERS.get(cell.strip(), cell) for cell in block.rows[0])
    rows: list[tuple[str, ...]] = [header]
    unread: list[Unread] = []
    for row in block.rows[1:]:
        said = [
            row[0],
            *(_cell(name, cell) for name, cell in zip(header[1:], row[1:], strict=False)),
        ]
        if None in said:
            text = " | ".join(cell for cell in row if cell)
            origin = Origin(file=block.span.file, line=block.span.line, sentence=text)
            unread.append(Unread(text=text, rest=text, origin=origin))
        rows.append(tuple(cell or "" for cell in said))
    return replace(block, rows=tuple(rows)), tuple(unread)


def _cell(header: str, cell: str) -> str | None:
    """Return a cell in English. A value stays as the console has it."""
    if header in ("Value", "Example") and not any(
        pattern.fullmatch(_ENDS.sub("", cell.strip())) for pattern, _ in _VERBS
    ):
        return cell
    return in_english(cell)
