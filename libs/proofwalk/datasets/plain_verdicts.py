"""Verdicts that a step gets by itself, whatever the steps around it do."""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.agent.page.page_fields import FIELD_ROLES
from proofwalk.agent.policies.replay.pruning import (
    print_of,
)
from proofwalk.console import actions as a
from proofwalk.console.observation import Observation, State
from proofwalk.datasets.step_pages import SETTING, page_after, stood
from proofwalk.datasets.verdicts import KEPT, StepRule, Verdict
from proofwalk.trajectories.records import StepRecord


def plain_verdict(
    steps: Sequence[StepRecord], actions: Sequence[a.Action | None], at: int
) -> Verdict:
    step, action = steps[at], actions[at]
    if action is None:
        return Verdict(rule=StepRule.UNREADABLE, why=step.result)
    if step.observation is None:
        return Verdict(rule=StepRule.UNSEEN, why="the page was not recorded")
    if isinstance(action, a.CallApi):
        return Verdict(rule=StepRule.CALL, why=f"it called {action.name}")
    if isinstance(action, a.Wait) and not step.ok:
        again = (
            next(
                (
                    actions[one]
                    for one in range(at - 1, -1, -1)
                    if _counts(steps[one], actions[one])
                ),
                None,
            )
            == action
        )
        if again:
            return Verdict(rule=StepRule.INEFFECTIVE, why="it waited again for what did not come")
        after = _after_waiting(steps, actions, at)
        in_vain = after is not None and _looks(step.observation, action) == _looks(after, action)
        return (
            Verdict(rule=StepRule.INEFFECTIVE, why="it waited, and went on with the page as it was")
            if in_vain
            else KEPT
        )
    if not step.ok:
        return Verdict(rule=StepRule.FAILED, why=step.result)
    after = page_after(steps, at)
    if after is None or _tells(action) or _looks(step.observation, action) != _looks(after, action):
        return KEPT
    if isinstance(action, SETTING):
        return (
            Verdict(rule=StepRule.INEFFECTIVE, why="the field stood at that")
            if stood(step.observation, action)
            else KEPT
        )
    return Verdict(rule=StepRule.INEFFECTIVE, why="the page is as it was")


def _counts(step: StepRecord, action: a.Action | None) -> bool:
    """Whether a step was carried out; a wait is, whatever came of it."""
    return action is not None and (step.ok or isinstance(action, a.Wait))


def _after_waiting(
    steps: Sequence[StepRecord], actions: Sequence[a.Action | None], at: int
) -> Observation | None:
    """What the first step that is carried out after this wait and those that follow it
    looks at."""
    later = (
        one
        for one in range(at + 1, len(steps))
        if _counts(steps[one], actions[one]) and not isinstance(actions[one], a.Wait)
    )
    return next((steps[one].observation for one in later), None)


def _tells(action: a.Action) -> bool:
    """Whether an action is worth something although the page stays as it is."""
    if isinstance(action, a.SubStepComplete | a.TaskComplete | a.TaskUnachievable | a.Provision):
        return True
    return isinstance(
        action,
        a.Note | a.ListOptions | a.Extract | a.AnswerDialog | a.KeyDown | a.KeyUp | a.MouseDown,
    )


def _looks(page: Observation, action: a.Action) -> tuple[object, ...]:
    """Everything that an action may have changed. Where the focus is counts for what is
    meant to move it."""
    mark = getattr(action, "id", None)
    target = page.element(mark) if isinstance(mark, int) else None
    focusing = isinstance(action, a.Focus | a.Press | a.ClickAt) or (
        target is not None and target.role in FIELD_ROLES
    )
    focused = (
        tuple(one.identity for one in page.elements if State.FOCUSED in one.states)
        if focusing
        else ()
    )
    texts = tuple(run.text for run in page.texts)
    tabs = tuple((tab.url, tab.active) for tab in page.tabs)
    hints = tuple(one.hint for one in page.elements)
    return (
        print_of(page),
        texts,
        hints,
        page.alerts,
        page.browser_dialog,
        page.quiet,
        page.scroll,
        tabs,
        focused,
    )
