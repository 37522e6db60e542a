"""Which operations take back what another one did: a rule forbids them.

A console whose operations are described says it itself (`Operations`). Of any other one
the names in its log are read: names are verbs and things, and verbs have opposites.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

_OPPOSITES = (
    ("create|add|new|register|insert|invite", "delete|remove|destroy|drop|deregister"),
    ("start|run|resume|unpause", "stop|halt|suspend|pause|reboot|restart"),
    ("enable|activate|unlock|on", "disable|deactivate|lock|off"),
    ("attach|associate|bind", "detach|unassociate|disassociate|unbind"),
    ("assign|join|link", "unassign|leave|unlink"),
    ("archive", "revive|unarchive|restore"),
    ("grant|authorize|allow", "revoke|deny"),
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^A-Za-z\d]+")


class Operations(Protocol):
    """The operations of a console, by the names of its log."""

    def undoing(self, service: str, event: str) -> frozenset[str]:
        """Operations of the service that take back what the event did."""
        ...

    def removing(self, kind: str) -> frozenset[tuple[str, str]]:
        """Service and name of the operations that do away with a resource of the type,
        as META names types, or put it out of use."""
        ...


class NamedOperations:
    """Operations of which nothing but their names is known."""

    def undoing(self, service: str, event: str) -> frozenset[str]:
        """The name with each opposite of its verb."""
        words = _WORDS.findall(event)
        return frozenset(
            "".join([*words[:at], other, *words[at + 1 :]])
            for at, word in enumerate(words)
            for other in _opposites(word)
        )

    def removing(self, kind: str) -> frozenset[tuple[str, str]]:
        """None: a type says nothing of the names in the log."""
        return frozenset()


def _opposites(word: str) -> Iterator[str]:
    """The opposites of a verb, in its tense and case."""
    plain = word.lower()
    for one, other in _OPPOSITES:
        for verbs, against in (
            (one.split("|"), other.split("|")),
            (other.split("|"), one.split("|")),
        ):
            verb = next((verb for verb in verbs if plain in (verb, _past(verb))), None)
            if verb is None:
                continue
            for opposite in against:
                told = opposite if plain == verb else _past(opposite)
                yield (
                    told.upper()
                    if word.isupper()
                    else told.capitalize()
                    if word[:1].isupper()
                    else told
                )


def _past(verb: str) -> str:
    doubled = {
        "stop": "stopped",
        "drop": "dropped",
        "run": "ran",
        "bind": "bound",
        "unbind": "unbound",
        "leave": "left",
        "deny": "denied",
    }
    return doubled.get(verb, f"{verb}d" if verb.endswith("e") else f"{verb}ed")
