"""Goes on under another name when the console lacks the document's.

A reader who does not find **Create Instance** and sees **Launch Instance** in its place
takes that and goes on, so one walk finds all that is wrong with a document. The finding
is noted with the sub-step and reported whatever becomes of the walk
(`rollout.walk_facts`). A detour never undoes something that the document's own word
does not: a look-alike of **Stop** may be **Release**. Next: `policy`, which plays the
intent that `detour` returns.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.page.scene import Stuck
from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.reading.intents import Intent
from proofwalk.kernel.outcomes import FindingKind

_UNDOES = frozenset(
    {
        "cancel",
        "clear",
        "close",
        "delete",
        "destroy",
        "detach",
        "disable",
        "discard",
        "drop",
        "erase",
        "format",
        "purge",
        "reinitialize",
        "release",
        "remove",
        "reset",
        "revoke",
        "stop",
        "terminate",
        "unbind",
        "unsubscribe",
        "wipe",
    }
)


def detour(intent: Intent, stuck: Stuck) -> Intent | None:
    """Return the intent with the console's name in place of the document's; None if no
    other name may be taken."""
    if stuck.finding is None or stuck.finding.kind is not FindingKind.RENAMED or not stuck.instead:
        return None
    if _UNDOES & set(tokens(stuck.instead)) - set(tokens(stuck.missed)):
        return None
    path = tuple(_other(part, stuck) for part in intent.path)
    scopes = tuple(replace(scope, label=_other(scope.label, stuck)) for scope in intent.scopes)
    changed = replace(intent, path=path, scopes=scopes)
    return changed if changed != intent else None


def _other(label: str, stuck: Stuck) -> str:
    return stuck.instead if label and normalise(label) == normalise(stuck.missed) else label
