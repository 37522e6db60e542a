"""What of an episode is worth learning: the two-level filter of AliyunConsoleAgent
§5.1, each drop by a named rule. Pure.

Task level (`episode_rule`): faithful documents whose episode was verified, and reported
inconsistencies that are true: the suite planted a defect and the report names its
sentence. Step level (`step_rules`): answers that could not be read, actions that
failed, steps that changed nothing and read nothing, looks that brought nothing up, and
`detours`. What rules cannot tell may be left to a `StepJudge` (`opinions`).

A page does not show everything: not what a password field holds, and not what every
list stands at. A value that was set and is not seen counts as set, unless its field
showed that value before; so does a choice from an opened list, with the step that
opened it. Waiting in vain is learned once; waiting again for what did not come is not.

Invariants: every dropped step names its rule; a step that ends a sub-step, asks for
resources or answers an interruption is no detour; a step that failed changes nothing
about the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from proofwalk.datasets.collection import Episode
from proofwalk.datasets.detours import left_a_trace, roundabout, unseen_steps, waits_inside_detours
from proofwalk.datasets.plain_verdicts import plain_verdict
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.verdicts import EpisodeRule, Verdict
from proofwalk.kernel.outcomes import OutcomeKind
from proofwalk.kernel.reward import Excluded, Reward
from proofwalk.suites.counting.results import truth_of
from proofwalk.trajectories.records import StepRecord


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


def step_rules(
    steps: Sequence[StepRecord], *, writes: Sequence[datetime] | None = None
) -> list[Verdict]:
    """One verdict for each step of a walk. `writes`: when the audit log shows writes;
    None when it was not read."""
    actions = [action_of(step) for step in steps]
    verdicts = [plain_verdict(steps, actions, at) for at in range(len(steps))]
    unseen = unseen_steps(steps, actions)
    for at, verdict in roundabout(steps, actions).items():
        if verdicts[at].rule is None and at not in unseen and not left_a_trace(steps, at, writes):
            verdicts[at] = verdict
    return waits_inside_detours(steps, actions, verdicts)
