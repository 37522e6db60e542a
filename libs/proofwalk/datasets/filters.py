"""What of an episode is worth learning: the two-level filter of AliyunConsoleAgent
§5.1, each drop by a named rule. Pure.

Task level (`episode_rule`): faithful documents whose episode was verified, and reported
inconsistencies that are true: the suite planted a defect and the report names its
sentence. Step level (`step_rules`): answers that could not be read, actions that
failed, steps that changed nothing and read nothing, looks that brought nothing up, and
detours: a page state that was returned to by steps that left no trace. What a detour is
says `agent.policies.replay.pruning`, which compiles walks by the same judgement; a step
in whose time the audit log shows a write is never one. What rules cannot tell may be
left to a `StepJudge`.

A page does not show everything: not what a password field holds, and not what every
list stands at. A value that was set and is not seen counts as set, unless its field
showed that value before; so does a choice from an opened list, with the step that
opened it. Waiting in vain is learned once; waiting again for what did not come is not.

Invariants: every dropped step names its rule; a step that ends a sub-step, asks for
resources or answers an interruption is no detour; a step that failed changes nothing
about the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from proofwalk.agent.core.policy import PastStep
from proofwalk.agent.page import interruptions
from proofwalk.agent.page.grounding import FIELD_ROLES, OPTION_ROLES
from proofwalk.agent.policies.replay.pruning import (
    StepWithPages,
    is_control,
    print_of,
    worth_keeping,
)
from proofwalk.console import actions as a
from proofwalk.console.observation import Observation, State
from proofwalk.datasets.collection import Episode
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.kernel.reward import Excluded, Reward
from proofwalk.suites.counting.results import truth_of
from proofwalk.trajectories.records import StepRecord


class EpisodeRule(StrEnum):
    """Why an episode gives no sample."""

    UNTOLD = "untold"
    """It says nothing about the policy: the environment failed, the judges disagreed,
    it was cancelled or refused."""
    AGENT_FAILURE = "agent_failure"
    FALSE_REPORT = "false_report"
    """It blames a document in which nothing is wrong."""
    WRONG_SENTENCE = "wrong_sentence"
    """The document is wrong, but not where or not in the way that it says."""
    MISSED_DEFECT = "missed_defect"
    """It was verified although something is wrong in the document: the teacher passed
    over it."""
    BROKEN_OFF = "broken_off"
    """The recording is not whole."""
    UNPREPARED = "unprepared"
    """What the document's phrases stood for is not known, so that what a policy was
    told cannot be rebuilt."""


class StepRule(StrEnum):
    """Why a step of a kept episode gives no sample."""

    UNREADABLE = "unreadable"
    """The answer could not be read."""
    UNSEEN = "unseen"
    """The recording does not hold the page."""
    FAILED = "failed"
    INEFFECTIVE = "ineffective"
    """Nothing changed and nothing was read."""
    VAIN_LOOK = "vain_look"
    """It scrolled or pointed, and what the next step acts on was there before."""
    DETOUR = "detour"
    """It led to where the walk had been, without a trace."""
    UNFOUNDED = "unfounded"
    """It gives up with a finding that the document does not bear out, or with none."""
    JUDGED = "judged"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What becomes of a step; `rule` is None for one that is kept."""

    rule: StepRule | None = None
    why: str = ""


KEPT = Verdict()
_SETTING = (
    *(
        a.Type,
        a.TypeFocused,
        a.Clear,
        a.Select,
        a.SetDate,
        a.SetChecked,
        a.SetSlider,
        a.Upload,
        a.ConfirmTyped,
    ),
)


def episode_rule(episode: Episode) -> EpisodeRule | None:
    """The rule that drops the whole episode; None when it is kept. The outcome is the
    typed one of its result, never the agent's claim."""
    row, task = episode.notes.row, episode.task
    match row.reward(truth_of(row, task)):
        case Excluded():
            return EpisodeRule.UNTOLD
        case Reward(value=value) if value < 1.0:
            if row.outcome == OutcomeKind.AGENT_FAILURE:
                return EpisodeRule.AGENT_FAILURE
            if row.passed:
                return EpisodeRule.MISSED_DEFECT
            return EpisodeRule.FALSE_REPORT if task.expected is None else EpisodeRule.WRONG_SENTENCE
    if not episode.ending.complete or not episode.steps:
        return EpisodeRule.BROKEN_OFF
    return EpisodeRule.UNPREPARED if episode.notes.binds is None else None


def action_of(step: StepRecord) -> a.Action | None:
    """The step's action; None when the policy's answer could not be read."""
    try:
        return a.parse_action(step.action)
    except ProofwalkError:
        return None


