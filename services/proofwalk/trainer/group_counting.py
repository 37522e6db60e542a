"""What an episode counts for, and what of it is learned.

Its typed outcome and evidence say what it earned (`group_tasks.reward_of_member`). What
cannot be learned from although its outcome counts (late, no trajectory, other weights;
`group_trajectories.Trouble`) is left out as an environment failure is, and counted; it
is never a reward of 0.

Where answers have a form (a JSON schema), the engine samples among the tokens that the
form leaves. Such a token's log-probability under the model alone, which is what
training differentiates, says little of why it was written: where the form leaves one,
it was written with certainty, however unlikely the model found it, and there is nothing
to learn. With the form's mask m, π_m(a) = π(a)/Z, Z = Σ_allowed π: where Z is next to 1
both have the same gradient. Elsewhere a token is not learned; its ratio between two
policies would also be anything at all, for neither chose it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proofwalk.chassis.rpc.vocabulary import CAUSES, OUTCOMES
from proofwalk.kernel.errors import conflict, unavailable
from proofwalk.kernel.reward import value_of
from proofwalk.rl.images import Eyes, decoded, with_expanded
from proofwalk.rl.rollouts import Rollout, version_of
from proofwalk.rl.samples import Sample
from proofwalk.suites.model import Task
from proofwalk.trainer.group_store import Kept
from proofwalk.trainer.group_tasks import Shaped, reward_of_member
from proofwalk.trainer.group_trajectories import Attempt, Trouble, images_unsupported, own

_UNSERVED = (Trouble.FOREIGN, Trouble.UNASKED, Trouble.NO_TOKENS)


@dataclass(frozen=True, kw_only=True)
class Told:
    """How a run's episodes are learned."""

    temperature: float
    forced: bool
    """Also tokens that the form decided."""
    reward: Shaped = "binary"
    """What a failure earns."""
    eyes: Eyes | None = None
    """How the model looks at pictures; None: it reads text alone."""


def counted(
    episode: str, task: Task, kept: Kept | None, *, told: Told, step: int, tally: Counter[str]
) -> Rollout:
    """An episode as GRPO has it at an update; one that is left out is counted in
    `tally`, by `Trouble` or by outcome and cause."""
    trouble = Trouble.LATE if kept is None else kept.trouble
    reward = (
        None if kept is None else value_of(reward_of_member(task, kept.member, shaped=told.reward))
    )
    if kept is not None and reward is None:
        words = (OUTCOMES.from_pb(kept.member.outcome), CAUSES.from_pb(kept.member.cause))
        tally[":".join(filter(None, words))] += 1
        return Rollout(episode=episode, reward=None, samples=())
    samples: tuple[Sample, ...] = ()
    if kept is not None and trouble is None:
        if any(one.step > step for one in kept.attempts):
            trouble = Trouble.AHEAD
        elif not (samples := samples_of(kept.attempts, episode=episode, told=told)):
            trouble = Trouble.CONSTRAINED
    attempts = kept.attempts if kept is not None else ()
    if trouble is not None:
        tally[trouble.value] += 1
        return Rollout(episode=episode, reward=None, samples=(), steps=len(attempts))
    return Rollout(
        episode=episode,
        reward=reward,
        samples=samples,
        steps=len(attempts),
        malformed=sum(not one.usable for one in attempts),
    )


def samples_of(attempts: Sequence[Attempt], *, episode: str, told: Told) -> tuple[Sample, ...]:
    """The answers that have something to learn. Raises `trainer.images_unsupported`,
    `rl.images_unfit`, what `told.eyes.read` raises."""
    found: list[Sample] = []
    for one in attempts:
        mask = () if told.forced else own(one)
        if len(mask) and not any(mask):
            continue
        sample = Sample(
            prompt=one.prompt,
            completion=one.completion,
            mask=mask,
            # The engine tells raw log-probabilities, those at temperature 1; at another
            # one the policy before the update says what they were.
            old_logprobs=one.logprobs if told.temperature == 1.0 else (),
            policy_version=version_of(one.step),
            episode=episode,
        )
        found.append(sample if not one.images else _seeing(sample, one.images, told.eyes))
    return tuple(found)


def _seeing(sample: Sample, addresses: Sequence[str], eyes: Eyes | None) -> Sample:
    if eyes is None:
        raise images_unsupported()
    images = [decoded(eyes.read(address)) for address in addresses]
    return with_expanded(sample, images, eyes.processor, image_token=eyes.image_token)


def complain(tally: Mapping[str, int], *, total: int, deadline_s: float) -> None:
    """When nothing counted. Raises `trainer.rollouts_late`,
    `trainer.policy_not_served`, `trainer.nothing_chosen`."""
    if tally.get(Trouble.LATE, 0) == total:
        raise unavailable(
            "trainer.rollouts_late",
            f"none of {total} episodes was finished within {deadline_s:g} s",
            hint="raise rollouts.deadline_s, or see what the rollout role is waiting for",
        )
    if any(tally.get(trouble) for trouble in _UNSERVED):
        said = ", ".join(f"{name} {count}" for name, count in sorted(tally.items()))
        raise conflict(
            "trainer.policy_not_served",
            f"no episode was acted by weights that this run has published ({said})",
            hint=(
                "the policy must ask the inference role: PROOFWALK_ROLLOUT__MODEL__VIA=inference,"
                " and rollouts.policy: llm"
            ),
        )
    if tally.get(Trouble.CONSTRAINED):
        raise conflict(
            "trainer.nothing_chosen",
            "the answers' form decided every token of every episode, so there is nothing to learn"
            " from",
            hint=(
                "begin with SFT on answers of this form, or set rollouts.grammar_forced_tokens to"
                " train"
            ),
        )
