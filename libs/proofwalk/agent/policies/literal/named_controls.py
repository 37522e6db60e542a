"""Sentences about the one control that the sentence before tells of and does not use.

`**Drain** is at the top. Click that button.` and `**Strict** is on by default. Leave it
on.` have no name of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proofwalk.agent.reading.intents import Intent, IntentKind, Origin, Reading
from proofwalk.procedures.model import Sentence

_THAT_CONTROL = re.compile(
    r"^\W*(?:then,? |now,? )?(?:click|press|tap|select|choose)(?: on)? (?:that|this) "
    r"(?P<noun>button|link|icon|tab|option|entry)\b(?: to [^,;]+)?\s*\.?$",
    re.I,
)
_LEFT_SO = re.compile(
    r"^\W*(?:leave|keep) it (?P<way>on|off|selected|cleared|enabled|disabled|checked|unchecked|"
    r"ticked)\W*$",
    re.I,
)
"""`**Strict** is on by default. Leave it on.`"""


def of_what_was_named(
    sentence: Sentence, named: Mapping[str, Origin], unplaced: list[str]
) -> Reading | None:
    """Read such a sentence; None for others. `named`: the labels that the sentence
    before told of, and where. A control that is clicked is taken out of `unplaced`."""
    found = _THAT_CONTROL.match(sentence.text)
    left = _LEFT_SO.match(sentence.text)
    if (found or left) is None or len(named) != 1:
        return None
    ((name, where),) = named.items()
    if left is not None:
        on = left["way"].lower() in ("on", "selected", "enabled", "checked", "ticked")
        kept = Intent(kind=IntentKind.CHECK, path=(name,), checked=on, words=(name,), origin=where)
        return Reading(intents=(kept,))
    if name in unplaced:
        unplaced.remove(name)
    assert found is not None
    click = Intent(
        kind=IntentKind.CLICK,
        path=(name,),
        noun=found["noun"].lower(),
        words=(name,),
        origin=where,
    )
    return Reading(intents=(click,))
