"""Words of labels and of readings compared generously.

Case, quotes, markup and nouns of controls ("button") do not count.

`same` is for labels, `share` for descriptions: one content word in common is enough.
"""

from __future__ import annotations

import re

_IDLE_WORDS = """
    the a an your you to of for in on at by with and or that this these those it its is are be as
    from into which whose who want new any each one more up all either whether how their them his
    her if when then button tab icon link page menu option section field list dropdown drop down
    box check checkbox dialog window item items like would created create select selected name
"""
_IDLE = frozenset(_IDLE_WORDS.split())
"""Words that say nothing about which thing is meant."""
_NOUNS = (
    r"(?:button|tab|icon|link|page|menu|option|section|field|list|dropdown|drop-down|check ?box"
    r"|dialog|window|toggle|feature|setting|module|app|view)"
)
_NOUNS_AT_END = re.compile(rf"(?:\s+{_NOUNS})+$")
_MARKED = re.compile(
    r"\*\*(.+?)\*\*|`([^`]+)`|\"([^\"]{1,60})\"|“([^”]{1,60})”"
    r"|(?<![*\w])\*([^*\s][^*]*)\*(?![*\w])"
)
_AFTER_HEAD = re.compile(
    r"\b(?:in|at|on|of|from|to|for|that|which|whose|you|with|next|inside|beside|listed)\b"
)
_BEFORE_EXAMPLE = re.compile(r"\b(?:like|such as|for example|for instance|e\.g\.?|example)\b", re.I)
_WORD = re.compile(r"[^\W_]+")


def norm(text: str) -> str:
    """A label without case, markup, quotes, placeholders and the noun at its end."""
    plain = text.replace("\u00a0", " ").replace("’", "'").casefold()
    plain = re.sub(r"[*`\"“”]", "", plain).strip()
    plain = re.sub(r"^'(.*)'$", r"\1", plain)
    plain = re.sub(r"\s+", " ", plain).strip(" .,:;")
    plain = re.sub(r"^the ", "", plain)
    plain = re.sub(r"\s*<[^<>]{1,40}>", "", plain) or plain
    return _NOUNS_AT_END.sub("", plain) or plain


def words(text: str) -> set[str]:
    """Content words, a plural's `s` taken off."""
    found = {
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in _WORD.findall(text.casefold())
    }
    return found - _IDLE


def same(one: str, other: str) -> bool:
    """Whether two labels are one, at most differing in signs."""
    if not one or not other:
        return False
    if norm(one) == norm(other):
        return True
    letters = re.sub(r"\W", "", norm(one))
    return letters != "" and letters == re.sub(r"\W", "", norm(other))


def share(one: str, other: str) -> bool:
    """Whether two descriptions have a content word in common."""
    return bool(_name_words(one) & _name_words(other))


def field_words(text: str) -> set[str]:
    """Content words of a field or value, where "name" is a word like any other."""
    return words(text) | ({"name"} & set(_WORD.findall(text.casefold())))


def share_field(one: str, other: str) -> bool:
    """`share` for fields and values."""
    return bool((field_words(one) or _name_words(one)) & (field_words(other) or _name_words(other)))


def head(text: str) -> str:
    """What a description is about: `your name` of `your name at the top`."""
    first = _AFTER_HEAD.split(text, maxsplit=1)[0]
    return first if words(first) else text


def share_head(description: str, other: str) -> bool:
    """`share` with the head of a description."""
    return share(head(description), other)


def is_example(value: str, text: str) -> bool:
    """Whether `text` gives the value after "like", "such as", "e.g."."""
    plain = re.sub(r"[*`]", "", text)
    where = plain.find(value)
    return where >= 0 and bool(_BEFORE_EXAMPLE.search(plain[max(0, where - 30) : where]))


def marked(text: str) -> list[str]:
    """The words of Markdown in bold, code, quotes or italic, normalised."""
    return [norm(next(part for part in parts if part)) for parts in _MARKED.findall(text)]


def _name_words(text: str) -> set[str]:
    return words(text) or set(_WORD.findall(text.casefold()))
