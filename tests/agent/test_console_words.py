"""Words of the console itself are known in English and Chinese."""

from __future__ import annotations

import pytest

from proofwalk.agent.page.console_words import ADD, asked_to_confirm
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.literal.findings import goes_on
from proofwalk.agent.policies.literal.scene import Memory


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Enter “delete” to confirm", "delete"),
        ("Type web-3 to confirm", "web-3"),
        ("Enter the name to confirm", ""),
        ("请输入 web-3 以确认", "web-3"),
        ("请输入“删除”以确认", "删除"),
        ("请输入名称", ""),
    ],
)
def test_what_a_dialog_wants_typed(text: str, words: str) -> None:
    assert asked_to_confirm(text) == words


@pytest.mark.parametrize("name", ["Add", "add entry", "+", "添加", "新增一行"])
def test_a_button_that_adds(name: str) -> None:
    assert ADD.match(name)


@pytest.mark.parametrize("name", ["Address", "添"])
def test_a_button_that_does_not_add(name: str) -> None:
    assert not ADD.match(name)


def test_more_is_the_dots_in_both_languages() -> None:
    assert match("更多", "⋮") is Match.EXACT
    assert match("⋮", "更多") is Match.EXACT


@pytest.mark.parametrize(
    ("name", "forward"), [("下一步", True), ("上一步", False), ("添加", False)]
)
def test_buttons_that_go_on(name: str, forward: bool) -> None:
    assert goes_on(name) is forward


@pytest.mark.parametrize(
    ("label", "mentioned"),
    [("停止模式", True), ("目标实例规格", True), ("付费类型", False), ("Zone", False)],
)
def test_a_document_without_spaces_mentions_a_field(label: str, mentioned: bool) -> None:
    """Half of a label is enough, since it ends with its noun: less blame, not more."""
    memory = Memory(mentioned="选择停止模式，根据业务需要选择合适的实例规格。")
    assert memory.mentions(label) is mentioned
