"""Pages written as Markdown, reStructuredText or HTML.

A page is a list of blocks whose texts carry inline marks in one neutral form:
`**label**`, `` `value` ``, `[text](target)`. Each renderer turns them into its format's
own, escaped, so that `procedures` reads back the same labels and values: in Markdown
and reStructuredText a mark beside a letter (Chinese has no spaces) needs a separator,
which readers drop again.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.suites.writing.blocks import Block
from proofwalk.suites.writing.html_pages import HtmlPage
from proofwalk.suites.writing.markdown_pages import MarkdownPage
from proofwalk.suites.writing.page_styles import Style
from proofwalk.suites.writing.rst_pages import RstPage


def render(
    media_type: str, blocks: Sequence[Block], style: Style, *, language: str, product: str
) -> str:
    """The page's text."""
    if media_type == "text/html":
        return HtmlPage(style).page(blocks, language, product)
    if media_type == "text/x-rst":
        return RstPage(style).page(blocks)
    return MarkdownPage(style).page(blocks, product)
