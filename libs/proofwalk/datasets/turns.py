"""What the policy of an episode was shown at each step, rebuilt from the recording.

A `Turn` is what `agent.core.walk` makes for its policy: task, sub-step, page, history,
the steps that are left, reports. All of it follows from the recording and the
collection's notes, the history in full: steps that `filters` drops were seen too. Two
things are put as inference has them and not as the teacher had them: the steps that are
left are those of the policy `llm` (an oracle's budget is larger), and a thought that
speaks of a script, or that a model has written anew, is replaced (`thoughts`). Choices
that were on offer are read back from the result's words, which name twelve at most.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from proofwalk.agent.choosing import budget_of
from proofwalk.agent.core.policy import PastStep, Task, Turn
from proofwalk.console import actions as a
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.thoughts import ThoughtBy, thought_of
from proofwalk.kernel.needs import Report
from proofwalk.trajectories.records import StepRecord

_OFFERED = re.compile(r'(?:; on offer: | offers )(?P<names>"[^"]*"(?:, "[^"]*")*)')


@dataclass(frozen=True, kw_only=True)
class Played:
    """A step with the turn that it answered."""

    at: int
    """Position among the episode's steps, from 0."""
    step: StepRecord
    action: a.Action
    thought: str
    thought_by: ThoughtBy
    turn: Turn


def turns_of(episode: Episode, *, pictures: bool = False) -> list[Played]:
    """Every step whose action could be read and whose page was recorded, in order.
    `pictures` puts screenshots into the pages.

    Needs to know what the document's phrases stood for
    (`verdicts.EpisodeRule.UNPREPARED`); without, nothing was prepared.
    """
    task = Task(
        procedure=episode.procedure,
        console=episode.notes.console,
        binds=episode.notes.binds or {},
        resources=episode.about.resources,
    )
    bound = budget_of("llm").steps_per_substep
    played: list[Played] = []
    history: list[PastStep] = []
    reports: list[Report] = []
    index, used = -1, 0
    for at, step in enumerate(episode.steps):
        used = 0 if step.substep_index != index else used + 1
        index = step.substep_index
        action = action_of(step)
        if action is None:
            continue
        last = index + 1 == len(episode.procedure.substeps)
        policy, hindsight = episode.notes.row.policy, episode.thoughts.get(at, "")
        thought, by = thought_of(step, action, policy=policy, last=last, hindsight=hindsight)
        if step.observation is not None:
            page = step.observation
            if pictures:
                raw = episode.image(step.raw_screenshot)
                page = replace(page, screenshot=episode.image(step.screenshot), raw_screenshot=raw)
            turn = Turn(
                task=task,
                substep=episode.procedure.substeps[index],
                index=index,
                observation=page,
                history=tuple(history),
                steps_left=max(1, bound - used),
                reports=tuple(reports),
            )
            played.append(
                Played(at=at, step=step, action=action, thought=thought, thought_by=by, turn=turn)
            )
        history.append(
            PastStep(
                substep=step.substep,
                thought=thought,
                action=action,
                result=step.result,
                ok=step.ok,
                options=_options(step.result),
            )
        )
        if isinstance(action, a.Provision) and step.ok:
            reports.append(Report(text=step.result))
    return played


def _options(result: str) -> tuple[str, ...]:
    """What a result names as being on offer."""
    found = _OFFERED.search(result)
    return tuple(re.findall(r'"([^"]*)"', found["names"])) if found else ()
