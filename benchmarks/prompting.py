"""`make bench-prompting`: what the questions of an `llm` walk cost and how many there
are, over the oracle's walks of 40 tasks; writes `prompting.json`.

The walks are collected once (`proofwalk data collect`) and played again without a
console: at each step the policy's own `Conversation` builds the question from the page
that was recorded, and the oracle's action is the model's answer. An answer holds as
much as the page of its question lets a model know: fields that are on it, of the next
sub-steps too, the action after them, and where sub-steps end. `Batch` decides against
the recorded pages how far it is carried out before the next question. So a figure here
is what a model reaches that makes no mistake and foresees what the page shows.

Tokens are the house's estimate (`models.tokens`), schema and picture included: what a
picture takes depends on its size alone, so pages that were recorded without one count
too. The common prefix of a question is what it begins with as the question before it in
the same walk did, as a share of its text, and of its text and picture: no picture is
ever a part of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import record
from proofwalk.agent.policies.llm.answers import (
    BEFORE_ACTION,
    Answer,
    answer_schema,
    describe_actions,
)
from proofwalk.agent.policies.llm.batch import Batch
from proofwalk.agent.policies.llm.context import Conversation
from proofwalk.console.actions import Action, SubStepComplete, TaskComplete
from proofwalk.console.observation import Observation
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.models.client import AnswerForm
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator, count, count_text

ENDS = (SubStepComplete, TaskComplete)
CODE = "0123456789abcdef"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One question of a walk."""

    tokens: int
    """Schema, text and pictures."""
    prefix: float
    """Share of the text that the question before begins with too; 0 for the first."""
    prefix_with_picture: float
    """The same as a share of text and picture."""


def questions(walk: Sequence[Played], settings: ModelSettings) -> Iterator[Question]:
    """Ask what a walk with these settings asks."""
    conversation = Conversation(
        settings, Fence(CODE, lambda line: line), actions=describe_actions()
    )
    schema = count_text(json.dumps(answer_schema(settings.prompt, batches=settings.batched)))
    batch, before, room = Batch(), "", settings.context_tokens - settings.max_tokens
    for number, played in enumerate(walk):
        if settings.batched and _carried_out(batch.proceed(played.turn), played.action):
            continue
        messages = conversation.messages(
            played.turn, AnswerForm.SCHEMA, room=room, estimator=Estimator()
        )
        conversation.keep(played.turn)
        text = "".join(f"\n[{message.role}]\n{message.text}" for message in messages)
        shared = count_text(_shared(before, text))
        yield Question(
            tokens=schema + count(messages),
            prefix=shared / count_text(text),
            prefix_with_picture=shared / count(messages),
        )
        before = text
        batch.begin(_answer(walk[number:]), played.turn)


def _shared(before: str, text: str) -> str:
    """Return what both texts begin with."""
    pairs = enumerate(zip(before, text, strict=False))
    return text[: next((place for place, (one, other) in pairs if one != other), len(before))]


def _carried_out(planned: Action | None, recorded: Action) -> bool:
    """Return True if the batch does what the oracle did."""
    return planned is not None and (
        planned == recorded or (isinstance(planned, ENDS) and isinstance(recorded, ENDS))
    )


def _answer(rest: Sequence[Played]) -> Answer:
    """Return the longest answer to the first of these steps: the actions that its page
    lets a model know, with the marks of that page."""
    page, actions = rest[0].turn.observation, [rest[0].action]
    for played in rest[1:]:
        if actions[-1].type not in BEFORE_ACTION:
            done = isinstance(played.action, ENDS)
            return Answer(thought="", fields=tuple(actions[:-1]), action=actions[-1], done=done)
        foreseen = _foreseen(played, page)
        if foreseen is None:
            break
        actions.append(foreseen)
    *fields, action = actions
    return Answer(thought="", fields=tuple(fields), action=action)


def _foreseen(played: Played, page: Observation) -> Action | None:
    """Return the step's action with the mark that its element has on `page`. None: the
    element is not there yet."""
    if isinstance(played.action, ENDS):
        return played.action
    mark = getattr(played.action, "id", None)
    if mark is None:
        return None
    element = played.turn.observation.element(mark)
    same = [one for one in page.elements if element and one.identity == element.identity]
    return played.action.model_copy(update={"id": same[0].mark}) if len(same) == 1 else None


def measured(walks: Sequence[Sequence[Played]], settings: ModelSettings) -> dict[str, Any]:
    """Return the figures of these walks with these settings."""
    asked = [list(questions(walk, settings)) for walk in walks]
    every = [question for walk in asked for question in walk]
    tokens = [question.tokens for question in every]
    return {
        "questions": len(every),
        "questions_a_walk": record.spread([len(walk) for walk in asked]),
        "tokens": record.spread(tokens),
        "tokens_a_walk": record.spread([sum(one.tokens for one in walk) for walk in asked]),
        "prefix": record.spread([one.prefix for walk in asked for one in walk[1:]]),
        "prefix_with_picture": record.spread(
            [one.prefix_with_picture for walk in asked for one in walk[1:]]
        ),
    }


def _pictured(walk: Sequence[Played]) -> list[Played]:
    """Return the walk with a picture on each page; nobody looks at it."""
    return [
        replace(
            played,
            turn=replace(
                played.turn, observation=replace(played.turn.observation, screenshot=b"picture")
            ),
        )
        for played in walk
    ]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path, help="the oracle's walks")
    folder = parser.parse_args().collection
    walks = [walk for walk in map(_pictured, map(turns_of, Collection(folder))) if walk]
    batched = measured(walks, ModelSettings())
    single = measured(walks, ModelSettings(batches=False))
    unseen = measured(walks, ModelSettings(vision=False))
    figures = {
        "tokens": batched["tokens"]["median"],
        "prefix": batched["prefix"]["median"],
        "questions_ratio": round(batched["questions"] / single["questions"], 3),
        "tokens_ratio": round(
            batched["tokens_a_walk"]["median"] / single["tokens_a_walk"]["median"], 3
        ),
        "tokens_without_vision": unseen["tokens"]["median"],
        "batched": batched,
        "single": single,
        "without_vision": unseen,
    }
    content = {**await record.head("prompting", n=len(walks)), "figures": figures}
    print(record.write("prompting", content))


if __name__ == "__main__":
    asyncio.run(main())
