"""The sentences of findings, one function for each way in which a document differs.

Each says first what the document asks for, in its own words where it has them, then
where that was looked for and what stands there. A thing without a name is described and
never quoted: no word of a parser stands as a label. What the document leaves out
(`demanded`), and what has to be there or be so beforehand (`taken_for_granted`,
`nothing_to_choose`, `unusable`, `not_in_state`), is told as that, and not as something
missing in the console. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from proofwalk.agent.page.differences import InFront, asked_words, describes, description
from proofwalk.agent.page.words import normalise
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.phrasing import act_in_words

_NOUNS = frozenset(
    {"button", "link", "tab", "icon", "check box", "switch", "radio button", "option", "menu"}
    | {"card", "toggle", "key", "field", "section", "menu entry"}
)
"""Nouns of controls that are told; others are a reading's own."""
_BY_PATH = frozenset(
    {IntentKind.LOG_ON, IntentKind.NAVIGATE, IntentKind.CLICK, IntentKind.SET, IntentKind.CHECK}
    | {IntentKind.UPLOAD, IntentKind.HOVER, IntentKind.COPY}
)
"""Intents that ask for an act on the thing that their path names."""
PRECONDITION = "this is a precondition that no step of the document brings about"
"""What is told besides where the console itself says what has to be so first."""
_CHOICES = 8
"""How many choices a sentence lists."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A label or value that an intent asks for, and where it was looked for."""

    intent: Intent
    label: str
    place: InFront
    noun: str = ""
    """What the thing is, in a reader's word."""

    @property
    def words(self) -> str:
        """The document's own words for it; empty if it has none."""
        return asked_words(self.intent, self.label)

    @property
    def known_noun(self) -> str:
        return self.noun if self.noun in _NOUNS else ""

    @property
    def opening(self) -> str:
        """What the document asks for, as a sentence."""
        if describes(self.intent, self.label):
            return f"The document speaks of {description(self.label)}."
        act = self._act(self.words or self.label)
        if not act:
            noun = f"the {self.known_noun} " if self.known_noun else ""
            act = f"{noun}“{self.words or self.label}”"
            told = "The document speaks of" if self.words else "The sentence is read as speaking of"
            return f"{told} {act}."
        told = "The document says to" if self.words else "The sentence is read as asking to"
        return f"{told} {act}."

    def _act(self, name: str) -> str:
        """The act that is asked for on just this thing; empty if the sentence only
        speaks of it."""
        intent = self.intent
        if intent.kind not in _BY_PATH:
            return ""
        if normalise(self.label) in map(normalise, (*intent.path, *intent.others)):
            if intent.kind is IntentKind.SET and intent.value is None:
                return f"fill in “{name}”"
            if intent.kind is IntentKind.CLICK and self.noun == "tab":
                return f"open the tab “{name}”"
            return act_in_words(replace(intent, path=(name,)))
        if intent.value is not None and normalise(self.label) == normalise(intent.value):
            return act_in_words(replace(intent, value=name))
        return ""


def absent(wanted: Wanted, *, instead: str = "") -> str:
    """The thing is not there; `instead` stands in its place."""
    noun = wanted.known_noun
    if noun:
        lack = f"there is no such {noun}"
    elif describes(wanted.intent, wanted.label):
        lack = "nothing answers to that"
    else:
        lack = "nothing has this name"
    there = f"; “{instead}” stands there" if instead else ""
    return f"{wanted.opening} {_where(wanted.place)} {lack}{there}."


def form_goes_on(wanted: Wanted, button: str) -> str:
    """The form has no such button, and one that goes on."""
    where = _where(wanted.place)
    return f"{wanted.opening} {where} there is no such button; the form goes on with “{button}”."


def not_in_navigation(wanted: Wanted, *, instead: str = "") -> str:
    there = f"; “{instead}” stands there" if instead else ""
    return f"{wanted.opening} The navigation has no such entry{there}."


def moved(wanted: Wanted, *, way: str, parent: str, under: str) -> str:
    """A menu entry stands under another parent. `way`: the way in the document's words,
    if it gives it in one piece."""
    if way:
        return (
            f"The document gives the way “{way}”. In the navigation, “{wanted.label}” stands under"
            f" “{under}”."
        )
    return (
        f"The document looks for “{wanted.label}” under “{parent}”. In the navigation, it stands"
        f" under “{under}”."
    )


def arrow_moved(wanted: Wanted, *, beside: str) -> str:
    """The arrow of a split button is beside another one now."""
    return (
        f"The document speaks of the arrow beside “{wanted.label}”. {_where(wanted.place)} the"
        f" arrow is beside “{beside}”, and “{wanted.label}” is in its menu."
    )


