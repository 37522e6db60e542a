"""Another way on: what is not there under the document's name stands there under
another one.

A reader who does not find **Create Instance** and sees **Launch Instance** in its place
takes that and goes on, and so one walk tells all that is wrong with a document. The
finding stays a finding: it is noted with the sub-step, and whatever comes of the walk,
that is what the document is told to have wrong (`rollout.walk_facts`). Nothing is taken
that undoes something where the document's own word does not: a look-alike of **Stop**
may be **Release**. Next: `policy`, which plays the intent again as `detour` returns it.
"""

from __future__ import annotations

from dataclasses import replace

from proofwalk.agent.page.scene import Stuck
from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.policies.literal.intents import Intent
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
    """The intent under the name that the console has; None where no other way leads
    on."""
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
