"""What a rule's references stand for: the document's constants, META's outputs, events.

A reference to a META output that is not there is `rule.invalid`, an error of the
caller; it is never a reward of 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.reward_service.event_values import decoded
from proofwalk.reward_service.rules import Rule


@dataclass(frozen=True, kw_only=True)
class Bindings:
    """What references stand for, and where the window begins."""

    start: datetime
    doc: Mapping[str, object]
    meta: Mapping[str, object]
    events: Mapping[str, AuditEvent] = field(default_factory=dict)
    """The events that have names."""


def bindings_of(rule: Rule, *, start: datetime, outputs: Mapping[str, str]) -> Bindings:
    """The rule's references resolved. An output that is JSON of a list counts as that
    list. Raises `rule.invalid`."""
    absent = sorted(rule.meta_names - outputs.keys())
    if absent:
        raise unresolved(rule, absent[0], outputs)
    return Bindings(
        start=start, doc=rule.doc, meta={name: decoded(value) for name, value in outputs.items()}
    )


def unresolved(rule: Rule, name: str, outputs: Mapping[str, str]) -> ProofwalkError:
    """A META output that the rule wants and nobody gave."""
    known = ", ".join(sorted(outputs)) or "none"
    return invalid(
        "rule.invalid",
        f"{rule.name} refers to $meta.{name}, which META did not give",
        hint=f"outputs given: {known}",
    )
