"""When two walks stood in the same state, and what another walk's action is there.

Pages of two episodes are equal when they show the same elements with the same values
and texts once what differs by episode (names, ids and addresses of what was
provisioned, times) and what goes away by itself (messages with the button that closes
them) is set aside. An action of one walk is `moved` to another's page by what its
element is found by there; actions have the same `effects` when either is right where
the other is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proofwalk.agent.page.words import normalise
from proofwalk.console import actions as a
from proofwalk.console.observation import Element, Observation, State
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.turns import Played

_VOLATILE = (
    (re.compile(r"\bpw[0-9a-f]{6}\b"), "‹run›"),
    (re.compile(r"\b(?:[a-z]{1,6}-|prov_)[0-9a-z]{8,}\b"), "‹id›"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d./])"), "‹address›"),
    (re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|\.\d+)?)?"), "‹time›"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d)?\b"), "‹time›"),
)
_WORDS = ("note", "reason", "query", "need")
"""Members of actions that are words for people: any will do."""
_TICKS = ("checkbox", "switch")
_PRESSED = ("button", "link", "menuitem", "tab")
"""Roles of which two of one name in one place do the same."""
_CLOSING = ("close", "dismiss", "×", "关闭")
"""What the button of a passing message is called."""
_LEADING = ("link", "option", "menuitem", "tab")
"""Roles of which a press that leads to another address does nothing else."""


@dataclass(frozen=True, kw_only=True)
class Visit:
    """A step of a walk, with what in its page is of its episode alone."""

    played: Played
    volatile: Mapping[str, str]

    @property
    def page(self) -> Observation:
        return self.played.turn.observation

    @property
    def state(self) -> str:
        """Equal for two visits to the same state."""
        return state_of(self.page, self.volatile)


def volatile_of(episode: Episode) -> dict[str, str]:
    """What an episode's phrases stood for, each with the name that stands for it."""
    binds = episode.notes.binds or {}
    return {value: f"‹{phrase}›" for phrase, value in binds.items() if value}


def _steady(text: str, volatile: Mapping[str, str]) -> str:
    """The text without what differs from one episode of a task to the next."""
    for value in sorted(volatile, key=len, reverse=True):
        text = text.replace(value, volatile[value])
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return " ".join(text.split())


def state_of(page: Observation, volatile: Mapping[str, str]) -> str:
    parts = [re.sub(r"^\w+://[^/]*", "", page.url), page.modal, page.browser_dialog]
    for one in page.elements:
        if one.role == "button" and not one.container and normalise(one.name) in _CLOSING:
            continue
        states = ",".join(sorted(one.states - {State.FOCUSED}))
        parts.append(
            f"{one.role}|{one.name}|{one.label}|{one.value}|{states}|{one.container}|{one.row}"
        )
    parts += [run.text for run in page.texts if run.role not in ("alert", "status", "tooltip")]
    return "\x1f".join(_steady(part, volatile) for part in parts)


def _place(one: Element, volatile: Mapping[str, str]) -> tuple[str, ...]:
    """What an element is found by on an equal page."""
    told = (one.role, one.name, one.label, one.container, one.row, one.column, one.group, one.frame)
    return tuple(_steady(text, volatile) for text in told)


def moved(step: Visit, to: Visit) -> a.Action | None:
    """Another walk's action as it would be done on this page; None when its element
    cannot be told there."""
    members = step.played.action.model_dump(mode="json")
    page, here = step.page, to.page
    for key in ("id", "from_id"):
        mark = members.get(key)
        if mark is None:
            continue
        element = page.element(mark)
        wanted = None if element is None else _place(element, step.volatile)
        there = [one.mark for one in page.elements if _place(one, step.volatile) == wanted]
        found = [one.mark for one in here.elements if _place(one, to.volatile) == wanted]
        if element is None or len(there) != len(found):
            return None
        members[key] = found[there.index(mark)]
    for key in ("text", "option", "value"):
        if isinstance(members.get(key), str):
            members[key] = renamed(members[key], step, to)
    return a.parse_action(json.dumps(members))


def renamed(text: str, step: Visit, to: Visit) -> str:
    """A text of one walk with the names that the other one has for the same things."""
    back = {name: value for value, name in to.volatile.items()}
    for value in sorted(step.volatile, key=len, reverse=True):
        name = step.volatile[value]
        text = text.replace(value, back.get(name, value))
    return text


def effects_of(action: a.Action, played: Played, following: Played | None) -> list[a.Action]:
    """The action, and others that have the same effect on this page; `following` is
    what the walk did next, where that is known."""
    page, turn = played.turn.observation, played.turn
    if isinstance(action, a.SubStepComplete | a.TaskComplete):
        last = turn.index + 1 == len(turn.task.procedure.substeps)
        ends: list[a.Action] = [action, a.TaskComplete(), a.SubStepComplete()] if last else [action]
        return list({type(one): one for one in ends}.values())
    mark = getattr(action, "id", None)
    target = page.element(mark) if isinstance(mark, int) else None
    if target is None:
        return [action]
    alike = target.name and target.role in _PRESSED
    twins = [
        one.mark
        for one in page.elements
        if alike and one.mark != target.mark and _place(one, {}) == _place(target, {})
    ]
    effects: list[a.Action] = [action, *(action.model_copy(update={"id": twin}) for twin in twins)]
    if (
        target.role in _TICKS
        and isinstance(action, a.Click)
        and bare(action).keys() == {"type", "id"}
    ):
        effects.append(a.SetChecked(id=target.mark, checked=State.CHECKED not in target.states))
    if (
        target.role in _TICKS
        and isinstance(action, a.SetChecked)
        and action.checked != (State.CHECKED in target.states)
    ):
        effects.append(a.Click(id=target.mark))
    return effects + _other_ways(action, target, page, following)


def _other_ways(
    action: a.Action, target: Element, page: Observation, following: Played | None
) -> list[a.Action]:
    """A choice in one action or in two; a page by its link or by its address."""
    if target.role == "combobox" and isinstance(action, a.Select):
        return [a.Click(id=target.mark)]
    if (
        not isinstance(action, a.Click)
        or bare(action).keys() != {"type", "id"}
        or following is None
    ):
        return []
    after, then = following.turn.observation, following.action
    chosen = after.element(then.id) if isinstance(then, a.Click) else None
    if target.role == "combobox" and chosen is not None and chosen.role == "option":
        return [a.Select(id=target.mark, option=chosen.name)]
    leads = target.role in _LEADING and not page.modal and after.url != page.url
    return [a.GoTo(url=after.url)] if leads else []


def bare(action: a.Action) -> dict[str, Any]:
    """The action as it is compared: without defaults, without words for people; of a
    wait only that it waits."""
    members = {"type": action.type, **action.model_dump(mode="json", exclude_defaults=True)}
    if isinstance(action, a.Wait):
        return {"type": action.type}
    if isinstance(action, a.Type):
        members["text"] = action.text.strip()
        members.pop("clear", None)
    if isinstance(action, a.Scroll):
        return {
            "type": action.type,
            **({"id": action.id} if action.id is not None else {}),
            "down": action.dy > 0,
            "right": action.dx > 0,
        }
    return {name: value for name, value in members.items() if name not in _WORDS}
