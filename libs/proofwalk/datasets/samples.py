"""From an episode to chat samples: one for each step that is kept (AliyunConsoleAgent
§5.1: single-step samples).

A sample's `messages` are the question as inference asks it.
`agent.policies.llm.context.Conversation` itself builds them, over the whole history of
the walk, dropped steps included: what was seen at step n is what a policy at step n
sees. `answer` is what is to be learned, and nothing else is: a thought and one action
in the form that `agent.policies.llm.answers` reads. Every answer is read back before it
leaves, and must give its action.

The fence's code, random at inference, follows from the episode's id: the same
collection gives the same samples. At inference the estimate of a question's length is
corrected by what the endpoint counted; here it is not, so that close to the bound of
`context_tokens` a question may be laid out with a little more or less. Settings whose
layout is `compact` ask as `agent.policies.llm.compact` does, and there the end of the
last sub-step is said as that of any other: a walk ends with either.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import cast

from proofwalk.agent.policies.literal.policy import LAST_DONE, done
from proofwalk.agent.policies.llm import findings
from proofwalk.agent.policies.llm.answers import (
    ClaimedFinding,
    describe_actions,
    json_answer,
    read_answer,
)
from proofwalk.agent.policies.llm.compact import CompactConversation, Counter, restated
from proofwalk.agent.policies.llm.context import Conversation
from proofwalk.console import actions as a
from proofwalk.datasets.chat_samples import ChatMessage, ChatSample
from proofwalk.datasets.collection import Episode
from proofwalk.datasets.filters import episode_rule, step_rules
from proofwalk.datasets.step_actions import gave_up
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.datasets.verdicts import EpisodeRule, StepRule, Verdict
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.kernel.json_values import JsonObject
from proofwalk.kernel.outcomes import LaterKind
from proofwalk.models.client import AnswerForm, Message
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator


class Refusals(StrEnum):
    """What is learned of a walk that gave up rightly."""

    WALKS = "walks"
    ENDS = "ends"
    """Its last step alone: EvoCUA §5.2's rule for infeasible tasks."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How samples are laid out. The settings are those that the trained model will be
    asked with."""

    settings: ModelSettings = field(
        default_factory=lambda: ModelSettings(vision=False, batches=False)
    )
    form: AnswerForm = AnswerForm.SCHEMA
    refusals: Refusals = Refusals.WALKS
    wordings: int = 0
    """Other wordings of each document that are asked too; `rewording.episodes` makes
    them."""
    counter: Callable[[], Counter] | None = None
    """Counts tokens, one for each episode; by default they are estimated from
    characters, as at inference."""

    @property
    def room(self) -> int:
        """Tokens of a question at most."""
        return self.settings.context_tokens - self.settings.max_tokens


@dataclass(frozen=True, kw_only=True)
class EpisodeSamples:
    """What became of one episode."""

    episode: Episode
    rule: EpisodeRule | None
    """Why it gives no samples at all; None when it is kept."""
    verdicts: tuple[Verdict, ...]
    """One for each step; empty when the episode is dropped."""
    samples: tuple[ChatSample, ...]
    too_long: int = 0
    """Kept steps whose question does not fit."""


def samples_of(
    episode: Episode, recipe: Recipe, *, verdicts: Sequence[Verdict] | None = None
) -> EpisodeSamples:
    """The samples of an episode. `verdicts`: those of the step filter, if a judge has
    had its say (`opinions.with_judge`)."""
    rule = episode_rule(episode)
    if rule is not None:
        return EpisodeSamples(episode=episode, rule=rule, verdicts=(), samples=())
    final = list(
        step_rules(episode.steps, writes=episode.notes.writes) if verdicts is None else verdicts
    )
    if recipe.refusals is Refusals.ENDS:
        final = refusal_alone(episode, final)
    samples: list[ChatSample] = []
    too_long = 0
    kept = {at for at, verdict in enumerate(final) if verdict.rule is None}
    for played, asked in questions_of(episode, recipe, kept):
        unfounded = _unfounded(played, _claim(played, episode))
        if unfounded:
            final[played.at] = Verdict(rule=StepRule.UNFOUNDED, why=unfounded)
        elif asked is None:
            too_long += 1
        else:
            samples.append(sample_of(episode, played, asked, recipe))
    return EpisodeSamples(
        episode=episode, rule=None, verdicts=tuple(final), samples=tuple(samples), too_long=too_long
    )


def refusal_alone(episode: Episode, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, with every step of a walk that gave up dropped but the last one,
    whose thought keeps what led there (EvoCUA §5.2)."""
    last = len(episode.steps) - 1
    if not gave_up(episode.steps):
        return list(verdicts)
    before = Verdict(rule=StepRule.BEFORE_REFUSAL, why="the walk gave up rightly after it")
    return [before if at < last and one.rule is None else one for at, one in enumerate(verdicts)]


