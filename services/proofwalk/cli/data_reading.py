"""What is made of a collection: opinions, samples, statistics, single decisions."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proofwalk.cli import output
from proofwalk.datasets import differential_page, forks, singlestep, statistics
from proofwalk.datasets.chat_samples import ChatSample, PreferencePair
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.decontamination import LEAK, Watch, guarded
from proofwalk.datasets.differential import Differential, differentials_in, partings
from proofwalk.datasets.exploration.figures import read_figures
from proofwalk.datasets.filters import episode_rule, step_rules
from proofwalk.datasets.hindsight.thought_files import Thoughts, without_reflections
from proofwalk.datasets.opinions import with_judge
from proofwalk.datasets.outcomes.labelling import LAYOUT, Side, Split, labelled
from proofwalk.datasets.rewording.episodes import reworded_samples
from proofwalk.datasets.sample_files import write_preferences, write_samples
from proofwalk.datasets.sample_pictures import keep_pictures, pictures_of
from proofwalk.datasets.samples import (
    EpisodeSamples,
    Recipe,
    Refusals,
    refusal_alone,
    samples_of,
)
from proofwalk.datasets.step_judge import KeptStepJudge, ModelStepJudge, Opinions
from proofwalk.datasets.verdicts import StepRule, Verdict
from proofwalk.experiments.collection import evaluation_tasks
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, not_found
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.judging import judging
from proofwalk.platform.suites import suite_of
from proofwalk.suites.rules.decontamination import Match


async def judge(folder: Path, asked: ModelSettings, refusals: Refusals) -> None:
    async with connect(asked, clock=SystemClock()) as model:
        if model is None:
            raise ProofwalkError(
                "data.no_judge",
                "no model is named that could judge",
                status=Status.FAILED_PRECONDITION,
                hint="give --endpoint URL --model NAME",
            )
        judge, useless, questions, unread = ModelStepJudge(model), 0, 0, 0
        collection = Collection(folder)
        names = await asyncio.to_thread(collection.names)
        for number, name in enumerate(names, 1):
            episode = await asyncio.to_thread(collection.episode, name)
            if episode_rule(episode) is not None:
                continue
            place = collection.folder / "episodes" / name
            kept = KeptStepJudge(
                judge, await asyncio.to_thread(Opinions.read, place), name=asked.name
            )
            verdicts = await with_judge(episode, _ruled(episode, refusals), kept)
            useless += sum(one.rule is StepRule.JUDGED for one in verdicts)
            questions, unread = questions + kept.asked, unread + kept.unread
            output.say(f"{number}/{len(names)} {name}")
    output.say(
        f"{folder}: {questions} steps asked about, {unread} answers could not be read; {useless}"
        " steps found useless"
    )


async def write_chat_samples(
    folder: Path,
    out: Path,
    recipe: Recipe,
    against: Sequence[str],
    *,
    judged: bool = False,
    hindsight: bool = False,
) -> None:
    evaluation = await evaluation_tasks(suite_of, against)
    collection = Collection(folder)

    def work() -> tuple[statistics.Census, int, int]:
        census, said_otherwise = statistics.Census(), 0

        def found() -> Iterator[ChatSample]:
            nonlocal said_otherwise
            for episode in collection:
                verdicts = _verdicts(collection, episode, recipe, judged=judged)
                if hindsight and verdicts is not None:
                    episode = _thoughts_of(collection, episode).applied(episode, verdicts)
                made = samples_of(episode, recipe, verdicts=verdicts)
                census.add(made)
                if episode.trajectory is not None:
                    keep_pictures(made.samples, episode.trajectory, pictures_of(out))
                yield from made.samples
                for sample in reworded_samples(made, recipe):
                    said_otherwise += 1
                    yield sample

        about = {
            **_about(folder, recipe, against),
            "judged": judged,
            "hindsight": hindsight,
            "refusals": recipe.refusals.value,
            "wordings": recipe.wordings,
        }
        samples = guarded(f"{folder} leaks", found(), collection.tasks, evaluation)
        return census, write_samples(out, samples, about=about), said_otherwise

    census, count, said_otherwise = await asyncio.to_thread(work)
    figures = census.figures()
    output.say(
        f"{out}: {count} samples of {figures['episodes']['kept']} episodes"
        + (f", {said_otherwise} of them in other words" if said_otherwise else "")
        + f"; dropped {json.dumps(figures['steps']['dropped'])}"
    )


async def write_preference_pairs(
    folder: Path, out: Path, recipe: Recipe, against: Sequence[str], *, hindsight: bool = False
) -> None:
    evaluation = await evaluation_tasks(suite_of, against)
    collection = Collection(folder)

    def as_reference(episode: Episode) -> Episode:
        if not hindsight:
            return episode
        thoughts = _thoughts_of(collection, episode)
        return without_reflections(thoughts.applied(episode, _ruled(episode, Refusals.WALKS)))

    def work() -> Counter[str]:
        counts: Counter[str] = Counter()

        def counted() -> Iterator[PreferencePair]:
            for pair in forks.pairs_in(collection, recipe, as_reference=as_reference):
                counts[pair.paradigm] += 1
                yield pair

        pairs = guarded(f"{folder} leaks", counted(), collection.tasks, evaluation)
        about = {**_about(folder, recipe, against), "hindsight": hindsight}
        write_preferences(out, pairs, about=about)
        return counts

    counts = await asyncio.to_thread(work)
    output.say(f"{out}: {counts.total()} pairs, {json.dumps(dict(sorted(counts.items())))}")


def _about(folder: Path, recipe: Recipe, against: Sequence[str]) -> JsonObject:
    return {
        "collection": str(folder),
        "layout": recipe.settings.layout,
        "form": recipe.form.value,
        "prompt": recipe.settings.prompt,
        "context_tokens": recipe.settings.context_tokens,
        "against": list(against),
    }


def _verdicts(
    collection: Collection, episode: Episode, recipe: Recipe, *, judged: bool
) -> list[Verdict] | None:
    """The verdicts on an episode's steps; None for one that gives no samples."""
    if episode_rule(episode) is not None:
        return None
    verdicts = _ruled(episode, recipe.refusals)
    if not judged:
        return verdicts
    return Opinions.read(collection.folder / "episodes" / episode.name).applied(episode, verdicts)


