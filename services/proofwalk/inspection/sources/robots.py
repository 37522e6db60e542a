"""What a site lets be asked: `robots.txt` by RFC 9309, pure.

The group that names us counts, else the one of `*`; within it the longest pattern that
fits decides, and of equals the one that allows. `*` stands for anything and `$` for the
end. `Crawl-delay`, which the RFC does not have and sites do, is read too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote

from proofwalk.chassis.patterns import Pattern, compile_pattern, escaped

AGENT = "proofwalk"
MAX_BYTES = 500 * 1024
"""Bytes of a `robots.txt` that are read, as the RFC has it; what follows is ignored."""
_MAX_RULES = 5000
_MAX_PATTERN = 2000
_SAFE = "/?&=+$,;:@!*'()~-._%"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One line of a group."""

    allows: bool
    length: int
    pattern: Pattern


@dataclass(frozen=True, kw_only=True)
class Robots:
    """The rules for us, and how many seconds to leave between two requests."""

    rules: tuple[Rule, ...] = ()
    delay_s: float = 0.0

    def allows(self, target: str) -> bool:
        """Whether a path, with its query, may be asked."""
        path = _normal(target)
        if path == "/robots.txt":
            return True
        fitting = [rule for rule in self.rules if rule.pattern.search(path)]
        if not fitting:
            return True
        return max(fitting, key=lambda rule: (rule.length, rule.allows)).allows


def read_robots(text: str, agent: str = AGENT) -> Robots:
    """The rules of a text for `agent`. Lines that say nothing known are ignored."""
    own: list[tuple[str, str]] = []
    everybody: list[tuple[str, str]] = []
    named = False
    into: list[list[tuple[str, str]]] = []
    in_heads = False
    for line in text.removeprefix("\ufeff").splitlines():
        name, _, rest = line.partition("#")[0].partition(":")
        key, words = name.strip().lower(), rest.strip()
        if key == "user-agent":
            into = into if in_heads else []
            in_heads = True
            if re.split(r"[\s/]", words.lower(), maxsplit=1)[0] == agent:
                named = True
                into.append(own)
            elif words == "*":
                into.append(everybody)
        elif key in ("allow", "disallow", "crawl-delay"):
            in_heads = False
            for group in into:
                group.append((key, words))
    return _robots(own if named else everybody)


def _robots(lines: list[tuple[str, str]]) -> Robots:
    delay_s = 0.0
    rules: list[Rule] = []
    for key, words in lines[:_MAX_RULES]:
        if key == "crawl-delay":
            delay_s = float(words) if re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", words) else delay_s
        elif words and len(words) <= _MAX_PATTERN:
            normal = _normal(words)
            rules.append(Rule(allows=key == "allow", length=len(normal), pattern=_pattern(normal)))
    return Robots(rules=tuple(rules), delay_s=delay_s)


def _pattern(path: str) -> Pattern:
    end = r"\z" if path.endswith("$") else ""
    pieces = re.split(r"\*+", path.removesuffix("$"))
    return compile_pattern(r"\A" + ".*".join(escaped(piece) for piece in pieces) + end)


def _normal(path: str) -> str:
    """Escapes in one spelling, so that `%7E` and `~` are the same."""
    return quote(unquote(path), safe=_SAFE)
