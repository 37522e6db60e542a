"""Folds each marked-up part of a sentence into one character, so that a grammar can be
written as patterns.

Each label (bold, code, link, image text, quoted words, a lone `⋮`) becomes one
character of the Unicode private use area; labels that are joined with `>` become one
path. Private use characters of the source are dropped first, so a document cannot forge
one. `grammar` matches on the folded text and asks this module for the labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proofwalk.procedures.model import Inline, InlineRole

FIRST, LAST = 0xE000, 0xF8FF
LABEL = "[\ue000-\uf8ff]"
_PRIVATE = re.compile(LABEL)
_QUOTED = re.compile(
    r"[“\"]([^“”\"]{1,80})[”\"]|(?<![\w'])[‘']([^‘’'\n]{1,80})[’'](?![\w])|([⋮⋯])"
    r"|[【「『]([^【】「」『』]{1,80})[】」』]"
)
_NAMED = re.compile(
    r"(?<=\b[Tt]he )(?P<name>[A-Z][\w&/-]*(?: (?:(?:and|of|to|for|in) )?[A-Z][\w&/-]*){0,4})"
    r"(?= (?:[Bb]utton|[Tt]ab|[Ll]ink|[Ii]con|[Cc]heck ?box|[Ff]ield|[Tt]ext ?box|[Ss]ection|"
    r"[Dd]rop-?down|[Dd]ialog|[Mm]enu|[Tt]oggle|[Ss]witch|[Rr]adio button)\b)"
    r"|(?:(?<=\b[Ff]rom the )|(?<=\b[Ii]n the )|(?<=\b[Oo]n the )|(?<=\b[Uu]nder the ))"
    r"(?P<place>[A-Z][\w&/()-]*"
    r"(?: (?!(?:navigation|console|left|right|following|next|main|page)\b)[\w&/()-]+){0,4}?)"
    r"(?= (?:section|tab|dialog|panel|window|widget|tile)(?: box)?(?:\s*[,.]| and\b|\s*$))"
)
"""`the Targeting tab`: words with capitals before the noun of a control are its name,
without markup too. Of a place (`In the Drained pumps section, …`) one capital is
enough."""
_ARROW = re.compile(r"(?<=\s)[-=]{1,2}>(?=\s)")
"""An arrow that is drawn with a dash."""
_JOIN = r"\s*(?:(?:icon|menu|button)\s+)?(?:>|→|»|›|&gt;)\s*"
"""What joins the entries of a path: `the **Pumps** icon > **Valves**`."""
_LED_TO = re.compile(r"^\s*(?:>|→|»|›|&gt;)\s*(?=\w)")
"""An arrow within the markup of the entry that it leads to: `**> Valves**`."""
_OPENS_NAVIGATION = re.compile(
    r"(?:(?:main|side|left|global|hamburger) )?(?:navigation|nav)(?: menu| pane| bar)?"
    r"(?: icon| button)?|(?:main|hamburger) menu(?: icon| button)?",
    re.IGNORECASE,
)
"""The button that shows the navigation: no entry of a path, which begins behind it."""
_MENU = re.compile(r"(?:the )?(?:(?:top|global) )?menu(?: icon| button)?", re.IGNORECASE)
"""The same before several entries; before one it may be a menu of the page."""
_ACTS_ON = re.compile(
    rf"(?:\b(?:click|select|choose|press|tap)(?: on)?(?: the)?|{LABEL} or|^\W*)\s*$", re.IGNORECASE
)
"""What stands before the picture of the control that is named behind it: `Click ✎
**Edit**`."""
_NAMED_BEFORE = re.compile(rf"{LABEL}\s*(?:button|icon|link|option|tab|menu)?\s*\(?\s*$")
_SAID = re.compile(r"[.!?]\s*$")
"""The end of a sentence, behind which a picture is no part of it."""
_EMPTY_BRACKETS = re.compile(r"\s*\(\s*\)")
_PATH = re.compile(rf"{LABEL}(?:{_JOIN}{LABEL})+")
_INNER = re.compile(r"\s*(?:\s>|>\s|→|»|›|&gt;)\s*")
_LITERAL = re.compile(r"[^\s\W]\S*[\d._/@:=]\S*\w")
_TYPED = re.compile(r"\b(?:enter|type|input|search for)\s+$", re.IGNORECASE)
"""Italics are for stress as well. They are a name if no plain word has their form, or
if they are what is typed."""
_JOINED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_TOLD = re.compile(
    r"(?:\b(?:find|select|choose|open|click|row (?:of|for)|named|called|name|of|for|locate)"
    rf"|{LABEL},? (?:and|or)|{LABEL},)\s+$",
    re.IGNORECASE,
)
"""Words joined by a hyphen are a name where a thing is told: `the row of *otter-2*`."""
_ASIDE = re.compile(r"^\W*(optional|example)\W*$", re.IGNORECASE)
_CALLOUT = re.compile(r"^\W*(note|important|tip|warning|caution|notice)\W*$", re.IGNORECASE)
"""The word that opens a remark. In the middle of a sentence it is a label like any
other (a check box called *Notice*)."""


@dataclass(frozen=True, kw_only=True)
class Label:
    """Marked-up words."""

    parts: tuple[str, ...]
    role: InlineRole
    target: str = ""

    @property
    def text(self) -> str:
        return " > ".join(self.parts)


@dataclass(frozen=True, kw_only=True)
class Folded:
    """A text with its labels folded."""

    text: str
    labels: tuple[Label, ...]

    def label(self, char: str) -> Label:
        return self.labels[ord(char) - FIRST]

    def labels_in(self, text: str) -> list[Label]:
        """Return the labels of a piece of the folded text, in order."""
        return [self.label(char) for char in _PRIVATE.findall(text)]

    def plain(self, text: str) -> str:
        """Return a piece of the folded text with its labels written out."""
        return " ".join(_PRIVATE.sub(lambda found: self.label(found.group()).text, text).split())


def begun(text: str) -> str:
    """Return a text with a capital at its beginning, as a sentence has it."""
    return f"{text[:1].upper()}{text[1:]}"


_BEFORE_A_NAME = re.compile(
    r"\b(?:open|select|choose|click(?: on)?|find|locate|delete|remove|stop|start|named|called|"
    r"(?:go|navigate|browse|return|switch) to|such as|for example,?|in (?:this|our) case,?)\s+"
    r"(?:(?:the|your|an?)\s+(?:[a-z][a-z-]*\s+){1,3})?$",
    re.I,
)
_BEHIND_A_VALUE = re.compile(r"\b(?:enter|type)\b[^.;:]*\band\s+$", re.I)
_OF_A_FIELD = re.compile(r"\s*(?:for|as) the\b", re.I)
"""`Type *a* for the name and *b* for the value.`"""
_ENDS_A_PHRASE = re.compile(
    r"\s*(?:[.,;:)]|$|(?:and|then|in|on|under|from|as|to|for|with|or|at|by|into)\b)", re.I
)


def fold(inlines: Iterable[Inline]) -> Folded:
    """Fold a run of inlines."""
    inlines = tuple(inlines)
    folding = _Folding()
    for position, inline in enumerate(inlines):
        folding.add(inline, inlines[position + 1 :])
    return folding.folded()


class _Folding:
    """A text that is being folded."""

    def __init__(self) -> None:
        self._labels: list[Label] = []
        self._text = ""

    def add(self, inline: Inline, ahead: Sequence[Inline]) -> None:
        """Add the next run of the text; `ahead` are the runs behind it."""
        text = _ARROW.sub(">", _PRIVATE.sub("", inline.text))
        if not self._is_label(inline, text, ahead):
            told = _NAMED.sub(self._named, _QUOTED.sub(self._quoted, text))
            self._text += told if inline.role is not InlineRole.IMAGE else " "
            return
        bare = text.strip()
        if inline.role is InlineRole.IMAGE and _illustrates(self._text, ahead):
            self._text += " "
            return
        if inline.role is InlineRole.IMAGE and self._text[-1:].isalnum():
            self._text += " "
        if self._text and _LED_TO.match(bare):
            self._text += " > "
        body, tail = _without_stop(bare, inline.role)
        parts = tuple(part.strip() for part in _INNER.split(body) if part.strip()) or (body,)
        left, right = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        label = Label(parts=_entries(parts), role=inline.role, target=inline.target)
        self._text += left + self._put(label) + tail + right

    def folded(self) -> Folded:
        """Return the folded text, in which the labels of a path are one."""
        text = _PATH.sub(self._join, _EMPTY_BRACKETS.sub("", self._text))
        return Folded(text=" ".join(text.split()), labels=tuple(self._labels))

    def _is_label(self, inline: Inline, text: str, ahead: Sequence[Inline]) -> bool:
        behind = self._text
        if not behind.strip() and _CALLOUT.match(text):
            return False
        is_name = inline.role is InlineRole.EMPHASIS and _is_name(behind, ahead)
        return is_name or _is_label(inline.role, text, behind=behind)

    def _put(self, label: Label) -> str:
        if len(self._labels) > LAST - FIRST:
            return label.text
        self._labels.append(label)
        return chr(FIRST + len(self._labels) - 1)

    def _quoted(self, found: re.Match[str]) -> str:
        text = next((one for one in found.groups() if one), "").strip()
        tail = text[-1:] if text[-1:] in ".,;" else ""
        bare = text.rstrip(".,;")
        if not bare:
            return found.group()
        return self._put(Label(parts=(bare,), role=InlineRole.STRONG)) + tail

    def _named(self, found: re.Match[str]) -> str:
        name = found["name"] or found["place"]
        return self._put(Label(parts=(name,), role=InlineRole.STRONG))

    def _join(self, found: re.Match[str]) -> str:
        chain = [self._labels[ord(char) - FIRST] for char in _PRIVATE.findall(found.group())]
        first = found.group()[0]
        parts = tuple(part for label in chain for part in label.parts)
        role = chain[0].role if _entries(parts) == parts else chain[1].role
        self._labels[ord(first) - FIRST] = Label(parts=_entries(parts), role=role)
        return first


def _entries(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the entries of a path, without the button that shows them."""
    shows = _MENU.fullmatch(parts[0]) if len(parts) > 2 else None
    opens = shows or _OPENS_NAVIGATION.fullmatch(parts[0])
    return parts[1:] if opens and len(parts) > 1 else parts


