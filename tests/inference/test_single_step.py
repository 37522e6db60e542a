"""The benchmark of single decisions (`benchmarks.single_step`): each question several
times, under the constraint that walks have."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from benchmarks import record
from benchmarks.single_step import answered, measured, run
from proofwalk.agent.policies.llm.answers import answer_schema
from proofwalk.datasets.chat_samples import ChatMessage
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.samples import Recipe, samples_of
from proofwalk.datasets.singlestep import Pair, pairs_of, write_pairs
from proofwalk.inference.domain import Ask, Generation, Sampled, Spent
from proofwalk.inference.engines.embedded import EmbeddedEngine
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import collect, task_of


class Scripted:
    """An engine that gives these answers in turn, and keeps what it was asked."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.asked: list[Ask] = []

    async def generate(self, ask: Ask) -> Generation:
        self.asked.append(ask)
        samples = tuple(
            Sampled(text=self.texts[index % len(self.texts)], finish_reason="stop")
            for index in range(ask.n)
        )
        return Generation(version="v", samples=samples, spent=Spent(tokens_in=1, tokens_out=1))


@pytest.fixture
async def pairs(tmp_path: Path) -> list[Pair]:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    return pairs_of([samples_of(episode, Recipe(settings=ModelSettings(vision=False)))])


async def test_each_answer_to_a_question_is_scored_by_itself(pairs: list[Pair]) -> None:
    pair = pairs[0]
    engine = Scripted(pair.sample.answer, '{"thought":"so","action":{"type":"wait"}}', "no answer")
    scores = await answered(
        cast(EmbeddedEngine, engine), pair, runs=3, temperature=0.7, max_tokens=50, seed=9
    )
    assert [one.right for one in scores] == [True, False, False]
    assert [one.readable for one in scores] == [True, True, False]
    [ask] = engine.asked
    assert (ask.n, ask.temperature, ask.max_tokens, ask.seed) == (3, 0.7, 50, 9)
    assert json.loads(ask.schema) == answer_schema("normal")
    assert [(one.role, one.text) for one in ask.messages] == [
        (one.role, one.text) for one in pair.sample.messages
    ]


def brief(pairs: list[Pair]) -> list[Pair]:
    """The pairs with a question that the smallest model can read."""
    return [
        replace(
            pair, sample=replace(pair.sample, messages=(ChatMessage(role="user", text="Next?"),))
        )
        for pair in pairs
    ]


async def test_a_model_is_measured_by_the_embedded_engine_and_the_same_again(
    pairs: list[Pair], base_folder: Path
) -> None:
    short = brief(pairs[:3])
    options = argparse.Namespace(runs=2, temperature=1.0, max_tokens=40, threads=1, seed=4)
    (first, scores), (again, _) = [
        await measured("tiny", base_folder, short, options) for _ in range(2)
    ]
    assert [len(answers) for answers in scores] == [2, 2, 2]
    timed = ("seconds", "processor_s")
    assert {name: value for name, value in first.items() if name not in timed} == {
        name: value for name, value in again.items() if name not in timed
    }
    assert (first["pairs"], first["runs"]) == (3, 2)
    # Random weights do not end a thought within 40 bytes.
    assert (first["accuracy"], first["readable"]) == (0.0, 0.0)
    assert first["version"].startswith("tiny@")


async def test_a_model_that_cannot_be_read_takes_no_figures_of_those_before_it(
    pairs: list[Pair], base_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    write_pairs(tmp_path / "pairs.jsonl", brief(pairs[:1]), about={})
    models = [("tiny", base_folder), ("gone", tmp_path / "gone")]
    options = argparse.Namespace(
        pairs=tmp_path / "pairs.jsonl",
        model=models,
        runs=1,
        temperature=1.0,
        max_tokens=8,
        threads=1,
        seed=4,
    )
    with pytest.raises(ProofwalkError, match="gone"):
        await run(options)
    written = json.loads((tmp_path / "results" / "single-step.json").read_text(encoding="utf-8"))
    assert list(written["figures"]) == ["tiny"]
