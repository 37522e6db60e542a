"""Walks made by hand: their events, and what says their values."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from proofwalk.authoring.grounds import Sources, lines_of
from proofwalk.authoring.rule_proposal import Proposal, RuleHead, propose
from proofwalk.kernel.evidence import AuditEvent
from proofwalk.suites.recording import Recording
from proofwalk.suites.rules.constants import Sent, comparable

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
TANK = Sent(
    names=frozenset({"Depth"}),
    fields=frozenset({"depth"}),
    labels={"wd": frozenset({"Wall-mounted"}), "3": frozenset({"tank-of-the-third-row"})},
    unasked=frozenset({"7", "plain", "sunk"}),
    acts=frozenset({"sunk"}),
)


class Tanks:
    """A console that knows one field by its label."""

    def sent(self, service: str, event: str, parameter: str) -> Sent:
        return TANK if parameter in ("Depth", "Mount", "Finish") else Sent()


class Drains:
    """Operations of which one takes the others back."""

    def undoing(self, service: str, event: str) -> frozenset[str]:
        return frozenset({"DrainTank"}) if event != "DrainTank" else frozenset()

    def removing(self, kind: str) -> frozenset[tuple[str, str]]:
        return frozenset({("Yard", "SellYard")}) if kind == "yard.yard" else frozenset()


def event(name: str, at: float, **more: Any) -> AuditEvent:
    members = {"service": "Tank", "kind": "ConsoleOperation", "write": True, "ok": True, **more}
    return AuditEvent(id=f"{name}-{at}", time=START + timedelta(seconds=at), name=name, **members)


def recording(*events: AuditEvent, outputs: Mapping[str, str] | None = None) -> Recording:
    return Recording(
        start=START, end=START + timedelta(seconds=60), outputs=outputs or {}, events=events
    )


def sources(
    document: str,
    *,
    outputs: Mapping[str, str] | None = None,
    meta: str = "",
    binds: frozenset[str] = frozenset(),
) -> Sources:
    return Sources(
        document=lines_of(document),
        outputs=outputs or {},
        meta=comparable(meta),
        binds=binds,
        console=Tanks(),
    )


def proposed(walk: Recording, document: str, *, title: str = "", **more: Any) -> Proposal:
    said = sources(document, outputs=walk.outputs)
    return propose(walk, said, Drains(), head=RuleHead(id="tank", title=title), **more)
