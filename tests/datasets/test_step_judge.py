"""The judge of steps: shown what came before and behind, fenced; its word is kept, and
a model that cannot answer drops nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from proofwalk.cli import data_reading
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.filters import step_rules
from proofwalk.datasets.opinions import judgeable, with_judge
from proofwalk.datasets.sample_files import read_samples
from proofwalk.datasets.samples import Recipe
from proofwalk.datasets.step_judge import FILE, MALFORMED, KeptStepJudge, ModelStepJudge, Opinions
from proofwalk.datasets.verdicts import StepRule
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable
from proofwalk.models.asking import Model
from proofwalk.models.client import FORM_REFUSED, Completion, Message
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import Scripted, collect, task_of


def verdict(useful: bool) -> str:
    return json.dumps(
        {"reason": "it looked around" if not useful else "it opened the list", "useful": useful}
    )


def judge_of(client: Scripted) -> ModelStepJudge:
    return ModelStepJudge(
        Model(client=client, settings=ModelSettings(vision=False, malformed_retries=1))
    )


async def test_a_step_is_shown_with_its_surroundings_fenced_as_data(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    client = Scripted(lambda number, text: verdict(True))
    opinion = await judge_of(client).judge(episode, 2)
    assert (opinion.useful, opinion.why) == (True, "it opened the list")
    text = client.asked[0][-1].text
    code = re.search(r"conversation is (\w+)\.", text)
    assert code is not None
    assert text.count(f"<<<{code[1]} ") == text.count(f"{code[1]}>>>") == 2
    assert text.endswith("Was step 3 useful?")
    for number in (1, 2, 3, 4, 5, 6):
        assert f"\n{number}. [sub-step " in text
    assert episode.steps[3].thought in text
    assert "\n7. " not in text


async def test_an_answer_that_cannot_be_read_is_asked_for_again_with_the_error(
    tmp_path: Path,
) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    answers = ["Useful, I think.", verdict(False)]
    client = Scripted(lambda number, text: answers[number - 1])
    assert not (await judge_of(client).judge(episode, 0)).useful
    assert "no JSON object" in client.asked[1][-1].text
    stubborn = Scripted(lambda number, text: '{"useful": "maybe"}')
    with pytest.raises(ProofwalkError) as refused:
        await judge_of(stubborn).judge(episode, 0)
    assert (refused.value.code, len(stubborn.asked)) == (MALFORMED, 2)


class Weakening(Scripted):
    """Refuses its first form, as an endpoint without schemas does."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        seed: int | None = None,
    ) -> Completion:
        if not self.asked:
            self.asked.append(tuple(messages))
            raise ProofwalkError(FORM_REFUSED, "no schemas here", status=Status.UNAVAILABLE)
        return await super().generate(messages, schema=schema, max_tokens=max_tokens, seed=seed)


async def test_a_refused_form_is_tried_in_the_weaker_one(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    assert (await judge_of(Weakening(lambda number, text: verdict(True))).judge(episode, 0)).useful


async def test_what_was_judged_is_kept_and_not_asked_again(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    episode = await collect(collection, tmp_path, task_of())
    place = collection.folder / "episodes" / episode.name
    verdicts = step_rules(episode.steps)
    asked = judgeable(episode, verdicts)
    with pytest.raises(ProofwalkError, match=r"data\.not_judged"):
        Opinions.read(place).applied(episode, verdicts)

    def away_at_the_third(number: int, text: str) -> str:
        if number == 3:
            raise unavailable("model.unavailable", "no answer")
        return verdict(number != 1)

    first = KeptStepJudge(judge_of(Scripted(away_at_the_third)), Opinions.read(place), name="tiny")
    with pytest.raises(ProofwalkError, match=r"model\.unavailable"):
        await with_judge(episode, verdicts, first)
    client = Scripted(lambda number, text: verdict(True) if number < 2 else "?")
    second = KeptStepJudge(judge_of(client), Opinions.read(place), name="tiny")
    judged = await with_judge(episode, verdicts, second)
    assert (first.asked, second.asked, second.unread) == (2, len(asked) - 2, len(asked) - 3)
    assert [at for at, one in enumerate(judged) if one.rule is StepRule.JUDGED] == asked[:1]
    assert Opinions.read(place).applied(episode, verdicts) == judged
    other = KeptStepJudge(judge_of(client), Opinions.read(place), name="another")
    await with_judge(episode, verdicts, other)
    assert other.asked == len(asked), "another model has an opinion of its own"
    (place / FILE).write_text("[]")
    with pytest.raises(ProofwalkError, match=r"data\.bad_opinions"):
        Opinions.read(place)


async def test_samples_leave_out_what_was_found_useless(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    episode = await collect(collection, tmp_path, task_of())
    opinions = Opinions.read(collection.folder / "episodes" / episode.name)
    client = Scripted(lambda number, text: verdict(number != 1))
    verdicts = step_rules(episode.steps)
    await with_judge(episode, verdicts, KeptStepJudge(judge_of(client), opinions, name="tiny"))
    recipe = Recipe(settings=ModelSettings(vision=False))
    for judged in (False, True):
        await data_reading.write_chat_samples(
            collection.folder, tmp_path / f"{judged}.parquet", recipe, [], judged=judged
        )
    steps = {
        judged: [one.step for one in read_samples(tmp_path / f"{judged}.parquet")[1]]
        for judged in (False, True)
    }
    dropped = episode.steps[judgeable(episode, verdicts)[0]].step
    assert set(steps[False]) - set(steps[True]) == {dropped}
