"""Reads what asks for a button without its name: `Continue.`, `Submit the form.`,
`Close the dialog.`

Consoles name such buttons by a few words, of which the first that is there is pressed
(`seek`). The document names none, so one that is missing blames nobody. A window that
is to be closed and is not there has nothing to be done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from proofwalk.agent.policies.literal.clauses import Clause
from proofwalk.agent.policies.literal.remainders import may_be_imperative
from proofwalk.agent.reading.intents import Intent, IntentKind
from proofwalk.agent.reading.marks import LABEL, Folded
from proofwalk.procedures.model import InlineRole

_WINDOW = (
    r"(?:the|this|that) (?:[a-z-]+ )?(?:dialog(?: box)?|window|panel|drawer|pane|modal|pop-?up|"
    r"message|notification|form)"
)
_CHANGES = (
    r"(?:(?:the|your|all|these|this) )?(?:[a-z-]+ )?"
    r"(?:changes?|settings?|form|request|configuration|order|dialog(?: box)?|wizard|modifications?)"
)
_SENDS = ("Submit", "Save", "Create", "OK", "Apply", "Send", "Confirm", "Done", "Finish", "Update")


@dataclass(frozen=True, kw_only=True)
class _Way:
    verbs: str
    thing: str
    """What may stand behind the verb."""
    names: tuple[str, ...]
    """What consoles call the button, best first."""
    if_there: bool = False
    """Nothing has to be done without a window in front."""


_WAYS = (
    _Way(
        verbs="continue|proceed|go on|move on",
        thing=r"(?:(?:on )?to the next (?:step|page|screen)|with the next (?:step|page))?",
        names=("Continue", "Next", "Proceed", "Next step", "Go on"),
    ),
    _Way(verbs="submit|send|apply", thing=_CHANGES, names=_SENDS),
    _Way(
        verbs="download",
        thing=r"(?:the|your|these|this) [a-z-]+(?: [a-z-]+)?(?<!file)(?<!files)",
        names=("Download", "Download all", "Export", "Save"),
    ),
    _Way(
        verbs="finish|complete",
        thing=r"the (?:wizard|set-?up|assistant)",
        names=("Finish", "Done", "Complete", "Create", "Submit", "Close"),
    ),
    _Way(
        verbs="close|dismiss",
        thing=_WINDOW,
        names=("Close", "Done", "OK", "Dismiss", "Cancel"),
        if_there=True,
    ),
    _Way(
        verbs="cancel|leave",
        thing=r"(?:the|this) (?:dialog(?: box)?|window|wizard|form|operation)",
        names=("Cancel", "Close"),
    ),
)
_ENDS = r"\s*[.,!]?\s*(?:(?:and|then)\s*)*"


def pressed(clause: Clause) -> list[Intent]:
    """`continue`, `submit the form`: the button that does it."""
    verb = clause.verb.casefold()
    for way in _WAYS:
        fits = re.fullmatch(way.verbs, verb) is not None
        if not fits or not re.fullmatch(rf"\s*{way.thing}{_ENDS}", clause.text, re.I):
            continue
        thing = re.sub(r"\s+(?:and|then)$", "", clause.folded.plain(clause.text).strip(" .,"))
        phrase = thing.strip(" ,") or verb
        asked = clause.intent(IntentKind.CLICK, [], path=way.names[:1], noun="icon", phrase=phrase)
        return [replace(asked, others=way.names[1:], prompted=way.if_there)]
    return []


_LONE = re.compile(rf"(?P<label>{LABEL})\.?")
"""`Enter a name. **Continue**.`"""
_BUTTONS = ("Next", "OK", "Done", "Yes")


def lone_button(piece: str, folded: Folded) -> bool:
    """True if a sentence is nothing but a bold label that begins with a verb, as the
    name of a button does."""
    found = _LONE.fullmatch(piece.strip())
    if found is None:
        return False
    label = folded.label(found["label"])
    words = label.text.split()
    bold = label.role is InlineRole.STRONG and len(label.parts) == 1
    commands = bool(words) and (words[0] in _BUTTONS or may_be_imperative(words[0]))
    return bold and len(words) <= 3 and commands
