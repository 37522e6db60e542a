"""What comes over a page by itself is recognised and answered; what the walk has opened
is left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from proofwalk.agent.page.interruptions import answer
from proofwalk.console.actions import Click, Drag, Wait
from proofwalk.console.observation import Box, Element, Observation, TextRun

SPOT = Box(x=700, y=800, width=90, height=30)


def element(mark: int, name: str, role: str = "button", **more: Any) -> Element:
    return Element(
        mark=mark,
        identity=f"1-{mark}",
        role=role,
        tag="button",
        name=name,
        box=more.pop("box", SPOT),
        **more,
    )


def page(elements: list[Element], texts: list[str], *, modal: str = "") -> Observation:
    return Observation(
        url="http://console.test/ecs",
        title="Console",
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=tuple(elements),
        texts=tuple(TextRun(text=text, box=SPOT) for text in texts),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
        modal=modal,
    )


STOP = element(9, "Stop")


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (
            page(
                [STOP, element(2, "Accept All")],
                ["This site uses cookies to improve your experience."],
            ),
            2,
        ),
        (page([STOP, element(2, "全部接受")], ["本网站使用 Cookie 来改善您的使用体验。"]), 2),
        (
            page(
                [STOP, element(3, "Close", container="Cloud Assistant")],
                ["Hi, I am the assistant."],
            ),
            3,
        ),
        (page([STOP, element(3, "关闭", container="云助手")], []), 3),
        (page([element(4, "OK", container="Select a region")], [], modal="Select a region"), 4),
        (page([element(4, "确定", container="选择地域")], [], modal="选择地域"), 4),
        (page([STOP, element(5, "Retry")], ["ServiceUnavailable"]), 5),
        (
            page(
                [element(6, "Continue as agent"), element(7, "Sign In")],
                ["Your session has expired."],
            ),
            6,
        ),
        (page([element(6, "以 agent 身份继续")], ["您的登录已过期。"]), 6),
    ],
)
def test_each_kind_is_answered_by_its_button(seen: Observation, expected: int) -> None:
    found = answer(seen)
    assert found is not None
    assert found.action == Click(id=expected)
    assert found.renews == (expected == 6)


@pytest.mark.parametrize(
    "words",
    [
        ("Drag the slider to the end to continue.", "Slide to verify"),
        ("请按住滑块，拖动到最右边以继续。", "向右滑动验证"),
    ],
)
def test_a_captcha_is_dragged_and_then_waited_for(words: tuple[str, str]) -> None:
    handle = element(
        8,
        words[1],
        role="slider",
        box=Box(x=500, y=400, width=38, height=38),
        container="Verification",
    )
    found = answer(page([handle], list(words), modal="Verification"))
    assert found is not None
    assert found.action == Drag(id=8, dx=260)
    solved = answer(page([handle], [*words, "Verified"], modal="Verification"))
    assert solved is not None
    assert isinstance(solved.action, Wait)


@pytest.mark.parametrize(
    "seen",
    [
        page([STOP], ["Instances"]),
        page(
            [element(1, "OK", container="Stop Instance")],
            ["The instance will be stopped."],
            modal="Stop Instance",
        ),
        page(
            [element(1, "OK", container="Create Rule")],
            ["Region", "Select a protocol"],
            modal="Create Rule",
        ),
        page([element(1, "Close", container="Create Instance")], [], modal="Create Instance"),
    ],
)
def test_an_ordinary_page_or_dialog_is_left_alone(seen: Observation) -> None:
    assert answer(seen) is None
