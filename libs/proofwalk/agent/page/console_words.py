"""Words that belong to a console and to no product, in English and Chinese."""

from __future__ import annotations

import re

PRODUCTS = ("Products", "产品", "产品与服务", "全部产品")
"""Names of the button that lists the products."""
STATUS = ("Status", "状态")
"""Names of the column that tells a state."""
ADD = re.compile(r"(?:add|\+)(?:\b|$)|添加|新增", re.I)
"""Beginnings of the button that adds an entry to a list."""
TO_CONFIRM = re.compile(
    r"\b(?:enter|type|input)\s+[“\"'`]?(?P<what>[^“”\"'`]+?)[”\"'`]?\s+to confirm"
    r"|输入\s*[“\"'`「【]?(?P<zh>[^“”\"'`「」【】，。]+?)[”\"'`」】]?\s*以确认",
    re.I,
)
"""`Enter "delete" to confirm`: the words that a dialog wants typed."""


def asked_to_confirm(text: str) -> str:
    """Return the words that a text wants typed to confirm; empty if it wants none."""
    asked = TO_CONFIRM.search(text)
    words = (asked["what"] or asked["zh"]).strip() if asked else ""
    return "" if re.match(r"the\b", words, re.I) else words
