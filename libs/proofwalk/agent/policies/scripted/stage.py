"""Acting until it has worked: the basis of every move of a script.

A move names something on the page, which may be loading, re-rendering or covered for a
moment. `sought` looks until the thing is there, `act_on` acts until the action was
carried out. Both look again before each attempt, and give up with a `Stuck` that says
what was missing. Nothing is guessed: a label is the label that the script gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from proofwalk.agent.core.policy import PastStep, Turn
from proofwalk.agent.page import grounding, regions
from proofwalk.agent.page.places import Place
from proofwalk.agent.page.scene import Scene, Script, Stuck
from proofwalk.agent.policies.scripted.script import Move
from proofwalk.console.actions import Action, Click, Press, Scroll
from proofwalk.console.observation import Element, Observation, State

Find = Callable[[Observation], Element | None]


@dataclass(kw_only=True)
class Whereabouts:
    """Where the script is, from sub-step to sub-step."""

    product: str = ""
    path: str = ""
    """The first part of the address's path on that product's pages."""
    trail: list[Move] = field(default_factory=list)
    """The moves that led to the present page and filled it. They are repeated when a
    session lapses on it."""
    names: dict[str, str] = field(default_factory=dict)
    """What needs of the script were told, by placeholder."""
    answer: dict[str, str] = field(default_factory=dict)
    """What was read for the answer, by field."""


class Stage(Scene):
    """The current turn, and where the script is."""

    def __init__(self, turn: Turn, where: Whereabouts) -> None:
        super().__init__(turn)
        self.where = where


_ATTEMPTS = 4
_LOOKS = 6
_PAGES = 5
_ENABLED_LOOKS = 12


def named(page: Observation, *labels: str, navigation: bool = False) -> Element | None:
    """Return the control in front with one of these names: outside of rows before
    inside, buttons before what only looks like one."""
    for label in labels:
        found = grounding.controls(page, label, Place(navigation=navigation))
        if navigation:
            found = [element for element in found if regions.in_navigation(page, element)]
        found = [element for element in found if not element.row] or found
        if found:
            return min(
                found,
                key=lambda element: (
                    State.DISABLED in element.states,
                    element.tag != "button",
                    element.mark,
                ),
            )
    return None


def sought(
    stage: Stage, find: Find, what: str, *, looks: int = _LOOKS, text: str = "", scroll: bool = True
) -> Script[Element]:
    """Return what `find` returns, once the page has it; further down if needed. Raises
    `Stuck`."""
    yield from stage.settle()
    for look in range(looks):
        element = find(stage.page)
        if element is not None:
            return element
        yield from stage.pause(
            f"I do not see {what} yet; I wait for it.", 1 if look < 2 else 3, text
        )
    if scroll:
        element = yield from _further_down(stage, find, what)
        if element is not None:
            return element
    raise Stuck(f"the console shows no {what}{_where(stage.page)}")


def _further_down(stage: Stage, find: Find, what: str) -> Script[Element | None]:
    height = stage.page.viewport[1]
    for _ in range(_PAGES):
        _, offset, _, total = stage.page.scroll
        if offset + height >= total - 4:
            return None
        yield from stage.act(f"{what} may be further down; I scroll.", Scroll(dy=height * 0.8))
        element = find(stage.page)
        if element is not None:
            return element
    return None


def enabled(stage: Stage, find: Find, what: str) -> Script[Element]:
    """Return what `find` returns, once it is enabled. Raises `Stuck`."""
    for _ in range(_ENABLED_LOOKS):
        element = yield from sought(stage, find, what)
        if State.DISABLED not in element.states:
            return element
        yield from stage.pause(f"{what} is disabled; I wait.", 2)
    raise Stuck(
        f"{what} stays disabled{_where(stage.page)}" + (f": {element.hint}" if element.hint else "")
    )


def act_on(
    stage: Stage, find: Find, action: Callable[[Element], Action], thought: str, what: str
) -> Script[PastStep]:
    """Find an element and act on it, repeatedly while the page refuses. Raises `Stuck`
    with the last refusal."""
    past: PastStep | None = None
    for _ in range(_ATTEMPTS):
        element = yield from enabled(stage, find, what)
        past = yield from stage.act(thought, action(element))
        if past.ok:
            yield from stage.settle()
            return past
        yield from stage.pause(f"That did not work ({past.result}); I wait and try again.", 1)
    assert past is not None
    raise Stuck(f"{what}: {past.result}")


def click(stage: Stage, find: Find, what: str, thought: str = "") -> Script[None]:
    """Click an element, and once more if nothing at all happened."""
    for _ in range(2):
        before = stage.page.fingerprint
        past = yield from act_on(
            stage, find, lambda element: Click(id=element.mark), thought or f"I click {what}.", what
        )
        if stage.page.fingerprint != before or not past.result.startswith("nothing changed"):
            return
        yield from stage.pause("Nothing happened; I wait.", 1)
        if stage.page.fingerprint != before or find(stage.page) is None:
            return


def escape(stage: Stage, thought: str) -> Script[None]:
    """Close a menu or a list."""
    yield from stage.act(thought, Press(key="Escape"))


def _where(page: Observation) -> str:
    if page.modal:
        return f" in “{page.modal}”"
    return f" on {page.url}" if page.url else ""
