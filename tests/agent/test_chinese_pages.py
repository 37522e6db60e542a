"""The words of Chinese consoles: what changes something, what searches, what stands for
a sign, and what a window wants typed."""

from __future__ import annotations

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.agent.page.console_words import asked_to_confirm
from proofwalk.agent.page.pictures import controls
from proofwalk.agent.page.words import Match, match
from proofwalk.agent.policies.literal import searches
from proofwalk.agent.policies.literal.changing_names import may_do
from proofwalk.console.observation import Box, Element
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole

BOX = Box(x=400, y=100, width=200, height=30)


def element(role: str, name: str) -> Element:
    return Element(mark=1, identity=name, role=role, tag="div", name=name, box=BOX)


@pytest.mark.parametrize(
    "name", ["创建实例", "立即购买", "批量删除", "确定", "保存", "启用", "编辑"]
)
def test_what_may_change_something_is_no_way_to_a_page(name: str) -> None:
    assert may_do(name)


@pytest.mark.parametrize("name", ["实例列表", "告警规则", "操作日志", "查看详情", "概览"])
def test_what_only_shows_may_be_on_the_way(name: str) -> None:
    assert not may_do(name)


@pytest.mark.parametrize(
    ("name", "is_search"), [("搜索实例", True), ("请输入名称查询", True), ("实例名称", False)]
)
def test_a_box_searches_by_what_it_is_called(name: str, is_search: bool) -> None:
    assert searches.is_search(element("textbox", name)) is is_search


def test_a_space_within_a_button_of_two_characters_is_none() -> None:
    assert match("确定", "确 定") is Match.EXACT
    assert match("确定", "确 认") is Match.NONE


@pytest.mark.parametrize(("sign", "name"), [("edit", "编辑"), ("trash", "删除"), ("gear", "设置")])
async def test_a_sign_is_called_as_the_console_calls_it(sign: str, name: str) -> None:
    console = FakeConsole(toolbar=[name])
    console.path = "/ecs/instances"
    found = controls(await console.observe(), sign)
    assert [one.name for one in found] == [name]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("请输入“DELETE”以确认删除", "DELETE"),
        ("请输入实例名称 orders-prod 进行确认", "orders-prod"),
        ("为确认删除，请输入 orders-01", "orders-01"),
        ("输入 删除 以确认", "删除"),
        ("如确认删除，请输入实例名称", ""),
        ("请输入名称", ""),
        ("To confirm deletion, type delete in the field.", "delete"),
        ("To confirm, enter the name of the topic.", ""),
    ],
)
def test_what_a_window_wants_typed(text: str, words: str) -> None:
    assert asked_to_confirm(text) == words


@pytest.mark.parametrize(("bar", "known"), [("水务平台", True), ("仓储平台", False)])
async def test_a_console_of_one_product_is_known_by_its_bar(bar: str, known: bool) -> None:
    console = FakeConsole(menu={"水泵": []}, products=[])
    console.path = "/ecs/overview"
    before = console._bar

    def with_name() -> None:
        before()
        console._page.text(bar, Box(x=60, y=10, width=120, height=20))

    console._bar = with_name  # type: ignore[method-assign]
    walked = await run(
        console, "登录[水务平台控制台](https://x.example)，在左侧导航栏选择**水泵**。"
    )
    assert isinstance(walked.ending, Completed) is known
