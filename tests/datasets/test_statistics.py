"""Counts add up, and the page shows them without running what others wrote."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proofwalk.datasets.collection import Collection
from proofwalk.datasets.samples import EpisodeSamples, Recipe, samples_of
from proofwalk.datasets.statistics import Census, page
from proofwalk.models.settings import ModelSettings
from tests.datasets.kit import collect, console, row_for, task_of

RECIPE = Recipe(settings=ModelSettings(vision=False))


async def made(folder: Path) -> list[EpisodeSamples]:
    collection = Collection(folder / "c")
    good = await collect(collection, folder, task_of())
    oracle = await collect(
        collection, folder, task_of(), policy="scripted", place=console(swallowed=1)
    )
    lost = await collect(
        collection, folder, task_of("rds-lost", product="rds", language="zh"), outcome="env_failure"
    )
    lost = replace(
        lost, notes=replace(lost.notes, row=row_for(lost.task, "env_failure", cause="quota"))
    )
    return [samples_of(one, RECIPE) for one in (good, oracle, lost)]


async def test_what_was_walked_is_what_is_kept_and_what_is_dropped(tmp_path: Path) -> None:
    found, census = await made(tmp_path), Census()
    for one in found:
        census.add(one)
    figures = census.figures()
    kept = [one for one in found if one.rule is None]
    assert figures["tasks"] == 2
    assert figures["episodes"] == {"walked": 3, "kept": 2, "dropped": {"untold": 1}}
    assert figures["outcomes"] == {"verified": 2, "env_failure: quota": 1}
    steps = figures["steps"]
    assert steps["walked"] == sum(len(one.episode.steps) for one in found)
    assert steps["samples"] == sum(len(one.samples) for one in found)
    assert steps["samples"] + sum(steps["dropped"].values()) == sum(
        len(one.episode.steps) for one in kept
    )
    assert steps["dropped"]["ineffective"] >= 1
    assert sum(one["walked"] for one in figures["actions"].values()) == steps["walked"]
    assert (
        sum(one["samples"] for one in figures["actions"].values())
        == steps["samples"]
        == sum(figures["thoughts"].values())
    )
    assert figures["products"] == {
        "ecs": {"episodes": 2, "samples": steps["samples"]},
        "rds": {"episodes": 1, "samples": 0},
    }
    lengths = [sample.length for one in kept for sample in one.samples]
    assert figures["characters"]["question"]["total"] == sum(lengths)
    assert figures["characters"]["question"]["max"] == max(lengths)


async def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    census = Census()
    for one in await made(tmp_path):
        census.add(one)
    html = page("data <script>", census.figures())
    assert "<script" not in html
    assert "http" not in html.replace("http-equiv", "")
    assert "env_failure: quota" in html
    assert "untold" in html


def test_nothing_counted_is_a_page_too() -> None:
    figures = Census().figures()
    assert figures["steps"] == {"walked": 0, "samples": 0, "dropped": {}}
    assert "0 tasks" in page("none", figures)
