"""Which names say that a press does something, and which that it opens something."""

from __future__ import annotations

import pytest

from proofwalk.maps.words import (
    NEVER_CHINESE,
    NEVER_ENGLISH,
    OPENING_CHINESE,
    OPENING_ENGLISH,
    Lexicon,
)

LEXICON = Lexicon(["Frobnicate"])


@pytest.mark.parametrize(
    "name",
    [
        "Delete",
        "delete…",
        "Delete all keys",
        "Save and close",
        "Create and start",
        "Add, then restart",
        "Sign Out",
        "Log out",
        "Shut down",
        "OK",
        "Frobnicate it",
        "删除",
        "删除实例",
        "确定",
        "创建并启动",
        "退出登录",
        "English",
        "中文",
    ],
)
def test_what_does_something_is_never_pressed(name: str) -> None:
    assert LEXICON.forbids(name)


@pytest.mark.parametrize(
    "name",
    [
        "Create Launch Template",
        "Add Rule",
        "Starters",
        "Deletions",
        "Okapi",
        "创建启动模板",
        "编辑",
    ],
)
def test_a_word_inside_a_name_forbids_nothing(name: str) -> None:
    assert not LEXICON.forbids(name)


@pytest.mark.parametrize("name", ["Orders", "Release Notes", "Networking and update", "启动模板"])
def test_places_may_be_called_by_such_words(name: str) -> None:
    assert not LEXICON.forbids(name, place=True)


@pytest.mark.parametrize("name", ["Delete account", "Stop all", "释放", "Sign out"])
def test_a_place_that_begins_with_one_is_left_alone(name: str) -> None:
    assert LEXICON.forbids(name, place=True)


@pytest.mark.parametrize(
    "name", ["Create VPC", "+ New", "新建密钥", "More", "Edit Tags", "查看详情"]
)
def test_what_opens_something_is_known_by_its_beginning(name: str) -> None:
    assert LEXICON.opens(name)


@pytest.mark.parametrize("name", ["Start", "OK", "Recreate", "Address", "Newest", ""])
def test_other_buttons_open_nothing(name: str) -> None:
    assert not LEXICON.opens(name)


def test_no_word_is_in_both_lists() -> None:
    assert not set(NEVER_ENGLISH.split()) & set(OPENING_ENGLISH.split())
    assert not set(NEVER_CHINESE.split()) & set(OPENING_CHINESE.split())