def _ruled(episode: Episode, refusals: Refusals) -> list[Verdict]:
    """The rules' verdicts; with `ends`, what only led to a refusal is dropped with
    them."""
    verdicts = step_rules(episode.steps, writes=episode.notes.writes)
    return refusal_alone(episode, verdicts) if refusals is Refusals.ENDS else verdicts


def _thoughts_of(collection: Collection, episode: Episode) -> Thoughts:
    return Thoughts.read(collection.folder / "episodes" / episode.name)


async def write_outcomes(
    folder: Path, files: tuple[Path, Path], split: Split, against: Sequence[str]
) -> None:
    """Write what is learned into the first file, what is held out into the second."""
    evaluation = await evaluation_tasks(suite_of, against)
    collection = Collection(folder)

    def work() -> tuple[Side, Side]:
        sides = labelled(collection, judging, split)
        about: JsonObject = {
            "collection": str(folder),
            "layout": LAYOUT,
            "seed": split.seed,
            "held_out": split.held_out,
            "room": split.room,
            "against": list(against),
        }
        for path, side in zip(files, sides, strict=True):
            samples = guarded(f"{folder} leaks", side.samples, collection.tasks, evaluation)
            write_samples(path, samples, about=about)
        return sides

    for path, side in zip(files, await asyncio.to_thread(work), strict=True):
        counts = {kind.value: count for kind, count in sorted(side.kinds.items())}
        output.say(
            f"{path}: {len(side.samples)} walks, {json.dumps(counts)}; left out"
            f" {json.dumps(dict(sorted(side.left_out.items())))}"
        )


async def write_statistics(folder: Path, out: Path, recipe: Recipe) -> None:
    def work() -> dict[str, Any]:
        census = statistics.Census()
        for episode in Collection(folder):
            census.add(samples_of(episode, recipe))
        figures = census.figures()
        explored = read_figures(folder)
        figures |= {} if explored is None else {"exploration": explored}
        out.mkdir(parents=True, exist_ok=True)
        (out / "statistics.json").write_text(
            json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        (out / "statistics.html").write_text(
            statistics.page(f"Training data: {folder}", figures), encoding="utf-8"
        )
        return figures

    if not Collection(folder).names():
        raise not_found(
            "data.not_found",
            f"{folder} holds no collected episodes",
            hint="run: proofwalk data collect SUITE --out DIR",
        )
    figures = await asyncio.to_thread(work)
    print(json.dumps(figures, ensure_ascii=False, indent=2))
    output.say(f"written to {out / 'statistics.json'} and statistics.html")


async def write_differential(folder: Path, out: Path) -> None:
    collection = Collection(folder)

    def work() -> list[Differential]:
        found = list(differentials_in(collection))
        heading = f"Failed walks beside verified ones: {folder}"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(differential_page.page(heading, found, collection.picture), encoding="utf-8")
        return found

    found = await asyncio.to_thread(work)
    compared = [one for task in found for one in task.comparisons]
    parted = sum(one.parting is not None for one in compared)
    output.say(
        f"{out}: {len(found)} tasks were both done and failed; {len(compared)} failed walks, of"
        f" {parted} the step is known at which they parted"
    )
    for (done, right), count in partings(found).most_common(5):
        output.say(f"  {count} × {done}, where {right} was right")


async def write_single_steps(
    folder: Path, out: Path, recipe: Recipe, *, count: int, seed: int, trained: Sequence[Path]
) -> None:
    def work() -> tuple[list[singlestep.Pair], list[Match]]:
        collection = Collection(folder)
        watch = Watch([task for place in trained for task in Collection(place).tasks.values()])
        found = {name: watch.task(task) for name, task in collection.tasks.items()}
        known = [match for match in found.values() if match is not None]
        made: list[EpisodeSamples] = [
            samples_of(episode, recipe) for episode in collection if found[episode.task.id] is None
        ]
        if known and not made:
            raise ProofwalkError(
                LEAK,
                f"every task that {folder} has walked is known from training:"
                f" {'; '.join(map(str, known[:20]))}",
                status=Status.FAILED_PRECONDITION,
                hint=(
                    "draw the benchmark from other tasks; what counts as the same is said in"
                    " docs/adr/0005"
                ),
            )
        pairs = singlestep.choose(singlestep.pairs_of(made), count=count, seed=seed)
        about: JsonObject = {
            "collection": str(folder),
            "seed": seed,
            "layout": recipe.settings.layout,
            "trained": [str(place) for place in trained],
            "left_out": [match.first for match in known],
        }
        singlestep.write_pairs(out, pairs, about=about)
        return pairs, known

    pairs, known = await asyncio.to_thread(work)
    several = sum(len(pair.right) > 1 for pair in pairs)
    checked = (
        "held against " + ", ".join(map(str, trained))
        if trained
        else "held against no training data (--trained)"
    )
    left = f"; tasks left out, known from it: {len(known)}" if known else ""
    output.say(f"{out}: {len(pairs)} pairs, {several} with several right actions; {checked}{left}")