def step_rules(
    steps: Sequence[StepRecord], *, writes: Sequence[datetime] | None = None
) -> list[Verdict]:
    """One verdict for each step of a walk. `writes`: when the audit log shows writes;
    None when it was not read."""
    actions = [action_of(step) for step in steps]
    verdicts = [_plain_verdict(steps, actions, at) for at in range(len(steps))]
    unseen = _unseen(steps, actions)
    for at, verdict in _roundabout(steps, actions).items():
        if verdicts[at].rule is None and at not in unseen and not _left_a_trace(steps, at, writes):
            verdicts[at] = verdict
    return _waits_inside_detours(steps, actions, verdicts)


def _plain_verdict(
    steps: Sequence[StepRecord], actions: Sequence[a.Action | None], at: int
) -> Verdict:
    step, action = steps[at], actions[at]
    if action is None:
        return Verdict(rule=StepRule.UNREADABLE, why=step.result)
    if step.observation is None:
        return Verdict(rule=StepRule.UNSEEN, why="the page was not recorded")
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
    after = _after(steps, at)
    if after is None or _tells(action) or _looks(step.observation, action) != _looks(after, action):
        return KEPT
    if isinstance(action, _SETTING):
        return (
            Verdict(rule=StepRule.INEFFECTIVE, why="the field stood at that")
            if _stood(step.observation, action)
            else KEPT
        )
    return Verdict(rule=StepRule.INEFFECTIVE, why="the page is as it was")


def _counts(step: StepRecord, action: a.Action | None) -> bool:
    """Whether a step was carried out; a wait is, whatever came of it."""
    return action is not None and (step.ok or isinstance(action, a.Wait))


def _stood(page: Observation, action: a.Action) -> bool:
    """Whether the field was seen to have the value already."""
    mark = getattr(action, "id", None)
    element = page.element(mark) if isinstance(mark, int) else None
    if element is None:
        return False
    match action:
        case a.Type(text=text) | a.Select(option=text):
            return bool(text) and element.value == text
        case a.SetChecked(checked=checked):
            return (State.CHECKED in element.states) == checked
        case a.Clear():
            return not element.value and element.input_type != "password"
    return False


def _after(steps: Sequence[StepRecord], at: int) -> Observation | None:
    return steps[at + 1].observation if at + 1 < len(steps) else None


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


def _roundabout(
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
        after = _after(steps, at)
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


def _unseen(steps: Sequence[StepRecord], actions: Sequence[a.Action | None]) -> set[int]:
    """Steps that set something which the page does not show, and those that opened the
    lists which they chose from."""
    positions: set[int] = set()
    for at, (step, action) in enumerate(zip(steps, actions, strict=True)):
        before, after = step.observation, _after(steps, at)
        if not step.ok or before is None or after is None:
            continue
        if (
            isinstance(action, _SETTING)
            and print_of(before) == print_of(after)
            and not _stood(before, action)
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


def _left_a_trace(steps: Sequence[StepRecord], at: int, writes: Sequence[datetime] | None) -> bool:
    """Whether the log shows a write between the step's look and the next one."""
    end = steps[at + 1].started_at if at + 1 < len(steps) else None
    return any(
        steps[at].started_at <= moment and (end is None or moment < end) for moment in writes or ()
    )


def _waits_inside_detours(
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


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What a judge makes of a step."""

    useful: bool
    why: str = ""


class StepJudge(Protocol):
    """Tells whether a step brought the walk forward (§5.1: an LLM-based evaluation of
    steps)."""

    async def judge(self, episode: Episode, at: int) -> Opinion:
        """About the step at this position. Raises `ProofwalkError` when it cannot be
        asked: that is no opinion, and drops nothing."""
        ...


def judgeable(episode: Episode, verdicts: Sequence[Verdict]) -> list[int]:
    """Positions of the steps that a judge is asked about: those that no rule has
    dropped, but for what only steers the walk."""
    actions = [action_of(step) for step in episode.steps]
    return [
        at
        for at, action in enumerate(actions)
        if verdicts[at].rule is None
        and action is not None
        and not is_control(action)
        and not isinstance(action, a.TaskUnachievable)
    ]


async def with_judge(
    episode: Episode, verdicts: Sequence[Verdict], judge: StepJudge
) -> list[Verdict]:
    """The verdicts with the judge's word on the steps that it is asked about."""
    return with_opinions(
        verdicts, {at: await judge.judge(episode, at) for at in judgeable(episode, verdicts)}
    )


def with_opinions(verdicts: Sequence[Verdict], opinions: Mapping[int, Opinion]) -> list[Verdict]:
    """The verdicts with opinions by position: what was found useless is dropped."""
    return [
        (
            Verdict(rule=StepRule.JUDGED, why=opinions[at].why)
            if at in opinions and not opinions[at].useful
            else verdict
        )
        for at, verdict in enumerate(verdicts)
    ]