def questions_of(
    episode: Episode, recipe: Recipe, wanted: Container[int]
) -> Iterator[tuple[Played, tuple[Message, ...] | None]]:
    """The steps at the wanted positions, each with the question that inference asks
    there; None for one that does not fit."""
    counter: Counter = recipe.counter() if recipe.counter is not None else Estimator()
    fence = Fence(code_of(episode.about.episode_id), lambda line: line)
    usual = Conversation(recipe.settings, fence, actions=describe_actions())
    small = CompactConversation(recipe.settings, fence)
    for played in turns_of(episode, pictures=recipe.settings.vision):
        if played.at in wanted:
            try:
                if recipe.settings.layout == "compact":
                    yield (
                        played,
                        small.messages(
                            played.turn, recipe.form, room=recipe.room, estimator=counter
                        ),
                    )
                else:
                    # A conversation asks its estimator for counts, and for nothing
                    # else.
                    estimator = cast(Estimator, counter)
                    yield (
                        played,
                        usual.messages(
                            played.turn, recipe.form, room=recipe.room, estimator=estimator
                        ),
                    )
            except ProofwalkError as error:
                if error.status is not Status.UNAVAILABLE:
                    raise
                yield played, None
        usual.keep(played.turn)


def code_of(episode_id: str) -> str:
    """The fence's code of an episode's samples."""
    return hashlib.sha256(f"fence/{episode_id}".encode()).hexdigest()[:16]


def answer_text(
    thought: str,
    action: a.Action,
    *,
    form: AnswerForm,
    memory: bool = False,
    claim: ClaimedFinding | None = None,
) -> str:
    """An answer in the form that a prompt asks for, as a conversation shows past ones:
    what has its default is left out."""
    acted = {"type": action.type, **action.model_dump(mode="json", exclude_defaults=True)}
    blamed = None if claim is None else claim.model_dump(mode="json")
    if form is AnswerForm.TEXT:
        lines = [
            f"{'Memory' if memory else 'Thought'}: {thought}",
            f"Action: {json.dumps(acted, ensure_ascii=False)}",
        ]
        return "\n".join(
            lines + ([f"Finding: {json.dumps(blamed, ensure_ascii=False)}"] if blamed else [])
        )
    members: JsonObject = {
        "memory" if memory else "thought": thought,
        "action": acted,
        **({"finding": blamed} if blamed else {}),
    }
    return json_answer(members)


def sample_of(
    episode: Episode,
    played: Played,
    asked: tuple[Message, ...],
    recipe: Recipe,
) -> ChatSample:
    """What was said at a step, as it is asked and answered."""
    answer, action = answer_of(
        played, played.thought, played.action, recipe, _claim(played, episode)
    )
    notes, task = episode.notes, episode.task
    return ChatSample(
        messages=tuple(_message(message) for message in asked),
        answer=answer,
        action=json.dumps(action.model_dump(mode="json"), ensure_ascii=False),
        outcome=notes.row.outcome,
        suite=task.suite,
        task=task.id,
        task_digest=task.digest,
        product=task.product,
        language=task.language,
        document=document_digest(task.document),
        episode=episode.name,
        step=played.step.step,
        substep=played.step.substep,
        policy=notes.row.policy,
        policy_version=played.step.model or played.step.by or notes.row.policy,
        thought_by=played.thought_by.value,
        layout=recipe.settings.layout,
        form=recipe.form.value,
    )


def document_digest(text: str) -> str:
    """SHA-256 of a document's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def answer_of(
    played: Played,
    thought: str,
    action: a.Action,
    recipe: Recipe,
    claim: ClaimedFinding | None = None,
) -> tuple[str, a.Action]:
    """The answer that says this at a step, and the action that it gives when it is
    read. Raises `data.bad_answer` where that is another one."""
    if recipe.settings.layout == "compact":
        if action == a.TaskComplete() and played.turn.index + 1 == len(
            played.turn.task.procedure.substeps
        ):
            thought, action = (
                done(played.step.substep) if thought == LAST_DONE else thought,
                a.SubStepComplete(),
            )
        mark = getattr(action, "id", None)
        thought = restated(
            thought, played.turn.observation, mark if isinstance(mark, int) else None
        )
    answer = answer_text(
        thought, action, form=recipe.form, memory=recipe.settings.prompt == "flash", claim=claim
    )
    if read_answer(answer).action != action:
        raise invalid(
            "data.bad_answer",
            f"step {played.step.step}: the answer does not give its action when it is read",
        )
    return answer, action


def _message(message: Message) -> ChatMessage:
    images = tuple(hashlib.sha256(image.jpeg).hexdigest() for image in message.images)
    return ChatMessage(role=message.role, text=message.text, images=images)


def _claim(played: Played, episode: Episode) -> ClaimedFinding | None:
    """The finding as an answer gives it, of a step that gives up: the model's own words
    where a model gave it, else from the verdict."""
    if not isinstance(played.action, a.TaskUnachievable):
        return None
    for exchange in reversed(played.step.exchanges):
        if not exchange.error:
            return read_answer(exchange.text).finding
    finding = episode.notes.finding
    if finding is None or isinstance(finding.kind, LaterKind):
        return None
    return ClaimedFinding(
        kind=finding.kind,
        quote=finding.sentence,
        observed=finding.message,
        candidates=list(finding.candidates),
    )


def _unfounded(played: Played, claim: ClaimedFinding | None) -> str:
    """Why giving up is not to be learned; empty when it is, or when the step does not
    give up."""
    if not isinstance(played.action, a.TaskUnachievable):
        return ""
    if claim is None:
        return "no finding was given"
    try:
        findings.check(claim, played.turn)
    except findings.Unfounded as error:
        return str(error)
    return ""
