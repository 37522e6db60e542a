"""Regular expressions of strangers: bounded, and refused with a way on where RE2 does
not know them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.chassis.patterns import MAX_TEXT, compile_pattern, escaped
from proofwalk.kernel.errors import ProofwalkError

SUITES = [
    (
        "(^|,)Wednesday(,|$)",
        ["Monday,Wednesday", "Wednesday", "Wednesdays", "", "Monday,Wednesday,Friday"],
    ),
    ("^(GET,PUT|PUT,GET)$", ["GET,PUT", "PUT,GET", "GET", "GET,PUT,POST", "get,put"]),
    ("^i-[0-9]+$", ["i-1", "i-", "ai-1", "i-12a"]),
]


@pytest.mark.parametrize(("pattern", "texts"), SUITES)
def test_patterns_of_the_suites_mean_what_they_meant(pattern: str, texts: list[str]) -> None:
    for text in texts:
        assert compile_pattern(pattern).search(text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*)*b", r"(\w+\s?)*!$", "([a-z]+)*[0-9]"]
)
def test_what_backtracks_for_ever_elsewhere_takes_no_time(pattern: str) -> None:
    before = time.process_time()
    compile_pattern(pattern).search("a" * MAX_TEXT + " -")
    assert time.process_time() - before < 5


@pytest.mark.parametrize(
    ("pattern", "code"),
    [
        ("a(?=b)", "pattern.not_supported"),
        ("(?<=a)b", "pattern.not_supported"),
        (r"(a)\1", "pattern.not_supported"),
        (r"a\Z", "pattern.not_supported"),
        ("[", "pattern.invalid"),
        ("a{1001}", "pattern.too_large"),
        ("((a{1,100}){1,100}){1,100}", "pattern.too_large"),
        ("(" + "|".join(r"\pL{30}" for _ in range(60)) + ")", "pattern.too_large"),
        ("a" * 501, "pattern.too_large"),
    ],
)
def test_a_pattern_that_is_not_run_says_why_and_what_to_do(pattern: str, code: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        compile_pattern(pattern)
    assert caught.value.code == code
    assert caught.value.hint


@given(st.text(st.characters(), max_size=50), st.text(st.characters(), max_size=50))
def test_an_escaped_text_finds_itself_alone(text: str, other: str) -> None:
    found = compile_pattern(f"^{escaped(text)}$")
    assert found.search(text)
    readable = [
        one.encode("utf-8", "surrogatepass").decode("utf-8", "replace") for one in (text, other)
    ]
    assert found.search(other) == (readable[0] == readable[1])


@given(
    st.from_regex(r"[ab|(.*+?\-\[\])]{0,12}", fullmatch=True), st.text("ab|(.*+?-[", max_size=12)
)
def test_what_both_engines_know_they_read_alike(pattern: str, text: str) -> None:
    try:
        expected = re.search(pattern, text) is not None
        found = compile_pattern(pattern)
    except (re.error, FutureWarning, ProofwalkError):
        return
    assert found.search(text) == expected
