"""OSWorld's metrics over texts and files: what was found against what was wanted, 0 to
1. Pure. Names and behaviour are OSWorld's.

A result that could not be had is None and earns 0: the desktop is not as the task wants
it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from typing import Any

from proofwalk.chassis.patterns import compile_pattern

_MOST_LINES = 10_000
Metric = Callable[[Any, Any, Mapping[str, Any]], float]


def exact_match(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """The very text, line ends included."""
    return float(_text(result) == str(expected["expected"]))


def match_in_list(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """One of several texts."""
    return float(_text(result) in [str(one) for one in expected["expected"]])


def check_include_exclude(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """All of these are in it, and none of those."""
    found = _text(result)
    has_all = all(one in found for one in expected.get("include", ()))
    return float(has_all and not any(one in found for one in expected.get("exclude", ())))


def check_list(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """Each of `expect` (regular expressions) is found in some line, and none of
    `unexpect` in any."""
    lines = _text(result).splitlines()
    # A task's author is a stranger, and Python's own engine may search for hours.
    wanted, unwanted = (
        [compile_pattern(one) for one in expected.get(name, ())] for name in ("expect", "unexpect")
    )
    return float(
        all(any(one.search(line) for line in lines) for one in wanted)
        and not any(one.search(line) for one in unwanted for line in lines)
    )


def compare_text_file(result: Any, expected: Any, options: Mapping[str, Any]) -> float:
    """The same text; `ignore_blanks` and `ignore_case` forgive."""
    found, wanted = _text(result), _text(expected)
    if options.get("ignore_blanks"):
        found, wanted = (
            re.sub(r"\s+", " ", re.sub(r"[\t\n]", " ", text).strip()) for text in (found, wanted)
        )
    if options.get("ignore_case"):
        found, wanted = found.lower(), wanted.lower()
    return float(found == wanted)


def diff_text_file(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """How much of it is the same, by lines. The comparison is quadratic: a text of more
    than 10,000 lines is not the one that is wanted."""
    lines = _text(result).splitlines()
    if len(lines) > _MOST_LINES:
        return 0.0
    return difflib.SequenceMatcher(a=lines, b=_text(expected).splitlines()).ratio()


def file_contains(result: Any, expected: Any, _: Mapping[str, Any]) -> float:
    """Each of these texts is in it."""
    found = _text(result)
    return float(all(one in found for one in expected["expected"]))


METRICS: Mapping[str, Metric] = {
    one.__name__: one
    for one in (
        exact_match,
        match_in_list,
        check_include_exclude,
        check_list,
        compare_text_file,
        diff_text_file,
        file_contains,
    )
}


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
