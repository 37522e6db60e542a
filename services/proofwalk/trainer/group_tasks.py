"""Which tasks a step's groups walk, how groups are named, what is asked for, and what a
member earns. Pure; no torch.

Everything follows from the run's id, seed and step, so that a run that is resumed asks
for the same groups under the same names and is answered with what there is of them.
Next: `group_rollouts`.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Literal

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import CAUSES, EVIDENCE, FINDING_KINDS, OUTCOMES
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.outcomes import Evidence, Outcome, OutcomeKind
from proofwalk.kernel.reward import Credit, DocumentTruth, Excluded, Reward, Shaping, reward_of
from proofwalk.orders.contract import request_to_pb
from proofwalk.orders.verification import FindingBody, VerdictBody
from proofwalk.rl.advantages import deviation
from proofwalk.suites.counting.results import truth_of
from proofwalk.suites.counting.rows import row_of
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.orders import request_of
from proofwalk.trainer.configuration import RolloutsConfig

ID_CHARS = 60
"""What RunGroup takes."""
_DIGEST_CHARS = 10
_UNFIT = re.compile(r"[^A-Za-z0-9._-]")
Shaped = Literal["binary", "partial_credit", "tiers"]
_CREDIT: Mapping[Shaped, Credit] = {
    "binary": Credit.NONE,
    "partial_credit": Credit.PARTIAL,
    "tiers": Credit.TIERS,
}
_EVIDENCE_BEFORE = {OutcomeKind.VERIFIED: Evidence.AUDIT}
"""Of members that were kept before a member said what it rests on: tasks of suites have
rules."""
ScenarioOf = Callable[[Task], str]
"""The name under which the target's console knows a task's scenario; empty where it is
to be as it is."""


def no_scenario(task: Task) -> str:
    """Where nobody has registered scenarios: tasks for the console as it is. Raises
    `trainer.scenario_missing`."""
    if needs_scenario(task):
        raise ProofwalkError(
            "trainer.scenario_missing",
            f"the task {task.id} of {task.suite} is for a console in {_language(task)} or with a"
            " changed page, and no scenario is registered for it",
            status=Status.FAILED_PRECONDITION,
            hint="name tasks that walk the console as it is",
        )
    return ""


def needs_scenario(task: Task) -> bool:
    """Whether a task's console differs from the one that everybody sees."""
    return _language(task) != "en" or bool(task.scenario is not None and task.scenario.patches)


def _language(task: Task) -> str:
    return task.language if task.scenario is None else task.scenario.language


def named(
    suite: Suite, ids: Sequence[str], *, scenario_of: ScenarioOf = no_scenario
) -> dict[str, Task]:
    """The tasks with these ids, in their order; without ids all of the suite, but for
    those whose scenario nobody has registered.

    Raises `trainer.task_unknown`, `trainer.scenario_missing`, `trainer.no_tasks`.
    """
    found = {task.id: task for task in suite.tasks}
    unknown = [task_id for task_id in ids if task_id not in found]
    if unknown:
        raise invalid(
            "trainer.task_unknown",
            f"the suite {suite.id} has no task {unknown[0]!r}",
            hint="see its suite.yaml",
        )
    if ids:
        for task_id in ids:
            scenario_of(found[task_id])
        return {task_id: found[task_id] for task_id in ids}
    kept: dict[str, Task] = {}
    for task in suite.tasks:
        try:
            scenario_of(task)
        except ProofwalkError:
            continue
        kept[task.id] = task
    if not kept:
        raise invalid(
            "trainer.no_tasks", f"no task of the suite {suite.id} can be walked as its console is"
        )
    return kept


def drawn(tasks: Sequence[str], *, per_step: int, seed: int, step: int) -> tuple[str, ...]:
    """The tasks of a step: the next ones of an endless row of orders, each a
    permutation by seed, so that none comes again before all had their turn.

    Where a step takes from two orders, what the first gave it is passed over in the
    second until the next step. Raises `trainer.too_few_tasks`.
    """
    _enough(tasks, per_step)
    left: list[str] = []
    chosen: list[str] = []
    order = 0
    for _ in range(step + 1):
        chosen = []
        while len(chosen) < per_step:
            if not left:
                left = list(tasks)
                Random(f"{seed}/tasks/{order}").shuffle(left)  # noqa: S311  # an order of data, not a secret
                order += 1
            chosen.append(left.pop(next(at for at, task in enumerate(left) if task not in chosen)))
    return tuple(chosen)


def informative(successes: float, failures: float, group: int) -> float:
    """The chance that a group of this size has successes and failures, of a task with
    these so far: E[1 - p^G - (1 - p)^G] for p from Beta(1 + successes, 1 + failures). A
    group of which all end alike moves nothing (§5.2)."""
    a, b = 1 + successes, 1 + failures

    def alike(side: float) -> float:
        # B(side + G, other) / B(side, other)
        return math.exp(
            math.lgamma(side + group)
            - math.lgamma(side)
            + math.lgamma(a + b)
            - math.lgamma(a + b + group)
        )

    return 1 - alike(a) - alike(b)


