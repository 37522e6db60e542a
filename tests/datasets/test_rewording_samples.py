"""Samples of recorded walks whose document is said in other words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.cli import data_reading
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.rewording.episodes import reworded_samples
from proofwalk.datasets.sample_files import read_samples
from proofwalk.datasets.samples import Recipe, samples_of
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import DOCUMENT, collect, defect, task_of


@pytest.mark.parametrize("layout", ["normal", "compact"])
async def test_steps_are_asked_in_other_words_and_answered_as_before(
    tmp_path: Path, layout: str
) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    settings = ModelSettings.model_validate({"vision": False, "layout": layout})
    recipe = Recipe(settings=settings, wordings=3)
    made = samples_of(episode, recipe)
    before = {sample.step: sample for sample in made.samples}
    found = list(reworded_samples(made, recipe))
    assert found == list(reworded_samples(made, recipe)), "the same collection, the same words"
    asked = [(sample.step, sample.messages) for sample in (*made.samples, *found)]
    assert len(set(asked)) == len(asked), "no question is asked twice"
    for sample in found:
        told = before[sample.step]
        assert (sample.answer, sample.action, sample.task) == (told.answer, told.action, told.task)
        assert sample.document != told.document
    assert len({sample.document for sample in found}) == 3
    assert len(found) > len(before)
    assert list(reworded_samples(made, replace(recipe, wordings=0))) == []


async def test_a_walk_that_found_something_quotes_its_document_and_stays_as_it_is(
    tmp_path: Path,
) -> None:
    document = DOCUMENT.replace("**Stop**", "**Halt**")
    planted = defect(document, "Halt")
    finding = Finding(
        file="f",
        line=planted.line,
        sentence=planted.sentence,
        kind=FindingKind.RENAMED,
        message="It is called Stop.",
        candidates=("Stop",),
    )
    episode = await collect(
        Collection(tmp_path / "c"),
        tmp_path,
        task_of(document=document, expected=planted),
        outcome="doc_defect",
        finding=finding,
    )
    recipe = Recipe(wordings=2)
    made = samples_of(episode, recipe)
    assert made.samples
    assert list(reworded_samples(made, recipe)) == []


async def test_the_command_writes_them_beside_the_others_and_says_how_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = Collection(tmp_path / "c")
    await collect(collection, tmp_path, task_of())
    out, recipe = tmp_path / "s.parquet", Recipe(wordings=2)
    await data_reading.write_chat_samples(collection.folder, out, recipe, [])
    about, samples = read_samples(out)
    assert about["wordings"] == 2
    others = len(samples) - len({sample.step for sample in samples})
    assert others > 0
    assert f"{others} of them in other words" in capsys.readouterr().err
