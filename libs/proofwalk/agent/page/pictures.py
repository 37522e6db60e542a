"""What people call the signs that controls show, and what such controls are called.

A document shows a gear; the console calls the control that shows one *Settings*. Each
group holds the signs of one meaning, and the words that a control of that meaning is
named with. A group names a control only if there is one.
"""

from __future__ import annotations

import re

from proofwalk.agent.page import regions
from proofwalk.agent.page.words import tokens
from proofwalk.console.observation import Element, Observation, State

_GROUPS = tuple(
    (frozenset(tokens(signs)), frozenset(tokens(words)))
    for signs, words in (
        (
            "gear cog cogs cogwheel wrench sliders tune",
            "settings preferences configuration 设置 配置",
        ),
        ("trash bin can dustbin delete remove", "delete remove trash 删除 移除"),
        ("pencil pen edit", "edit rename modify 编辑 修改"),
        ("plus add", "add create new 添加 新增 新建 创建"),
        ("magnifier glass search loupe", "search find 搜索 查询"),
        ("ellipsis dots kebab more hamburger menu", "more menu actions 更多 更多操作"),
        ("cross times close x", "close dismiss 关闭"),
        ("check tick checkmark done", "save apply confirm done 保存 确定 确认"),
        ("refresh sync reload", "refresh reload 刷新"),
        ("bell notification notifications", "notifications alerts 通知 消息"),
        ("user person avatar account profile", "account profile user"),
        ("question help info", "help information"),
        ("download export", "download export 下载 导出"),
        ("copy clone duplicate", "copy clone duplicate 复制"),
        ("archive", "archive"),
        ("eye show view", "show view"),
    )
)


_POINTS = re.compile(r"(?P<way>right|left|up|down)-arrow")
_POINTING = {
    "right": ("right", "add", ">", "→", "›", "»"),
    "left": ("left", "remove", "<", "←", "‹", "«"),
    "up": ("up", "↑"),
    "down": ("down", "↓"),
}


def pointing(page: Observation, sign: str) -> list[Element]:
    """Return the buttons in front that move something this way (`right-arrow`): by
    their name, else the only one without a name that can be pressed. Empty for other
    signs."""
    found = _POINTS.fullmatch(sign)
    if found is None:
        return []
    buttons = [
        one
        for one in regions.reachable(page, page.elements)
        if one.role == "button" and not one.row and State.DISABLED not in one.states
    ]
    words = _POINTING[found["way"]]
    named = [one for one in buttons if any(word in one.name.casefold().split() for word in words)]
    unnamed = [one for one in buttons if not any(char.isalnum() for char in one.name)]
    return named or (unnamed if len(unnamed) == 1 else [])


def controls(page: Observation, sign: str, *, row: str = "") -> list[Element]:
    """Return the controls in front that show the sign itself, as an icon's name tells
    it (`person_add`), else those that are named after what it stands for. One in a row
    is one of many, and none of them, unless `row` is the row in question: there a name
    may go on with the thing (`Edit Release flag type`)."""
    pressed = [
        one
        for one in regions.reachable(page, page.elements)
        if one.role in ("button", "link", "menuitem")
    ]
    of_row = [one for one in pressed if row and one.row == row]
    apart = [one for one in pressed if not one.row]
    for within in (of_row, apart):
        shown = [one for one in within if tokens(one.name) == tokens(sign)]
        if shown:
            return shown
    seen = set(tokens(sign))
    meant = {word for signs, words in _GROUPS if signs & seen for word in words}
    return [one for one in of_row if meant & set(tokens(one.name)[:1])] or [
        one for one in apart if len(tokens(one.name)) <= 3 and meant & set(tokens(one.name))
    ]
