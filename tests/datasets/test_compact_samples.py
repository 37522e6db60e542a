"""The compact layout over whole walks: short fenced questions, the target restated, and
the same questions as a policy asks."""

from __future__ import annotations

import json
import re
from collections import deque
from pathlib import Path

import pytest

from proofwalk.agent.policies.llm.compact import CompactConversation, spoken
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.samples import Recipe, code_of, samples_of
from proofwalk.datasets.turns import Played, turns_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.asking import Model
from proofwalk.models.client import CONTEXT_EXCEEDED, AnswerForm
from proofwalk.models.fence import Fence
from proofwalk.models.settings import ModelSettings
from proofwalk.models.tokens import Estimator
from tests.datasets.kit import Scripted, collect, task_of

CODE = spoken("c0dec0de")


async def played(folder: Path) -> list[Played]:
    return turns_of(await collect(Collection(folder / "c"), folder, task_of()))


def conversation(page_chars: int = 1000) -> CompactConversation:
    return CompactConversation(
        ModelSettings(vision=False, page_chars=page_chars, layout="compact"),
        Fence("c0dec0de", lambda line: line.replace("web-1", "***")),
    )


async def test_a_question_is_fenced_masked_and_as_short_as_it_must_be(tmp_path: Path) -> None:
    turn = (await played(tmp_path))[-1].turn
    long = conversation().messages(turn, AnswerForm.SCHEMA, room=2000, estimator=Estimator())
    assert [one.role for one in long] == ["system", "user"]
    text = long[1].text
    assert text.count(f"<<<{CODE} ") == text.count(f"{CODE}>>>") == 4
    assert (
        text.index(f"<<<{CODE} page")
        < text.index(f"<<<{CODE} document")
        < text.index(f"<<<{CODE} done")
    )
    assert "web-1" not in text
    assert "“the instance” is web-2" in text
    assert "Sub-step 4 of 4" in text
    least = Estimator().count(
        conversation(1000).messages(turn, AnswerForm.SCHEMA, room=2000, estimator=Estimator())
    )
    short = conversation().messages(turn, AnswerForm.SCHEMA, room=least - 60, estimator=Estimator())
    assert len(short[1].text) < len(text)
    with pytest.raises(ProofwalkError) as refused:
        conversation().messages(turn, AnswerForm.SCHEMA, room=50, estimator=Estimator())
    assert refused.value.code == CONTEXT_EXCEEDED


async def test_compact_samples_restate_the_target_before_the_action(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    recipe = Recipe(settings=ModelSettings(vision=False, page_chars=1000, layout="compact"))
    made = samples_of(episode, recipe)
    clicks = [one for one in made.samples if '"click"' in one.action]
    assert clicks
    for sample in clicks:
        target = sample.answer.split(" → ")[-1].split('"')[0]
        assert sample.answer.index(target) < sample.answer.index('"action"')
        assert f"> {target}" in sample.messages[1].text, "it is copied from the page"
    usual = samples_of(episode, Recipe(settings=ModelSettings(vision=False)))
    assert sum(one.length for one in made.samples) < 0.4 * sum(one.length for one in usual.samples)


async def test_a_sub_steps_first_question_says_that_nothing_is_done_yet(tmp_path: Path) -> None:
    told: dict[str, str] = {}
    for one in await played(tmp_path):
        text = (
            conversation()
            .messages(one.turn, AnswerForm.SCHEMA, room=2000, estimator=Estimator())[1]
            .text
        )
        told.setdefault(one.step.substep, text)
    assert len(told) == 4
    last = (
        conversation()
        .messages(
            (await played(tmp_path))[-1].turn, AnswerForm.SCHEMA, room=2000, estimator=Estimator()
        )[1]
        .text
    )
    assert re.search(rf"<<<{CODE} done for this sub-step\n1\. .*click → [^\n]*\n{CODE}>>>$", last)
    assert all(
        text.endswith(f"<<<{CODE} done for this sub-step\nnothing yet\n{CODE}>>>")
        for text in told.values()
    )


async def test_the_last_sub_step_ends_as_any_other(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    compact, usual = (
        samples_of(episode, Recipe(settings=ModelSettings(vision=False, layout=layout))).samples
        for layout in ("compact", "normal")
    )
    assert [json.loads(one.action)["type"] for one in (compact[-1], usual[-1])] == [
        "sub_step_complete",
        "task_complete",
    ]
    assert json.loads(compact[-1].answer)["thought"] == f"Sub-step {compact[-1].substep} is done."
    assert "task_complete" not in compact[-1].messages[0].text


async def test_a_policy_that_asks_compactly_is_asked_what_its_samples_ask(tmp_path: Path) -> None:
    targets = deque(["Elastic Compute Service", "?", "", "Instances", "", "Stop", "", "OK", ""])

    def answer(number: int, text: str) -> str:
        wanted = targets.popleft()
        if wanted == "?":
            return "I am not sure."
        if not wanted:
            kind = "task_complete" if not targets else "sub_step_complete"
            return json.dumps({"thought": "It is done.", "action": {"type": kind}})
        shown = re.findall(rf"> ({wanted} \[(\d+)\])(?: in row ([^\n]*))?", text)
        target, mark, _ = next(one for one in shown if "web-1" not in one[2])
        return json.dumps(
            {"thought": f"I press it. → {target}", "action": {"type": "click", "id": int(mark)}}
        )

    asked_with = ModelSettings(vision=False, page_chars=1500, layout="compact")
    client = Scripted(answer)
    policy = LlmPolicy(Model(client=client, settings=asked_with), code=code_of("ep_ecs-stop_llm_1"))
    episode = await collect(
        Collection(tmp_path / "c"), tmp_path, task_of(), policy="llm", decides=policy
    )
    assert [one.ok for one in episode.steps] == [True] * 8
    made = samples_of(episode, Recipe(settings=asked_with))
    assert "could not be used" in client.asked[2][-1].text
    asked = [messages for number, messages in enumerate(client.asked, start=1) if number != 3]
    assert [[one.text for one in sample.messages] for sample in made.samples] == [
        [one.text for one in messages] for messages in asked
    ]
    assert [json.loads(one.answer)["thought"] for one in made.samples] == [
        one.thought for one in episode.steps
    ]


async def test_who_answers_as_the_samples_do_is_asked_what_they_ask(tmp_path: Path) -> None:
    asked_with = ModelSettings(vision=False, page_chars=1500, layout="compact")
    taught = await collect(Collection(tmp_path / "taught"), tmp_path / "a", task_of())
    samples = samples_of(taught, Recipe(settings=asked_with)).samples
    assert not any(" → " in one.thought for one in taught.steps), "the teacher restates nothing"
    assert sum(" → " in one.answer for one in samples) >= 3
    client = Scripted(lambda number, text: samples[number - 1].answer)
    policy = LlmPolicy(
        Model(client=client, settings=asked_with), code=code_of(taught.about.episode_id)
    )
    await collect(
        Collection(tmp_path / "learned"), tmp_path / "b", task_of(), policy="llm", decides=policy
    )
    assert [[one.text for one in messages] for messages in client.asked] == [
        [one.text for one in sample.messages] for sample in samples
    ]
