"""`proofwalk data hindsight` against an endpoint over a real socket, and the samples
and pairs that are made with its thoughts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.cli import data_hindsight, data_reading
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.main import app
from proofwalk.console import actions as a
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.hindsight.runs import HindsightBounds
from proofwalk.datasets.hindsight.thought_files import Thoughts
from proofwalk.datasets.sample_files import read_preferences, read_samples
from proofwalk.datasets.samples import Recipe, Refusals
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.settings import Settings, read_settings
from tests.datasets.kit import collect, defect, task_of
from tests.datasets.test_forks import WRONG_ROW, walks
from tests.datasets.test_hindsight import thought_for
from tests.datasets.test_samples import FINDING_KIND, WRONG
from tests.models.fake_endpoint import FakeEndpoint, Reply, refuse, serving

RECIPE = Recipe(settings=ModelSettings(vision=False))


def thinking(asked: dict[str, Any]) -> Reply:
    return Reply(text=thought_for(asked["messages"][-1]["content"]), more={"model": "thinker-2"})


def settings_for(endpoint: FakeEndpoint, **more: Any) -> ModelSettings:
    return ModelSettings(
        endpoint=endpoint.url, name="thinker", vision=False, malformed_retries=1, **more
    )


@pytest.fixture
def here() -> Settings:
    return read_settings({})


async def write(
    folder: Path, here: Settings, asked: ModelSettings, bounds: HindsightBounds | None = None
) -> None:
    await data_hindsight.write_thoughts(folder, here, asked, bounds or HindsightBounds())


async def test_thoughts_are_written_over_the_wire_and_learned(
    tmp_path: Path, here: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = Collection(tmp_path / "c")
    episode = await collect(collection, tmp_path, task_of())
    limited = [refuse("slow down", 429, retry_after="0")]

    def answering(asked: dict[str, Any]) -> Reply:
        return limited.pop() if limited else thinking(asked)

    async with serving(FakeEndpoint(answering=answering)) as endpoint:
        await write(collection.folder, here, settings_for(endpoint, api_key=SecretStr("sk-1")))
    assert len(endpoint.asked) == len(episode.steps) + 1, "what was told to wait asks again"
    kept = Thoughts.read(collection.folder / "episodes" / episode.name).by_position
    assert {one.model for one in kept.values()} == {"thinker-2"}
    assert sum(one.tokens_in for one in kept.values()) == 100 * len(episode.steps)
    assert "ended by complete; 8 thoughts in 8 answers" in capsys.readouterr().err
    out = tmp_path / "s.parquet"
    await data_reading.write_chat_samples(collection.folder, out, RECIPE, [], hindsight=True)
    about, samples = read_samples(out)
    assert about["hindsight"] is True
    assert {one.thought_by for one in samples} == {"hindsight"}


async def test_pairs_take_the_thoughts_of_the_walk_that_was_right(
    tmp_path: Path, here: Settings
) -> None:
    await walks(tmp_path, WRONG_ROW)
    folder, out = tmp_path / "c", tmp_path / "p.parquet"
    async with serving(FakeEndpoint(answering=thinking)) as endpoint:
        await write(folder, here, settings_for(endpoint))
    await data_reading.write_preference_pairs(folder, out, RECIPE, [], hindsight=True)
    about, pairs = read_preferences(out)
    assert about["hindsight"] is True
    assert {pair.thought_by for pair in pairs} == {"hindsight"}
    assert "to get on" in pairs[0].answer
    assert "to get on" not in pairs[0].rejected


async def test_of_a_right_refusal_the_ending_alone_is_judged_thought_and_learned(
    tmp_path: Path, here: Settings
) -> None:
    """EvoCUA §5.2: what led to it is removed, its reasons are kept."""
    collection = Collection(tmp_path / "c")
    planted = defect(WRONG, "Halt", kind=str(FINDING_KIND))
    found = Finding(
        file="f",
        line=planted.line,
        sentence=planted.sentence,
        kind=FindingKind.RENAMED,
        message="It is called Stop.",
        candidates=("Stop",),
    )
    task = task_of(document=WRONG, expected=planted)
    episode = await collect(collection, tmp_path, task, outcome="doc_defect", finding=found)
    thought = "I was to stop the instance. I looked for “Halt” in its row, which has “Stop” alone."

    def reasoned(asked: dict[str, Any]) -> Reply:
        ends = "cannot be carried out" in asked["messages"][0]["content"]
        return Reply(text=json.dumps({"thought": thought})) if ends else thinking(asked)

    def useful(asked: dict[str, Any]) -> Reply:
        return Reply(text='{"reason": "it was needed", "useful": true}')

    ends = replace(RECIPE, refusals=Refusals.ENDS)
    async with serving(FakeEndpoint(answering=reasoned)) as endpoint:
        await data_reading.judge(collection.folder, settings_for(endpoint), Refusals.ENDS)
        assert endpoint.asked == [], "nothing is asked about steps that are not learned"
        await write(collection.folder, here, settings_for(endpoint))
        endpoint.answering = useful
        await data_reading.judge(collection.folder, settings_for(endpoint), Refusals.WALKS)
    assert "It gave up in the end, and was right" in endpoint.text_of()
    out = tmp_path / "s.parquet"
    await data_reading.write_chat_samples(
        collection.folder, out, ends, [], judged=True, hindsight=True
    )
    about, (sample,) = read_samples(out)
    assert about["refusals"] == "ends"
    assert (sample.step, sample.thought_by) == (episode.steps[-1].step, "hindsight")
    answer = read_answer(sample.answer)
    assert answer.thought == thought
    assert isinstance(answer.action, a.TaskUnachievable)


async def test_what_is_missing_is_said(tmp_path: Path, here: Settings) -> None:
    collection = Collection(tmp_path / "c")
    await collect(collection, tmp_path, task_of())
    with pytest.raises(ProofwalkError, match=r"data\.no_writer"):
        await write(collection.folder, here, ModelSettings())
    with pytest.raises(ProofwalkError, match=r"data\.no_prices"):
        await write(collection.folder, here, ModelSettings(), HindsightBounds(cost=1))
    with pytest.raises(ProofwalkError, match=r"data\.no_thought"):
        await data_reading.write_chat_samples(
            collection.folder, tmp_path / "s.parquet", RECIPE, [], hindsight=True
        )


def test_the_command_ends_with_3_where_there_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PROOFWALK_ROLLOUT__MODEL__ENDPOINT", raising=False)
    ended = CliRunner().invoke(app, ["data", "hindsight", str(tmp_path)])
    assert ended.exit_code == ExitCode.ENVIRONMENT
