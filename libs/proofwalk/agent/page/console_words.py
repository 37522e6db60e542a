"""Words that belong to a console and to no product, in English and Chinese."""

from __future__ import annotations

import re

PRODUCTS = ("Products", "产品", "产品与服务", "全部产品")
"""Names of the button that lists the products."""
STATUS = ("Status", "状态")
"""Names of the column that tells a state."""
ADD = re.compile(r"(?:add|\+)(?:\b|$)|添加|新增", re.I)
"""Beginnings of the button that adds an entry to a list."""
CANCEL = re.compile(r"cancel|close|discard|back|取消|关闭|返回", re.I)
"""Names of the button that leaves a form as it is."""
PAGES = re.compile(
    r"(?:(?:items|rows|entries|results|records) (?:per|on each) page|(?:page|go to page)\b.*|"
    r"page size|每页.*|.*条/页)",
    re.I,
)
"""Names of the lists under a table that turn its pages."""
_QUOTED = r"[“\"'`「【『]\s*(?P<{}>[^“”\"'`「」【】『』]+?)\s*[”\"'`」】』]"
_THING = r"[\u4e00-\u9fff]{0,10}?(?:名称|名|ID|id)?[：:]?\s*"
_BARE = r"(?P<{}>[A-Za-z0-9][\w.-]*)"
TO_CONFIRM = re.compile(
    r"\b(?:enter|type|input)\s+[“\"'`]?(?P<what>[^“”\"'`]+?)[”\"'`]?\s+to confirm"
    r"|\bto (?:confirm|proceed|continue)\b[^.,]*,\s*(?:please )?(?:enter|type|input)\s+"
    r"(?:the (?:word|text|phrase|name) )?[“\"'`]?(?P<then>(?!(?:the|its|your|this)\b)"
    r"[^\s“”\"'`.,:]+)[”\"'`]?(?=\s*(?:[.:]|$|in\b|into\b|below\b))"
    r"|输入\s*[“\"'`「【]?(?P<zh>[^“”\"'`「」【】，。]+?)[”\"'`」】]?\s*以确认"
    rf"|确认[^，。]*[，,]\s*请?输入{_THING}(?:{_QUOTED.format('quoted')}|{_BARE.format('bare')})"
    rf"|输入{_THING}(?:{_QUOTED.format('quoted_first')}|{_BARE.format('bare_first')})"
    r"\s*(?:以|来|进行|后|再)?(?:二次|再次)?确认",
    re.I,
)
"""`Enter "delete" to confirm`: the words that a dialog wants typed."""


def asked_to_confirm(text: str) -> str:
    """Return the words that a text wants typed to confirm; empty if it wants none."""
    asked = TO_CONFIRM.search(text)
    words = next(filter(None, asked.groups()), "").strip() if asked else ""
    return "" if re.match(r"the\b", words, re.I) else words
