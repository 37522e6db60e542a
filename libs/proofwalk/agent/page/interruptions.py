"""Recognises what comes over a console's page by itself, and says what to do about it.

Cookie banners, an assistant that opens, a dialog that asks for a region, a load that
failed and can be retried, a lapsed session that can be resumed, a slider that must be
dragged before a request is accepted. `answer` is pure: it returns the one action
against the topmost of these, or None. It never answers a dialog that the walk opened,
since each kind is recognised by words that no product uses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.page.words import normalise
from proofwalk.console.actions import Action, Click, Drag, Wait
from proofwalk.console.observation import Element, Observation, State

_DRAG_PIXELS = 260.0
"""How far a slider is dragged. The page does not say how long its track is."""

_COOKIE = re.compile(r"\bcookies?\b", re.I)
_ASSISTANT = re.compile(r"\bassistant\b|助手|小助理", re.I)
_REGION = re.compile(r"^(?:(?:select|choose) (?:a|your) region|选择地域|请选择地域)", re.I)
_CAPTCHA = re.compile(
    r"drag the (?:slider|handle)|slide to verify|complete the"
    r" verification|拖动.*滑块|向右滑动|滑动验证|完成验证",
    re.I,
)
_PASSED = re.compile(r"^(?:verified|verification passed|验证通过)", re.I)
_LAPSED = re.compile(
    r"session (?:has )?(?:expired|lapsed|timed out)|sign(?:ed)? in"
    r" again|登录已过期|会话已过期|重新登录|登录状态已失效",
    re.I,
)
_ACCEPT = (
    *(
        "accept",
        "accept all",
        "accept all cookies",
        "accept cookies",
        "agree",
        "i agree",
        "ok",
        "got it",
    ),
    *("接受", "全部接受", "接受全部", "同意", "知道了"),
)
_CLOSE = (
    "close",
    "关闭",
    "×",
    "dismiss",
    "not now",
    "later",
    "暂不",
    "稍后",
    "no thanks",
    "no, thanks",
)
_GO_ON = ("ok", "confirm", "continue", "确定", "确认", "继续")
_RETRY = ("retry", "try again", "重试", "重新加载", "reload")
_RESUME = re.compile(
    r"^(?:continue as|resume|sign in again)\b|^以 .+ 身份继续|^(?:继续|重新登录|恢复)", re.I
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The next action against an interruption."""

    thought: str
    action: Action
    renews: bool = False
    """True if the action resumes a lapsed session, which loads the page anew."""


def answer(page: Observation, history: Sequence[PastStep] = ()) -> Answer | None:
    """Return the next action against an interruption of the page; None if there is
    none."""
    if page.browser_dialog:
        return None
    return (
        _lapsed(page)
        or _captcha(page)
        or _assistant(page)
        or _region(page)
        or _cookie(page)
        or _failed(page, history)
    )


def _lapsed(page: Observation) -> Answer | None:
    if not _says(page, _LAPSED):
        return None
    button = next((one for one in _buttons(page) if _RESUME.match(normalise(one.name))), None)
    return _click(button, "The session has lapsed; I take it up again.", renews=True)


def _captcha(page: Observation) -> Answer | None:
    if not _says(page, _CAPTCHA):
        return None
    passed = next((run.text for run in page.texts if _PASSED.search(run.text)), "")
    if passed:
        return Answer(
            thought="The slider is at its end; I wait until it goes.",
            action=Wait(text=passed, gone=True, seconds=3),
        )
    handle = next(
        (
            one
            for one in page.elements
            if _CAPTCHA.search(f"{one.name} {one.hint} {one.label}") and _is_small(one)
        ),
        None,
    )
    handle = handle or next(
        (one for one in page.elements if one.role == "slider" and one.container), None
    )
    if handle is None:
        return None
    return Answer(
        thought="A slider has to be dragged first; I drag it.",
        action=Drag(id=handle.mark, dx=_DRAG_PIXELS),
    )


def _is_small(element: Element) -> bool:
    return element.box.width <= 80


def _assistant(page: Observation) -> Answer | None:
    inside = [
        one
        for one in page.elements
        if _ASSISTANT.search(one.container) and State.DISABLED not in one.states
    ]
    return _click(_named(inside, _CLOSE), "An assistant has opened; I close it.")


def _region(page: Observation) -> Answer | None:
    if not _REGION.match(page.modal):
        return None
    inside = [one for one in _buttons(page) if one.container == page.modal]
    return _click(
        _named(inside, (*_GO_ON, *_CLOSE)),
        "The console asks for a region; the present one will do.",
    )


def _cookie(page: Observation) -> Answer | None:
    if not _says(page, _COOKIE):
        return None
    return _click(
        _named(_buttons(page), _ACCEPT, near=_COOKIE, page=page),
        "A banner about cookies; I accept it.",
    )


def _failed(page: Observation, history: Sequence[PastStep]) -> Answer | None:
    button = _named([one for one in _buttons(page) if not one.row], _RETRY)
    return _click(button, "Loading failed; I try again.")


def _says(page: Observation, what: re.Pattern[str]) -> bool:
    return (
        any(what.search(run.text) for run in page.texts)
        or bool(what.search(page.modal))
        or any(what.search(one) for one in page.alerts)
    )


def _buttons(page: Observation) -> list[Element]:
    return [
        one
        for one in page.elements
        if one.role in ("button", "link") and one.name and State.DISABLED not in one.states
    ]


def _named(
    elements: Sequence[Element],
    names: tuple[str, ...],
    *,
    near: re.Pattern[str] | None = None,
    page: Observation | None = None,
) -> Element | None:
    """Return the first element with the earliest of these names. With `near`, only
    elements close to a text that matches count."""
    found = [(names.index(name), one) for one in elements if (name := normalise(one.name)) in names]
    if near is not None and page is not None:
        lines = [run.box.y for run in page.texts if near.search(run.text)]
        found = [
            (order, one)
            for order, one in found
            if any(abs(one.box.y - line) <= 120 for line in lines)
        ]
    return min(found, key=lambda pair: pair[0], default=(0, None))[1]


def _click(element: Element | None, thought: str, *, renews: bool = False) -> Answer | None:
    return (
        None
        if element is None
        else Answer(thought=thought, action=Click(id=element.mark), renews=renews)
    )
