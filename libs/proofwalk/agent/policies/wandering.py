"""The random policy: a bounded number of random actions on what the page offers, then
the claim that all is done.

The random source is passed in, so an episode can be repeated. The policy may do what a
person with closed eyes could do: click anything, type a word, tick, choose, scroll, go
back. It never signs out: an episode without a session would only end sooner.
"""

from __future__ import annotations

from random import Random

from proofwalk.agent.core.policy import Decision, Turn
from proofwalk.console.actions import (
    Action,
    AnswerDialog,
    Click,
    GoBack,
    Press,
    Scroll,
    Select,
    SetChecked,
    SetSlider,
    TaskComplete,
    Type,
    Wait,
)
from proofwalk.console.observation import Element, State

STEPS = 25
_WORDS = ("test", "web", "1", "10", "proofwalk-example", "192.168.0.0/16", "Pw-12345678a")
_TEXTUAL = frozenset({"textbox", "searchbox", "spinbutton"})
_WAYS_OUT = ("sign out", "退出登录", "退出")


class WanderingPolicy:
    """Acts at random."""

    name = "random"

    def __init__(self, chance: Random, *, steps: int = STEPS) -> None:
        self._chance = chance
        self._left = steps

    async def decide(self, turn: Turn) -> Decision:
        if self._left <= 0:
            return Decision(thought="That is enough.", action=TaskComplete(note="acted at random"))
        self._left -= 1
        if turn.observation.browser_dialog:
            return Decision(
                thought="A dialog.", action=AnswerDialog(accept=self._chance.random() < 0.5)
            )
        return Decision(thought="Anything.", action=self._action(turn))

    async def close(self) -> None:
        return

    def _action(self, turn: Turn) -> Action:
        if turn.history and not turn.history[-1].ok:
            # failures in a row would end the walk before it has had its chances
            return Wait(seconds=1)
        front = [
            element
            for element in turn.observation.elements
            if not _leads_out(element) and State.DISABLED not in element.states
        ]
        dice = self._chance.random()
        if not front or dice < 0.04:
            return self._chance.choice(
                (Scroll(dy=400), Press(key="Escape"), GoBack(), Wait(seconds=1))
            )
        return self._on(self._chance.choice(front))

    def _on(self, element: Element) -> Action:
        if element.role in _TEXTUAL and State.READONLY not in element.states:
            return Type(id=element.mark, text=self._chance.choice(_WORDS))
        match element.role:
            case "checkbox" | "switch":
                return SetChecked(id=element.mark, checked=State.CHECKED not in element.states)
            case "slider":
                return SetSlider(id=element.mark, value=float(self._chance.randrange(0, 101, 10)))
            case "combobox" if self._chance.random() < 0.3:
                return Select(id=element.mark, option=self._chance.choice(_WORDS))
            case _:
                return Click(id=element.mark)


def _leads_out(element: Element) -> bool:
    return any(word in element.name.casefold() for word in _WAYS_OUT)
