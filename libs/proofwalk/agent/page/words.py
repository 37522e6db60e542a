"""Decides when two labels are the same, and when they are merely near.

A document and a console may differ in case, white space, a trailing colon, ellipsis or
asterisk, a control noun ("the OK button"), and the number of a noun. With any other
difference, it is another label. A *near* label (synonyms, shared nouns, spelling) is
never acted on: it only becomes a candidate of a finding.
"""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from enum import IntEnum
from functools import lru_cache

UNIT = (
    r"(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|"
    r"[KMGTP]i?B|bytes?|percent|%|[KMG]bps)"
)
"""Units of time, of sizes and of shares."""


class Match(IntEnum):
    """How well a text on the page answers a label of the document. From `PREFIX` on,
    the walk may act on the text."""

    NONE = 0
    PREFIX = 1
    """Equal up to an addition that is set off: `Instances (3)`, `ecs.g7.large - 2
    vCPU`."""
    VARIANT = 2
    """Equal but for a control noun or the number of a noun."""
    EXACT = 3


MORE = frozenset(
    {"⋮", "⋯", "︙", "...", "•••", "more", "more actions", "more icon", "ellipsis"}
) | {"更多", "更多操作"}
"""Names of the control that opens the further actions of a row or toolbar."""
DOTS = frozenset({"⋮", "⋯", "︙", "...", "•••"})
"""Those names that are symbols."""

_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "−": "-"}
)
_EDGES = " \t\n:*.,;\"'`<>|"
_CONTROL_NOUNS = re.compile(
    r"\s+(?:button|tab|icon|link|menu|menu item|option|field|text box|textbox|check ?box|drop-down"
    r" list|"
    r"dialog box|dialog|page|section|"
    r"area|column|panel|switch|wizard|step|parameter|message|module)$"
)
_COUNT = re.compile(r"(?<=\w)\s+\d{1,6}\+?\s*$")
_COUNT_BEFORE = re.compile(r"^\s*\d{1,6}\+?\s+(?=[^\W\d])")
_DRAWN = re.compile(r"^[+✚➕]\s+|\s+[+✚➕▾▼⌄]$")
"""What stands for a picture beside the words: `+ Add VPC`."""
_APART = re.compile(r"([\u4e00-\u9fff]) ([\u4e00-\u9fff])")
"""Ant Design sets a space between the two characters of a button: `确 定`."""
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SYNONYMS = (
    {"create", "add", "new", "buy", "pay", "purchase", "launch"},
    {"delete", "remove", "release", "destroy", "terminate"},
    {"modify", "edit", "change", "update", "alter"},
    {"ok", "confirm", "yes", "submit", "apply", "save", "done"},
    {"stop", "shutdown", "halt", "power"},
    {"restart", "reboot"},
    {"start", "boot", "run"},
    {"configure", "configuration", "configurations", "settings", "setting", "setup", "set"},
    {"manage", "management", "details", "detail", "information", "info", "overview"},
    {"attach", "bind", "associate", "mount"},
    {"detach", "unbind", "disassociate", "unmount"},
    {"next", "continue", "proceed"},
    {"cancel", "close", "discard"},
    {"whitelist", "allowlist"},
    {"disk", "volume"},
    {"snapshot", "backup"},
    {"subnet", "vswitch"},
    {"renewal", "renew"},
)
_SYNONYM_OF = {word: index for index, group in enumerate(_SYNONYMS) for word in group}
_STOP_WORDS = frozenset({"the", "a", "an", "of", "for", "to", "in", "on", "and", "or"})
_VERBS = frozenset().union(*_SYNONYMS[:10])


