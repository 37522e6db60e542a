"""Regular expressions that somebody else wrote, run by RE2 in time linear in the text.

Python's `re` backtracks: a pattern of ten characters can take longer than the sun
burns. RE2 does not, and refuses what only backtracking can do (lookahead, lookbehind,
backreferences). `compile_pattern` also bounds a pattern's length, the size of its
program and the memory that a search may use. A text is searched up to `MAX_TEXT`
characters.

Where the two engines differ: `\\d`, `\\w`, `\\s` and `\\b` know ASCII alone (write
`\\pN`, `\\pL`), `$` without `(?m)` is the very end of the text, and the end is written
`\\z`.
"""

from __future__ import annotations

from functools import lru_cache

import re2

from proofwalk.kernel.errors import ProofwalkError, invalid

MAX_PATTERN = 500
"""Characters of a pattern."""
MAX_PROGRAM = 5_000
"""Instructions of a compiled pattern. A search takes at most this many steps for each
character of the text."""
MAX_TEXT = 10_000
"""Characters of a text that are searched."""
_MEMORY = 1 << 20
"""Bytes that a compiled pattern and its search may use."""


class Pattern:
    """A compiled pattern. Made by `compile_pattern`."""

    def __init__(self, compiled: re2._Regexp) -> None:
        self._compiled = compiled

    def search(self, text: str) -> bool:
        """Whether the pattern is found in the first `MAX_TEXT` characters of `text`."""
        return self._find(text) is not None

    @property
    def names(self) -> tuple[str, ...]:
        """What the pattern's groups are called."""
        return tuple(self._compiled.groupindex)

    def parts(self, text: str) -> dict[str, str] | None:
        """What the named groups find in the first `MAX_TEXT` characters of `text`,
        empty for a group that finds nothing; None if the pattern is not found."""
        found = self._find(text)
        if found is None:
            return None
        return {name: found.group(name) or "" for name in self._compiled.groupindex}

    def first_group(self, text: str) -> str:
        """What the first group finds, or the whole pattern if it has no group; empty if
        it is not found."""
        found = self._find(text)
        if found is None:
            return ""
        return found.group(1 if self._compiled.groups else 0) or ""

    def _find(self, text: str) -> re2._Match | None:
        return self._compiled.search(_readable(text[:MAX_TEXT]))


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Pattern:
    """The pattern, ready to search. Raises `pattern.invalid`, `pattern.not_supported`,
    `pattern.too_large`."""
    if len(pattern) > MAX_PATTERN:
        raise _too_large(f"it has {len(pattern)} characters; at most {MAX_PATTERN} are read")
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    try:
        compiled = re2.compile(_readable(pattern), options)
    except re2.error as error:
        raise _refused(pattern, error) from None
    if compiled.programsize > MAX_PROGRAM:
        raise _too_large(
            f"it compiles to {compiled.programsize} instructions; at most {MAX_PROGRAM} are run"
        )
    return Pattern(compiled)


def escaped(text: str) -> str:
    """A pattern that finds exactly `text`."""
    return str(re2.escape(_readable(text)))


def _readable(text: str) -> str:
    """A lone surrogate, which JSON can spell, has no UTF-8 form; it becomes U+FFFD."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _refused(pattern: str, error: Exception) -> ProofwalkError:
    said = error.args[0] if error.args else ""
    reason = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    if "too large" in reason or "repetition size" in reason:
        return _too_large(reason)
    if "perl operator" not in reason and "escape sequence" not in reason:
        return invalid(
            "pattern.invalid",
            f"the regular expression {pattern!r} is wrong: {reason}",
            hint="mend it",
        )
    return invalid(
        "pattern.not_supported",
        f"the regular expression {pattern!r} is not one that RE2 knows: {reason}",
        hint=(
            "RE2 has no lookahead, lookbehind or backreference: write what may stand there instead,"
            " or use eq, in, contains, or two conditions (github.com/google/re2/wiki/Syntax)"
        ),
    )


def _too_large(what: str) -> ProofwalkError:
    return invalid(
        "pattern.too_large",
        f"the regular expression is too large: {what}",
        hint="repeat less often, or use eq, in or contains",
    )