def as_outcomes(rewards: Sequence[float]) -> tuple[float, float]:
    """As many successes and failures as rewards in 0 to 1 vary like: p(1 - p) = σ², the
    rarer first. Where all earn one half, nothing is told."""
    variance = deviation(rewards) ** 2
    rarer = len(rewards) * (1 - math.sqrt(max(1 - 4 * variance, 0.0))) / 2
    return rarer, len(rewards) - rarer


def promising(
    tasks: Sequence[str],
    told: Mapping[str, tuple[float, float]],
    *,
    group: int,
    per_step: int,
    seed: int,
    step: int,
) -> tuple[str, ...]:
    """The tasks of a step, drawn without repetition in proportion to how likely their
    groups are to tell something, by what is known of each: (successes, failures), as
    `as_outcomes` tells them. One that nothing is known of is among the likely ones.
    Raises `trainer.too_few_tasks`.

    Weighted sampling by keys u^(1/w), the largest of them (Efraimidis and Spirakis,
    2006).
    """
    _enough(tasks, per_step)
    random = Random(f"{seed}/tasks/{step}")  # noqa: S311  # an order of data, not a secret
    keys = {
        task: random.random() ** (1 / informative(*told.get(task, (0, 0)), group)) for task in tasks
    }
    return tuple(sorted(tasks, key=keys.__getitem__, reverse=True)[:per_step])


def _enough(tasks: Sequence[str], per_step: int) -> None:
    if per_step > len(tasks):
        raise invalid(
            "trainer.too_few_tasks",
            f"{per_step} tasks a step are asked for, and there are {len(tasks)}",
            hint="lower tasks_per_step",
        )


def group_id(run_id: str, part: str, task: str) -> str:
    """`<run_id>.<part>.<task>`; one that is too long, or has letters that no id may
    have, is cut and ends in a digest of the whole."""
    whole = f"{run_id}.{part}.{task}"
    clean = _UNFIT.sub("-", whole).lstrip(".")
    if clean == whole and len(whole) <= ID_CHARS:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST_CHARS]
    return f"{clean[: ID_CHARS - _DIGEST_CHARS - 1]}-{digest}"


def part_of(step: int) -> str:
    """The file of `group_store` that keeps the episodes of a step's groups."""
    return f"{step:08d}"


def group_of(run_id: str, step: int, task: str) -> str:
    """The name of a task's group at a step."""
    return group_id(run_id, str(step), task)


def streamed_part(number: int, *, per_step: int) -> str:
    """The file that keeps the episodes of a group that has a number instead."""
    return part_of(number // per_step)


def streamed_group(run_id: str, number: int, task: str) -> str:
    """The name of such a group."""
    return group_id(run_id, f"g{number}", task)


def tasks_of_groups(
    config: RolloutsConfig, *, run_id: str, part: str, tasks: Iterable[str]
) -> dict[str, str]:
    """The task of each group that a file of a run may keep."""
    step = int(part)
    if not config.streamed:
        return {group_of(run_id, step, task): task for task in tasks}
    numbers = range(step * config.tasks_per_step, (step + 1) * config.tasks_per_step)
    names = list(tasks)
    return {streamed_group(run_id, number, task): task for number in numbers for task in names}


def asked(
    task: Task, *, target: str, policy: str, scenario: str, principal: str
) -> pb.CreateVerificationRequest:
    """What each member of a task's group walks."""
    asked = request_to_pb(request_of(task, target=target, policy=policy, scenario=scenario))
    asked.principal = principal
    return asked


def reward_of_member(
    task: Task, member: pb.GroupMember, *, shaped: Shaped = "binary"
) -> Reward | Excluded:
    """What a member earned (`kernel.reward`); the suite knows what is wrong with its
    documents. Raises `trainer.outcome_unknown`."""
    try:
        kind = OUTCOMES.require(member.outcome)
        evidence = EVIDENCE.from_pb(member.evidence) or _EVIDENCE_BEFORE.get(kind, Evidence.NONE)
        Outcome(kind=kind, reason=member.reason, cause=CAUSES.from_pb(member.cause))
    except (ProofwalkError, ValueError) as error:
        raise invalid(
            "trainer.outcome_unknown",
            f"it is not known how {member.verification_id} ended: {error}",
            hint="compare the versions of the roles",
        ) from error
    shaping = Shaping(
        credit=_CREDIT[shaped],
        met=member.met,
        missing=member.missing,
        forbidden=member.forbidden,
        completed=member.completed,
    )
    return reward_of(kind, evidence, _truth(task, kind, member), shaping)


def _truth(task: Task, kind: OutcomeKind, member: pb.GroupMember) -> DocumentTruth:
    finding = member.finding
    told: FindingBody = {
        "kind": FINDING_KINDS.from_pb(finding.kind) or "",
        "line": finding.line,
        "sentence": finding.sentence,
    }
    verdict: VerdictBody = {
        "outcome": kind.value,
        "finding": told if member.HasField("finding") else None,
    }
    return truth_of(
        row_of(task, run=0, policy="", verification={"verdict": verdict}, retried=0), task
    )
