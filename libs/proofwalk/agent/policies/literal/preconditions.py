"""Brings about what the console says has to be so before the document's act.

A document may leave out that the pump has to be stopped before it is released. A reader
rests the pointer on the greyed *Release*, reads why, stops the pump, and goes on; so
does a walk that inspects. It takes only acts of a closed table (`reading.remedies`),
only on the thing that the document's act is about, and only through a control that is
the one such: in its row, in the row's menus, or on its own page. It never stops what
the document starts, nor turns off what it turns on. What was done first is told with
the instruction, and nothing is blamed from then on: the page may be as it is for that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from proofwalk.agent.page import grounding, page_rows, regions
from proofwalk.agent.page.scene import Script, Stuck
from proofwalk.agent.page.words import normalise, tokens
from proofwalk.agent.policies.literal import confirmations, seek
from proofwalk.agent.policies.literal.fields import has_form
from proofwalk.agent.policies.literal.moves import play
from proofwalk.agent.policies.literal.scene import DocumentScene, Replay
from proofwalk.agent.reading.chinese.rewriting import is_chinese
from proofwalk.agent.reading.intents import Intent
from proofwalk.agent.reading.remedies import Act, Remedy, act_of, is_setting, remedies
from proofwalk.console.actions import Click, GoTo, Press, SetChecked
from proofwalk.console.observation import Element, State

_ATTEMPTS = 6
_WAIT_S = 8.0
"""A stopped thing stops within `_ATTEMPTS` times this, or is waited for no longer."""
_MENUS = 2
_PRESSED = frozenset({"button", "link", "menuitem", "option", "switch", "checkbox"})
_TOGGLES = frozenset({"switch", "checkbox"})
_OPPOSITE = {
    Act.TURN_OFF: Act.TURN_ON,
    Act.TURN_ON: Act.TURN_OFF,
    Act.STOP: Act.START,
    Act.START: Act.STOP,
}
_CHANGES = r"change|set|modify|edit|configure|manage|update|修改|设置|编辑|更改|变更|管理"
_GIVES_UP = r"release|unbind|detach|disassociate|dissociate|remove|释放|解绑|卸载|移除"


def bring_about(
    scene: DocumentScene,
    intent: Intent,
    stuck: Stuck,
    again: Callable[[DocumentScene, str], Script[None]],
) -> Script[None]:
    """Do what lifts the reason in `stuck.wants`, and carry the intent out. `again`
    loads the page where the work began and repeats what was played there. Raises
    `stuck` where the console tells no way that is known, or has no control for it."""
    reason, done = stuck.wants, dict[Remedy, str]()
    for attempt in range(_ATTEMPTS):
        for remedy in _sensible(intent, reason):
            if remedy not in done:
                told = f"The console wants first: {reason} I look for how."
                yield from scene.act(told, GoTo(url=scene.memory.base or scene.page.url))
                yield from scene.settle()
                name = yield from _carried_out(scene, intent, remedy)
                done |= {remedy: name} if name else {}
        if not done and attempt:
            raise stuck
        told = f"{_quoted(done.values())} is done" if done else "I see no way to do that"
        yield from again(scene, f"{told}; I look whether it goes on.")
        try:
            yield from play(scene, intent)
        except Replay:
            raise Stuck(f"{stuck.reason}; a resource was missing besides") from None
        except Stuck as further:
            if not further.wants:
                raise Stuck(further.reason + _because(scene), obstacle=further.obstacle) from None
            reason = further.wants
            yield from scene.pause("It does not go on yet; I wait.", _WAIT_S)
            continue
        if done:
            scene.ledger.first = f"{_quoted(done.values())}, for the console says: {stuck.wants}"
        return
    raise stuck


def excuse(done: Iterable[str]) -> str:
    """Return why nothing is blamed once something was done first."""
    return f"{_quoted(done)} was used before, which the document does not ask for"


def _because(scene: DocumentScene) -> str:
    return f"; {excuse(scene.memory.done_first)}" if scene.memory.done_first else ""


def _quoted(names: Iterable[str]) -> str:
    return " and ".join(f"“{name}”" for name in names)


def _sensible(intent: Intent, reason: str) -> list[Remedy]:
    """The remedies that do not undo what the document's act is for: what can only be
    started once it is stopped is not stopped to be started."""
    asked = act_of(intent.label)
    return [one for one in remedies(reason) if asked is None or _OPPOSITE.get(one.act) is not asked]


def _carried_out(scene: DocumentScene, intent: Intent, remedy: Remedy) -> Script[str]:
    """Do one remedy. Return the name of the control that did it; empty if there is
    none, or its window wants more than a yes."""
    found = yield from _control(scene, remedy)
    if found is None:
        return ""
    scene.memory.done_first.append(found.name or found.label)
    if found.role in _TOGGLES:
        past = yield from scene.act(
            f"I set “{found.name or found.label}” first.",
            SetChecked(id=found.mark, checked=remedy.act is Act.TURN_ON),
        )
        yield from scene.settle()
        return (found.name or found.label) if past.ok else ""
    yield from seek.press(scene, intent, found, f"The console wants “{found.name}” first.")
    if scene.page.modal and not (yield from _through_window(scene, intent, remedy)):
        return ""
    return found.name


def _through_window(scene: DocumentScene, intent: Intent, remedy: Remedy) -> Script[bool]:
    """Answer the window that the remedy opened: turn the one switch that it has, and go
    on. What it has besides keeps its defaults. Return whether it is gone."""
    toggles = [
        one
        for one in regions.reachable(scene.page, scene.page.elements)
        if one.role in _TOGGLES and State.DISABLED not in one.states
    ]
    named = [one for one in toggles if _names(one.label or one.name, remedy)] or toggles
    if is_setting(remedy):
        if len(named) != 1:
            return False
        yield from scene.act(
            f"I turn “{named[0].label or named[0].name}”"
            f" {'on' if remedy.act is Act.TURN_ON else 'off'}.",
            SetChecked(id=named[0].mark, checked=remedy.act is Act.TURN_ON),
        )
    elif has_form(scene.page):
        yield from confirmations.type_what_it_wants(scene)
    buttons = confirmations.going_on(scene.page)
    if len({one.name for one in buttons}) != 1:
        return False
    title = scene.page.modal
    yield from seek.press(scene, intent, buttons[0], f"I confirm “{title}”.")
    return scene.page.modal != title


def _control(scene: DocumentScene, remedy: Remedy) -> Script[Element | None]:
    """Return the one control for a remedy: in the row, in its menus, on its own
    page."""
    found = _one(_near(scene), remedy) or (yield from _in_menus(scene, remedy))
    link = page_rows.row_link(scene.page, scene.row) if scene.row else None
    if found is None and link is not None:
        yield from scene.act(f"I look on the page of “{link.name}”.", Click(id=link.mark))
        yield from scene.settle()
        found = _one(_near(scene), remedy) or (yield from _in_menus(scene, remedy))
    return found


def _near(scene: DocumentScene) -> list[Element]:
    """What stands in the row, or on the page where there is none."""
    row, front = scene.row, regions.reachable(scene.page, scene.page.elements)
    if row:
        return [one for one in front if one.row == row]
    return [one for one in front if not one.row and not regions.in_navigation(scene.page, one)]


def _in_menus(scene: DocumentScene, remedy: Remedy) -> Script[Element | None]:
    # A button without a name may act.
    named = [one for one in grounding.openers(scene.page, scene.row) if one.name or one.hint]
    for opener in named[:_MENUS]:
        same = grounding.same(scene.page, opener)
        if same is None:
            continue
        before = scene.page
        yield from scene.act("I look in the menu of further actions.", Click(id=same.mark))
        yield from scene.settle()
        found = _one(scene.appeared(before), remedy)
        if found is not None:
            return found
        if scene.appeared(before):
            yield from scene.act("It is not in this menu; I close it.", Press(key="Escape"))
    return None


def _one(offered: Iterable[Element], remedy: Remedy) -> Element | None:
    fitting = {
        normalise(one.name or one.label): one
        for one in offered
        if one.role in _PRESSED and State.DISABLED not in one.states and _does(one, remedy)
    }
    return next(iter(fitting.values())) if len(fitting) == 1 else None


def _does(element: Element, remedy: Remedy) -> bool:
    """Whether a control does what a remedy asks: by its first word, and by the thing
    where it names one."""
    name = (element.name or element.label).strip()
    if is_setting(remedy):
        led = re.sub(rf"^(?:{_CHANGES}|{remedy.act.verbs})\s*", "", name, flags=re.I)
        led_by_act = led != name or element.role in _TOGGLES
        return led_by_act and _names(name, remedy)
    verbs = _GIVES_UP if remedy.act is Act.GIVE_UP else remedy.act.verbs
    said = re.match(rf"(?:{verbs})(?=\s|[\u4e00-\u9fff]|$)\s*(?P<rest>.*)$", name, re.I)
    if said is None:
        return False
    if remedy.act is Act.GIVE_UP:
        return _names(said["rest"], remedy)
    return not said["rest"] or _of_it(said["rest"], remedy)


def _names(text: str, remedy: Remedy) -> bool:
    """Whether a text has all words of the remedy's thing."""
    if is_chinese(remedy.thing):
        return remedy.thing in text
    return bool(remedy.thing) and set(tokens(remedy.thing)) <= set(tokens(text))


def _of_it(rest: str, remedy: Remedy) -> bool:
    """Whether the words behind a verb are the remedy's thing, or some of its words."""
    if is_chinese(rest):
        return rest in remedy.thing
    return set(tokens(rest)) <= set(tokens(remedy.thing))
