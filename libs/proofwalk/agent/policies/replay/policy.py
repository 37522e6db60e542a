"""The replay policy: plays a compiled walk, and hands over to another policy where a
guard does not hold.

At each turn the next step's guards are checked on the page (`guards`); if all hold, the
step is taken. A guard that does not hold yet is waited for once. If it still does not
hold, the script ends for this sub-step: the fallback goes on from the page as it is,
with the real history, and reports faults of the document. The next sub-step is the
script's again, if its guards hold. A sub-step whose text differs from the compiled one
is left to the fallback. Without a script, every sub-step is.

Interruptions are answered as the literal policy answers them. A lapsed session takes a
form with it, so the fallback handles it. Only the fallback may ask a model. `report`
counts; each `Handover` says which guard failed and how.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from proofwalk.agent.core.policy import Decision, Policy, Turn
from proofwalk.agent.page import interruptions
from proofwalk.agent.policies.replay.compilation import whole_text
from proofwalk.agent.policies.replay.following import DecidedTurn, Following
from proofwalk.agent.policies.replay.guards import Broken, alert_kind, check_page, check_step
from proofwalk.agent.policies.replay.recording import without_pictures
from proofwalk.agent.policies.replay.script import Alignment, ReplayScript, Step, SubStepScript
from proofwalk.agent.policies.replay.targets import resolve
from proofwalk.agent.policies.replay.templates import EpisodeValues, draw
from proofwalk.console.actions import Action, SubStepComplete, TaskComplete, Wait, parse_action
from proofwalk.console.observation import Observation
from proofwalk.kernel.json_values import JsonObject

_WAIT_S = 3.0
_OUTCOME_WAITS, _OUTCOME_S = 8, 8.0
"""How often and how long a state that the document promises is waited for: as long as
the literal policy waits before it loads the page again."""
_BUSY_WAITS = 3
_INTERRUPTIONS = 8
_LOOKS = ("scroll", "hover")


@dataclass(frozen=True, kw_only=True)
class Handover:
    """Where and why the script ended."""

    substep: str
    step: int
    """Position in the sub-step's script, from 0; the script's length stands for its
    end."""
    guard: str
    expected: str
    seen: str

    def __str__(self) -> str:
        return f"{self.guard}: expected {self.expected or 'nothing'}, seen {self.seen or 'nothing'}"


@dataclass(frozen=True, kw_only=True)
class ReplayReport:
    """The counts of a replay."""

    scripted: bool
    """Whether there was a script."""
    steps_replayed: int
    steps_fallback: int
    handovers: tuple[Handover, ...]
    model_calls: int
    """Questions to a model, asked by the fallback."""

    def as_data(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "scripted": self.scripted,
            "steps_replayed": self.steps_replayed,
            "steps_fallback": self.steps_fallback,
            "model_calls": self.model_calls,
            "handovers": [vars(one) for one in self.handovers],
        }


class ReplayPolicy:
    """One episode's replay."""

    name = "replay"

    def __init__(
        self, fallback: Policy, script: ReplayScript | None, *, seed: str, follows: bool
    ) -> None:
        """`follows`: the fallback keeps state between turns, and gets the replayed
        turns before it takes over."""
        self._fallback = fallback
        self._script = script
        self._seed = seed
        self._following = Following(fallback) if follows else None
        self._alignment: Alignment | None = None
        self._values: EpisodeValues | None = None
        self._decided: list[DecidedTurn] = []
        self._handovers: list[Handover] = []
        self._replayed = 0
        self._fell = 0
        self._model_calls = 0
        self._begin(-1)

    def _begin(self, index: int) -> None:
        self._index = index
        self._at = 0
        self._waited = 0
        self._busy = 0
        self._interrupted = 0
        self._tried = 0
        self._left = False
        self._before: Observation | None = None
        """The page before the latest step of the script."""

    @property
    def report(self) -> ReplayReport:
        """The counts so far."""
        return ReplayReport(
            scripted=self._script is not None,
            steps_replayed=self._replayed,
            steps_fallback=self._fell,
            handovers=tuple(self._handovers),
            model_calls=self._model_calls,
        )

    async def decide(self, turn: Turn) -> Decision:
        if turn.index != self._index:
            self._begin(turn.index)
        decision = None if self._left or self._script is None else self._replay(self._script, turn)
        if decision is None:
            decision = await self._fall(turn)
            self._fell += 1
            self._model_calls += len(decision.exchanges)
        else:
            self._replayed += 1
        if self._following is not None and self._script is not None:
            self._decided.append(
                DecidedTurn(
                    turn=replace(turn, observation=without_pictures(turn.observation)),
                    decision=decision,
                )
            )
        return decision

    async def close(self) -> None:
        await self._fallback.close()

    async def _fall(self, turn: Turn) -> Decision:
        fresh = self._script is not None and not self._left
        self._left = True
        if self._following is None or self._script is None:
            decision = await self._fallback.decide(turn)
        else:
            decision = await self._following.decide(self._decided, turn)
        if not fresh:
            return decision
        return replace(
            decision, thought=f"The script ends here ({self._handovers[-1]}). {decision.thought}"
        )

    def _hand_over(self, turn: Turn, broken: Broken) -> None:
        self._handovers.append(
            Handover(
                substep=turn.substep.number,
                step=self._at,
                guard=broken.guard,
                expected=broken.expected,
                seen=broken.seen,
            )
        )

    def _replay(self, script: ReplayScript, turn: Turn) -> Decision | None:
        """Return the script's decision; None to hand over, with the reason recorded."""
        if self._alignment is None or self._values is None:
            self._alignment = Alignment.of(script, turn.task.procedure)
            drawn = [draw(shape, self._seed, number) for number, shape in enumerate(script.randoms)]
            self._values = EpisodeValues(
                turn.task.binds, document=whole_text(turn.task), randoms=drawn
            )
        answer = self._alignment.answers.get(turn.index)
        part = script.substeps[answer] if answer is not None else None
        if part is None or part.open or part.end is None:
            seen = "it is not in the script" if part is None else part.open
            self._hand_over(
                turn, Broken(guard="sub-step", expected="a compiled sub-step", seen=seen)
            )
            return None
        page = turn.observation
        if page.browser_dialog and not (
            self._at < len(part.steps) and part.steps[self._at].action == "answer_dialog"
        ):
            self._hand_over(
                turn, Broken(guard="browser dialog", expected="none", seen=page.browser_dialog)
            )
            return None
        refused = self._refusal(turn)
        if refused is not None:
            self._hand_over(turn, refused)
            return None
        came = interruptions.answer(page, turn.history)
        if came is not None:
            self._interrupted += 1
            if came.renews or self._interrupted > _INTERRUPTIONS:
                self._hand_over(
                    turn,
                    Broken(
                        guard="interruption",
                        expected="none that takes a form with it",
                        seen=came.thought,
                    ),
                )
                return None
            return Decision(thought=came.thought, action=came.action)
        if not page.quiet and self._busy < _BUSY_WAITS:
            self._busy += 1
            return Decision(thought="The page is still busy; I wait.", action=Wait(seconds=10))
        return self._next(part, turn, self._values)

    def _refusal(self, turn: Turn) -> Broken | None:
        """Repeat a step that could not be carried out once, if its guards still hold.
        Return a broken guard for the second failure."""
        last = turn.history[-1] if turn.history else None
        if self._before is None or last is None or last.ok or isinstance(last.action, Wait):
            return None
        self._before = None
        self._tried += 1
        if self._tried > 1:
            return Broken(guard="action", expected="carried out", seen=last.result)
        self._at -= 1
        return None

    def _next(self, part: SubStepScript, turn: Turn, values: EpisodeValues) -> Decision | None:
        page = turn.observation
        announced = self._announced(part, page)
        if announced is not None:
            self._hand_over(turn, announced)
            return None
        while self._at < len(part.steps) and self._can_skip(part, page, values):
            self._at += 1
        if self._at == len(part.steps):
            assert part.end is not None
            broken = check_page(part.end, page, values)
            return self._complete(part, turn) if broken is None else self._wait(broken, turn)
        step = part.steps[self._at]
        broken = check_step(step, page, values)
        if broken is not None:
            return self._wait(broken, turn)
        action = _action(step, page, values)
        if action is None:
            self._hand_over(
                turn,
                Broken(
                    guard="parameter",
                    expected=str(dict(step.values)),
                    seen="not known in this episode",
                ),
            )
            return None
        self._at += 1
        self._waited = self._busy = 0
        self._before = page
        return Decision(
            thought=f"As before, step {self._at} of {len(part.steps)}: {_in_words(step, values)}.",
            action=action,
        )

    def _announced(self, part: SubStepScript, page: Observation) -> Broken | None:
        """Return an error that the latest step announced, if there was none in the
        walk."""
        if self._before is None or self._at == 0:
            return None
        if (
            alert_kind(self._before, page) == "error"
            and part.steps[self._at - 1].after.alert != "error"
        ):
            return Broken(guard="alert", expected="no error", seen=page.alerts[-1])
        return None

    def _can_skip(self, part: SubStepScript, page: Observation, values: EpisodeValues) -> bool:
        """True if a look around is not needed, since the step that it prepares can be
        taken."""
        step = part.steps[self._at]
        rest = [one for one in part.steps[self._at + 1 :] if one.action not in _LOOKS]
        return step.action in _LOOKS and bool(rest) and check_step(rest[0], page, values) is None

    def _wait(self, broken: Broken, turn: Turn) -> Decision | None:
        # What differed when the script ended before differs still.
        known = any((one.guard, one.seen) == (broken.guard, broken.seen) for one in self._handovers)
        limit = 0 if known else _OUTCOME_WAITS if broken.guard == "outcome" else 1
        if self._waited >= limit:
            self._hand_over(turn, broken)
            return None
        self._waited += 1
        seconds = _OUTCOME_S if broken.guard == "outcome" else _WAIT_S
        page = turn.observation
        shown = {element.name for element in page.elements} | {run.text for run in page.texts}
        text = broken.text
        if text and text not in shown:
            action = Wait(text=text, seconds=seconds)
        else:
            stays = next((element.name for element in page.elements if element.name), "")
            action = Wait(text=stays, gone=bool(stays), seconds=seconds)
        return Decision(
            thought=f"Not as before yet ({broken.guard}: {broken.expected[:80]}); I wait.",
            action=action,
        )

    def _complete(self, part: SubStepScript, turn: Turn) -> Decision:
        if turn.index + 1 == len(turn.task.procedure.substeps):
            return Decision(
                thought="The last sub-step is done, as before.",
                action=TaskComplete(),
                unplaced=part.unplaced,
            )
        return Decision(
            thought=f"Sub-step {turn.substep.number} is done, as before.",
            action=SubStepComplete(),
            unplaced=part.unplaced,
        )


def _action(step: Step, page: Observation, values: EpisodeValues) -> Action | None:
    """Return the step's action on this page; None if a value is unknown."""
    arguments: dict[str, Any] = {}
    for name, value in step.values.items():
        filled = values.fill(value) if isinstance(value, str) else value
        if filled is None:
            return None
        arguments[name] = filled
        if isinstance(value, str) and name in ("text", "option") and value == filled:
            values.say(value)
    if "url" in arguments:
        parts = urlsplit(page.url)
        arguments["url"] = f"{parts.scheme}://{parts.netloc}{arguments['url']}"
    if step.target is not None:
        element = resolve(page, step.target, values)
        assert element is not None, "its guards hold"
        arguments["id"] = element.mark
    return parse_action(json.dumps({"type": step.action, **arguments}))


def _in_words(step: Step, values: EpisodeValues) -> str:
    name = "" if step.target is None else step.target.label or step.target.name
    return (
        f"{step.action.replace('_', ' ')} “{values.fill(name) or name}”"
        if name
        else step.action.replace("_", " ")
    )


def report_data(policy: object) -> JsonObject:
    """Return the report of a policy, if it is a replay."""
    return policy.report.as_data() if isinstance(policy, ReplayPolicy) else {}