def _without_stop(bare: str, role: InlineRole) -> tuple[str, str]:
    """Return a label without the stop at its end, and the stop. Code keeps its own."""
    edge = re.search(r"[:,;.：，；。]+$", bare)
    if edge is None or role is InlineRole.CODE or len(edge.group()) == len(bare):
        return bare, ""
    return bare[: edge.start()], edge.group()


def _illustrates(behind: str, ahead: Sequence[Inline]) -> bool:
    """True for the picture of what the label before or behind it names, and for a
    picture under a sentence."""
    if _NAMED_BEFORE.search(behind):
        return True
    beside = next((one for one in ahead if one.text.strip()), None)
    if beside is not None and beside.role is InlineRole.STRONG and _ACTS_ON.search(behind):
        return True
    speaks = any(one.text.strip() for one in ahead if one.role is not InlineRole.IMAGE)
    return _SAID.search(behind) is not None and not speaks


def _is_name(behind: str, ahead: Sequence[Inline]) -> bool:
    """Whether what is emphasised names a thing: `the pump *otter*`, at the end of its
    phrase. Within a phrase, emphasis stresses a word: `the *first* pump`."""
    rest = "".join(inline.text for inline in ahead)
    if _BEHIND_A_VALUE.search(behind) and _OF_A_FIELD.match(rest):
        return True
    return _BEFORE_A_NAME.search(behind) is not None and _ENDS_A_PHRASE.match(rest) is not None


def _is_label(role: InlineRole, text: str, *, behind: str) -> bool:
    """Whether marked-up words name something; `behind`: what stands before them."""
    bare = text.strip()
    if not bare or _ASIDE.match(bare):
        return False
    match role:
        case InlineRole.STRONG | InlineRole.CODE | InlineRole.LINK:
            return len(bare) <= 160
        case InlineRole.EMPHASIS:
            named = bare[0].isupper() or bare[0].isdigit() or _LITERAL.fullmatch(bare) is not None
            told = _TYPED.search(behind) or (_JOINED.fullmatch(bare) and _TOLD.search(behind))
            return named or bool(told)
        case InlineRole.IMAGE:
            return len(bare) <= 30
        case InlineRole.TEXT:
            return False
