"""How a text may be written in the source of a format, and how a new one is written.

`pattern` fits every spelling of a text: as it is, with backslashes, with character
references, over a line break. `spellings` are those in which a text may be put into a
source, the one with every sign escaped first; which of them says the text is found by
reading the result. A label comes from a page, so it may hold anything: `is_safe`
refuses what would be a directive of a site's templates, or would hide text from its
reader.
"""

from __future__ import annotations

import html
import html.entities
import re
from collections.abc import Iterator
from functools import cache

from proofwalk.procedures.loading import HTML, MARKDOWN, RST

MAX_LABEL = 200
"""Most characters of a label that is put into a document."""
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    r"|\{\{|\{%|\{#|\{!|<%|<\?|\$\{|8<-"
)
"""Control characters, marks that turn the direction of writing, and what template
languages read: Jinja, Liquid, Hugo, ERB, PHP, snippets."""
_MARKDOWN_SIGNS = re.compile(
    r"[\\`*\[\]<|~{}$]|&(?=#?\w+;)|(?<!\w)_|_(?!\w)|:(?=:)|(?<=:):|^[#+=>-]|(?<=\d)[.)](?=\s|$)"
)
_RST_SIGNS = re.compile(r"[\\`*_|<>&]|:(?=[\w:]*`)")
_CJK = "\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef"
_LETTER = f"[^\\W{_CJK}]"
_LETTER_IN_SOURCE = f"[^\\W_{_CJK}]"
"""In a source an underscore may be mark-up."""


def is_safe(label: str) -> bool:
    """True if the label may stand in a document's source."""
    return bool(label.strip()) and len(label) <= MAX_LABEL and not _UNSAFE.search(label)


def standing(words: str) -> re.Pattern[str]:
    """Return the pattern of these words where they stand by themselves in a text, and
    are no part of a longer word."""
    body = r"\s+".join(map(re.escape, words.split()))
    return re.compile(_bounded(words, body, _LETTER))


def pattern(words: str, media_type: str) -> re.Pattern[str]:
    """Return the pattern of every spelling of these words in a source."""
    space = r"(?:\s|&nbsp;|&#160;|(?<=\n)>)+" if media_type != RST else r"\s+"
    body = space.join(
        "".join(_character(one, media_type) for one in word) for word in words.split()
    )
    return re.compile(_bounded(words, body, _LETTER_IN_SOURCE))


def spellings(words: str, media_type: str) -> Iterator[str]:
    """Yield the ways to write these words, to be tried in this order."""
    if media_type == HTML:
        yield html.escape(words, quote=False)
        return
    signs = _MARKDOWN_SIGNS if media_type == MARKDOWN else _RST_SIGNS
    escaped = signs.sub(r"\\\g<0>", words)
    if media_type == RST and " > " in words:
        yield escaped.replace(r" \> ", " --> ")
        yield escaped.replace(r" \> ", " > ")
    yield escaped
    if escaped != words and "`" not in words:
        yield words


def _bounded(words: str, body: str, letter: str) -> str:
    first, last = words.strip()[:1], words.strip()[-1:]
    before = f"(?<!{letter})" if re.match(letter, first) else ""
    after = f"(?!{letter})" if re.match(letter, last) else ""
    return f"{before}{body}{after}"


@cache
def _character(one: str, media_type: str) -> str:
    """Return the pattern of one character's spellings."""
    ways = [re.escape(one)]
    if media_type != HTML and not one.isalnum() and one.isascii():
        ways.append(re.escape("\\" + one))
    if media_type != RST:
        ways += [f"&#0*{ord(one)};", f"&#[xX]0*(?i:{ord(one):x});"]
        ways += [re.escape(f"&{name}") for name in _names().get(one, ())]
    return "(?:" + "|".join(sorted(ways, key=len, reverse=True)) + ")"


@cache
def _names() -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name, text in html.entities.html5.items():
        if name.endswith(";") and len(text) == 1:
            names.setdefault(text, []).append(name)
    return names
