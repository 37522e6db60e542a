"""The console's words, in each of its languages."""

from __future__ import annotations

import re
import string

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.gateway.roles import KeyRole
from proofwalk.gateway.web.languages import LANGUAGES, Words, preferred, words_in
from proofwalk.kernel.jobs import JobState
from proofwalk.kernel.outcomes import OutcomeKind

ALL = [words_in(language) for language in LANGUAGES]


def _gaps(message: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


def test_all_languages_have_the_same_messages_with_the_same_gaps() -> None:
    first = ALL[0]
    for words in ALL[1:]:
        assert words.messages.keys() == first.messages.keys()
        assert {
            name
            for name, message in words.messages.items()
            if _gaps(message) != _gaps(first.messages[name])
        } == set()


@pytest.mark.parametrize("words", ALL, ids=list(LANGUAGES))
def test_every_word_of_the_kernel_has_its_message(words: Words) -> None:
    for word in (*OutcomeKind, *JobState):
        assert words(f"status.{word}")
    for role in KeyRole:
        assert words(f"role.{role}.may")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("fr,en;q=0.5,zh;q=0.7", "zh"),
        ("en-GB", "en"),
        ("de,fr", "en"),
        ("zh;q=0", "en"),
        ("zh;q=x,*;q=1", "en"),
        (";;,,=", "en"),
    ],
)
def test_the_browser_chooses_a_language(header: str, language: str) -> None:
    assert preferred(header) == language


async def test_the_visitors_own_choice_comes_first(operator: Browser) -> None:
    chinese = {"Accept-Language": "zh-CN"}
    assert '<html lang="zh"' in (await operator.ask("GET", "/console", headers=chinese)).text
    fields = {"language": "en", "theme": "dark", "back": "/console/verifications"}
    chosen = await operator.ask("POST", "/console/preferences", fields=fields)
    assert chosen.headers["location"] == "/console/verifications"
    page = (await operator.ask("GET", "/console", headers=chinese)).text
    assert '<html lang="en" data-theme="dark"' in page
    fields = {"language": "xx", "theme": '"><script>'}
    await operator.ask("POST", "/console/preferences", fields=fields)
    assert '<html lang="en" data-theme="dark"' in (await operator.ask("GET", "/console")).text


async def test_a_page_in_chinese_has_no_english_of_its_own(operator: Browser) -> None:
    page = (await operator.ask("GET", "/console", headers={"Accept-Language": "zh"})).text
    text = re.sub(r"<[^>]*>", " ", page.partition("<body>")[2])
    assert set(re.findall(r"[A-Za-z]{3,}", text)) <= {
        "Proofwalk",
        "English",
        "local",
        "proofwalk",
        "verify",
        "FILE",
    }
