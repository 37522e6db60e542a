"""The console's words: one file for each language under `messages`, nested by place.

A message is named by its dotted path (`nav.overview`) and may have gaps, `{count}`,
that its template fills. For a word of a later release a template looks into `messages`
and shows the word. All files have the same names (`tests/gateway/web` holds them to
it). A browser's `Accept-Language` chooses, unless the visitor has chosen. What errors,
documents and models say is shown as they say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
"""Names of languages in themselves; the first is for whoever speaks none of them."""
_FIRST = next(iter(LANGUAGES))


@dataclass(frozen=True, kw_only=True)
class Words:
    """The messages of one language."""

    language: str
    messages: Mapping[str, str]

    def __call__(self, name: str, **gaps: object) -> str:
        """A message. Raises `KeyError` for a name that there is not."""
        return self.messages[name].format(**gaps) if gaps else self.messages[name]


@cache
def words_in(language: str) -> Words:
    """The messages of a language of `LANGUAGES`."""
    file = resources.files(__package__).joinpath("messages", f"{language}.yaml")
    tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    return Words(language=language, messages=dict(_leaves(tree)))


def preferred(accept_language: str) -> str:
    """The language that an `Accept-Language` header likes best."""
    best, weight = _FIRST, 0.0
    for part in accept_language[:200].split(","):
        tag, _, quality = part.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        liking = _quality(quality)
        if language in LANGUAGES and liking > weight:
            best, weight = language, liking
    return best


def _quality(text: str) -> float:
    name, _, number = text.strip().partition("=")
    try:
        return float(number) if name == "q" else 1.0
    except ValueError:
        return 0.0


def _leaves(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, branch in tree.items():
        path = f"{prefix}{name}"
        if isinstance(branch, dict):
            yield from _leaves(branch, f"{path}.")
        else:
            yield path, str(branch)
