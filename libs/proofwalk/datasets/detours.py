"""Detours: a page state that was returned to by steps that left no trace.

What a detour is says `agent.policies.replay.pruning`, which compiles walks by the same
judgement; a step in whose time the audit log shows a write is never one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.page import interruptions
from proofwalk.agent.page.grounding import OPTION_ROLES
from proofwalk.agent.policies.replay.pruning import (
    StepWithPages,
    is_control,
    print_of,
    worth_keeping,
)
from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.datasets.step_pages import SETTING, page_after, stood
from proofwalk.datasets.verdicts import StepRule, Verdict
from proofwalk.trajectories.records import StepRecord


def roundabout(
    steps: Sequence[StepRecord], actions: Sequence[a.Action | None]
) -> dict[int, Verdict]:
    """Steps that `pruning` finds not worth doing again, but for those that are worth
    learning all the same."""
    verdicts: dict[int, Verdict] = {}
    history: list[PastStep] = []
    candidates: list[tuple[int, StepWithPages]] = []
    earlier: list[PastStep] = []
    index = -1
    for at, (step, action) in enumerate(zip(steps, actions, strict=True)):
        if step.substep_index != index:
            verdicts |= _dropped(candidates, earlier)
            candidates, earlier, index = [], list(history), step.substep_index
        after = page_after(steps, at)
        if action is None or step.observation is None:
            continue
        past = PastStep(
            substep=step.substep,
            thought=step.thought,
            action=action,
            result=step.result,
            ok=step.ok,
        )
        answered = interruptions.answer(step.observation, history)
        learned = is_control(action) or (answered is not None and answered.action == action)
        if after is not None and step.ok and not learned and not _pauses(action, step.observation):
            candidates.append((at, StepWithPages(before=step.observation, past=past, after=after)))
        history.append(past)
    return verdicts | _dropped(candidates, earlier)


def _pauses(action: a.Action | None, page: Observation | None) -> bool:
    """Whether an action waits, or loads the page that is on show."""
    return isinstance(action, a.Wait) or (
        isinstance(action, a.GoTo) and page is not None and action.url == page.url
    )


def _dropped(
    candidates: Sequence[tuple[int, StepWithPages]], history: Sequence[PastStep]
) -> dict[int, Verdict]:
    kept = {id(one) for one in worth_keeping([one for _, one in candidates], history)}
    verdicts = {}
    for at, one in candidates:
        if id(one) not in kept:
            look = isinstance(one.past.action, a.Scroll | a.Hover)
            rule = StepRule.VAIN_LOOK if look else StepRule.DETOUR
            why = (
                "what came next was on show before"
                if look
                else "the page was returned to without a trace"
            )
            verdicts[at] = Verdict(rule=rule, why=why)
    return verdicts


def unseen_steps(steps: Sequence[StepRecord], actions: Sequence[a.Action | None]) -> set[int]:
    """Steps that set something which the page does not show, and those that opened the
    lists which they chose from."""
    positions: set[int] = set()
    for at, (step, action) in enumerate(zip(steps, actions, strict=True)):
        before, after = step.observation, page_after(steps, at)
        if not step.ok or before is None or after is None:
            continue
        if (
            isinstance(action, SETTING)
            and print_of(before) == print_of(after)
            and not stood(before, action)
        ):
            positions.add(at)
        option = before.element(action.id) if isinstance(action, a.Click) else None
        if (
            option is None
            or option.role not in OPTION_ROLES
            or any(one.identity == option.identity for one in after.elements)
        ):
            continue
        opener = next(
            (one for one in range(at - 1, -1, -1) if not _shows(steps[one], option.identity)), None
        )
        page = steps[opener].observation if opener is not None else None
        if opener is not None and page is not None and print_of(page) == print_of(after):
            positions |= {opener, at}
    return positions


def _shows(step: StepRecord, identity: str) -> bool:
    return step.observation is not None and any(
        one.identity == identity for one in step.observation.elements
    )


def left_a_trace(steps: Sequence[StepRecord], at: int, writes: Sequence[datetime] | None) -> bool:
    """Whether the log shows a write between the step's look and the next one."""
    end = steps[at + 1].started_at if at + 1 < len(steps) else None
    return any(
        steps[at].started_at <= moment and (end is None or moment < end) for moment in writes or ()
    )


def waits_inside_detours(
    steps: Sequence[StepRecord], actions: Sequence[a.Action | None], verdicts: list[Verdict]
) -> list[Verdict]:
    """A wait, or a page loaded again, between two steps of a detour belongs to it."""
    told = [at for at, action in enumerate(actions) if not _pauses(action, steps[at].observation)]
    for at in range(len(steps)):
        if verdicts[at].rule is not None or at in told:
            continue
        before = next((one for one in reversed(told) if one < at), None)
        behind = next((one for one in told if one > at), None)
        around = [one for one in (before, behind) if one is not None]
        same = all(steps[one].substep_index == steps[at].substep_index for one in around)
        if (
            len(around) == 2
            and same
            and all(verdicts[one].rule is StepRule.DETOUR for one in around)
        ):
            verdicts[at] = Verdict(rule=StepRule.DETOUR, why="it waited inside of a detour")
    return verdicts