@lru_cache(maxsize=8192)
def normalise(text: str) -> str:
    """Return the form in which labels are compared."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES).casefold()
    text = " ".join(text.split())
    spaced = _APART.fullmatch(text)
    text = spaced[1] + spaced[2] if spaced else text
    bare = _DRAWN.sub("", text.strip(_EDGES))
    return bare or text


@lru_cache(maxsize=8192)
def _singular(text: str) -> str:
    return " ".join(_singular_word(word) for word in text.split(" "))


def _singular_word(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _variant(text: str) -> str:
    return _singular(_CONTROL_NOUNS.sub("", normalise(text)))


@lru_cache(maxsize=16384)
def match(label: str, text: str) -> Match:
    """Return how well the page's `text` answers the document's `label`."""
    wanted, seen = normalise(label), normalise(text)
    if not wanted or not seen:
        return Match.NONE
    if wanted == seen:
        return Match.EXACT
    if wanted in MORE and seen in MORE:
        return Match.EXACT
    if _variant(label) == _variant(text):
        return Match.VARIANT
    for one in (wanted, _variant(label)):
        if seen.startswith(one) and re.match(r"\s*[(\[/|,:•·]|\s+-\s", seen[len(one) :]):
            return Match.PREFIX
    return Match.NONE


@lru_cache(maxsize=16384)
def match_counted(label: str, text: str, *, behind: bool = True) -> Match:
    """Like `match` for a control that tells how many things are behind it (`Targeting
    0`, `12 Issues`). Without `behind`, a number at the end is a part of the name."""
    found = match(label, text)
    for count in (_COUNT_BEFORE, *((_COUNT,) if behind else ())):
        if found is Match.NONE and count.search(text):
            found = min(match(label, count.sub("", text)), Match.PREFIX)
    return found


@lru_cache(maxsize=16384)
def match_value(value: str, text: str) -> Match:
    """Like `match` for a value or an option, whose texts often go on (`cn-hangzhou-h
    China East 1`) or stand inside brackets."""
    found = match(value, text)
    if found is not Match.NONE:
        return found
    wanted, seen = normalise(value), normalise(text)
    if not wanted:
        return Match.NONE
    if re.match(rf"{re.escape(wanted)}(?![\w.-])", seen) or re.search(
        rf"[(\[]{re.escape(wanted)}[)\]]", seen
    ):
        return Match.PREFIX
    return Match.NONE


def contains(text: str, value: str) -> bool:
    """Return True if `value` stands in `text` as whole words."""
    wanted = normalise(value)
    return (
        bool(wanted)
        and re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", normalise(text)) is not None
    )


def is_foreign(text: str) -> bool:
    """Return True if most letters of a text are not Latin: the grammar does not read
    its language."""
    letters = [char for char in text if char.isalpha()]
    return sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters) * 2 > len(
        letters
    )


def tokens(text: str) -> tuple[str, ...]:
    """Return the content words of a text, in the singular."""
    return tuple(
        _singular_word(word) for word in _WORD.findall(normalise(text)) if word not in _STOP_WORDS
    )


@lru_cache(maxsize=16384)
def nearness(label: str, text: str) -> float:
    """Return how likely `text` is what `label` meant, 0 to 1. Nouns weigh more than
    verbs; synonyms count as the same word."""
    wanted, seen = _classes(label), _classes(text)
    if not wanted or not seen:
        return 0.0
    weight = {word: 1.0 if word in _VERB_CLASSES else 2.0 for word in wanted | seen}
    overlap = sum(weight[word] for word in wanted & seen) / sum(weight.values())
    spelling = SequenceMatcher(None, normalise(label), normalise(text)).ratio()
    return max(overlap, spelling if spelling >= 0.8 else 0.0)


def _class(word: str) -> str:
    return f"#{_SYNONYM_OF[word]}" if word in _SYNONYM_OF else word


def progress_of(state: str, label: str) -> bool:
    """Return True if a state like `Creating` is the progress of what a control like
    `Buy Now` begins."""
    stem = _class(_infinitive(state))
    begun = {_class(word) for word in tokens(label)}
    return stem in begun or (
        _class("restart") in begun and stem in (_class("start"), _class("stop"))
    )


def _infinitive(participle: str) -> str:
    """`releasing` → `release`, `stopping` → `stop`: return the first spelling that is a
    known verb, else the bare stem."""
    stem = participle.removesuffix("ing")
    spellings = (stem, stem + "e", stem[:-1] if stem[-2:-1] == stem[-1:] else stem)
    return next((one for one in spellings if one in _SYNONYM_OF), stem)


_VERB_CLASSES = frozenset(_class(word) for word in _VERBS)


def _classes(text: str) -> frozenset[str]:
    return frozenset(_class(word) for word in tokens(text))


def acronym(text: str) -> str:
    """`Elastic Compute Service` → `ecs`."""
    return "".join(word[0] for word in _WORD.findall(normalise(text)))