def not_offered(wanted: Wanted, *, field: str, choices: Iterable[str]) -> str:
    """A field, or the page where `field` is empty, does not offer the value."""
    names = _listed(choices)
    if field:
        offers = f"; it offers {names}" if names else ""
        here = _inside(wanted.place)
        return f"{wanted.opening} The field “{field}” {here} does not offer this value{offers}."
    offers = f"; offered are {names}" if names else ""
    return f"{wanted.opening} {_where(wanted.place)} this is not offered{offers}."


def set_otherwise(wanted: Wanted, *, field: str, shown: str) -> str:
    """A field has another value by itself than the document states."""
    value = wanted.words or wanted.label
    return (
        f"The document says that “{field}” is “{value}”. {_where(wanted.place)} it is set to"
        f" “{shown}”."
    )


def refused(place: InFront, *, field: str, value: str, complaint: str) -> str:
    """The console refuses the document's value."""
    because = f": {_bare(complaint)}" if complaint else ""
    return (
        f"The document says to set “{field}” to “{value}”. {_where(place)} the console refuses"
        f" this value{because}."
    )


def demanded(place: InFront, *, label: str, complaint: str) -> str:
    """The console demands what the document leaves out."""
    says = f" The console says: {_bare(complaint)}." if complaint else ""
    where = f"{_inside(place)}, " if place.name else ""
    return (
        f"The document leaves something out: {where}the console demands “{label}”, which the"
        f" document does not mention.{says}"
    )


def not_sent(place: InFront, *, button: str) -> str:
    """The document ends with a form that nothing has sent."""
    return (
        f"The document ends before anything is kept: {_inside(place)}, “{button}” has still to be"
        " pressed, which the document does not mention."
    )


def other_status(place: InFront, *, status: str, shown: Iterable[str], row: str) -> str:
    """A status did not come. `row`: the text of its row, where no column tells it."""
    seen = list(dict.fromkeys(shown))
    told = f"The document says that the status is “{status}” then."
    where = _where(place)
    if seen:
        return f"{told} {where} it is {_listed(seen)}."
    if row:
        return f"{told} {where} the list shows: {row}."
    return f"{told} {where} it is not to be seen."


def not_listed(place: InFront, *, name: str) -> str:
    """The list does not show what the document says is in it."""
    return (
        f"The document says that “{name}” is in the list then. {_where(place)} the list does not"
        " show it."
    )


def still_listed(place: InFront, *, name: str) -> str:
    """The list shows what the document says is gone from it."""
    return (
        f"The document says that “{name}” is in the list no more then. {_where(place)} the list"
        " still shows it."
    )


def unusable(name: str, *, reason: str) -> tuple[str, str]:
    """Return what is told of a greyed control, and what has to be so first."""
    if reason:
        told = f"“{name}” is there and cannot be used yet; the console says “{reason}”"
        return told, PRECONDITION
    told = f"“{name}” is there and cannot be used yet"
    return told, (
        "something has to be so first that no step of the document brings about; the console does"
        " not say what"
    )


def not_in_state(field: str, value: str, *, choices: Iterable[str]) -> tuple[str, str]:
    """Return what is told of a prepared thing that a field does not offer, and what has
    to be so first."""
    names = _listed(choices)
    told = f"“{field}” does not offer “{value}”, which was prepared" + (
        f"; it offers {names}" if names else ""
    )
    return told, (
        f"this is a precondition: “{value}” has to be in the state in which “{field}” offers it"
    )


def taken_for_granted(thing: str, *, why: str) -> str:
    """What the document takes for granted is not there. `thing` may be a pronoun."""
    named = thing and thing.split()[0] not in ("it", "its", "them", "this", "that")
    described = description(thing) if named else "what this sentence speaks of"
    return f"the document takes for granted that there is {described}; {why}"


def nothing_to_choose(field: str) -> str:
    return f"“{field}” offers nothing to choose from: what it lists has to exist before this step"


def several(label: str, *, places: Iterable[str], count: int) -> str:
    """Several things have the name, and the sentence does not say which is meant."""
    where = _listed(sorted({one for one in places if one}))
    inside = f" ({where})" if where else ""
    return (
        f"there are {count} equal controls called “{label}”{inside}; the sentence does not say"
        " which is meant"
    )


def _inside(place: InFront) -> str:
    if not place.name:
        return "in the console"
    return f"in the dialog “{place.name}”" if place.dialog else f"on the page “{place.name}”"


def _where(place: InFront) -> str:
    """The same at the beginning of a sentence."""
    inside = _inside(place)
    return inside[0].upper() + inside[1:]


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in list(names)[:_CHOICES])


def _bare(text: str) -> str:
    """A text of the console as a part of a sentence."""
    return " ".join(text.split()).rstrip(" .。;；")
