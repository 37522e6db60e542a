"""Words that belong to the console and to no product, in the languages that consoles
speak.

Scripts name them in English (`confirm: OK`) whatever the session's language is; what a
product file names is in the session's language already.
"""

from __future__ import annotations

from proofwalk.agent.page.console_words import PRODUCTS as PRODUCTS
from proofwalk.agent.page.words import Match, match, normalise

NEXT = ("Next", "Next Step", "下一步")
CLOSE = ("Close", "关闭", "×", "Got it", "知道了", "我知道了")
ADD = ("Add", "添加", "新增")
ADD_TAG = ("Add Tag", "添加标签", "新增标签")
DELETE = ("Delete", "删除")
REFRESH = ("Refresh", "刷新")
SEARCH = ("search", "搜索", "请输入", "按")
"""Beginnings of a search box's placeholder."""
SUBMITTED = ("request submitted", "请求已提交")
NEXT_PAGE = ("next page", "下一页")

_SAME = (
    ("OK", "确定", "确认", "Confirm"),
    ("Cancel", "取消"),
    ("Close", "关闭"),
    ("Next", "下一步"),
    ("Previous", "上一步"),
    ("Refresh", "刷新"),
    ("Search", "搜索"),
    ("Submit", "提交"),
    ("Edit", "编辑"),
    ("More", "更多"),
)


def spellings(word: str) -> tuple[str, ...]:
    """Return the word, and the console's spellings of it if it is one of its own."""
    own = next((group for group in _SAME if normalise(word) == normalise(group[0])), ())
    return (word, *(other for other in own if other != word))


def is_one_of(text: str, words: tuple[str, ...]) -> bool:
    """Return True if a name on the page is one of these words."""
    return any(match(word, text) is not Match.NONE for word in words)
