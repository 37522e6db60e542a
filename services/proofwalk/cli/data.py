"""`proofwalk data`: training data from episodes that teachers walk. Exit codes: 0, 1 a
leak was found, 2 usage, 3 environment.

`collect` runs teachers over a suite through the bench's own runner and keeps every
trajectory with its typed outcome; it goes on where it was. `judge` asks a model about
single steps; `samples`, `stats` and `single-step` read what was collected (`datasets`).
`samples` refuses what an evaluation suite is known from; `single-step` leaves out what
is known from training.
"""

from __future__ import annotations

import asyncio
import fnmatch
import json
import time
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from proofwalk.agent.choosing import MODEL_POLICIES, POLICIES, no_model
from proofwalk.cli import explore, output
from proofwalk.cli.bench import LEVELS
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.datasets import singlestep, statistics
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.decontamination import LEAK, Watch, guarded
from proofwalk.datasets.exploration.figures import read_figures
from proofwalk.datasets.filters import episode_rule, step_rules
from proofwalk.datasets.opinions import with_judge
from proofwalk.datasets.sample_files import write_samples
from proofwalk.datasets.samples import EpisodeSamples, Recipe, samples_of
from proofwalk.datasets.step_judge import KeptStepJudge, ModelStepJudge, Opinions
from proofwalk.datasets.verdicts import StepRule, Verdict
from proofwalk.experiments.bench.journal import Journal
from proofwalk.experiments.bench.running import Work, run_all
from proofwalk.experiments.collection import EVALUATION, ORACLE, Collector, evaluation_tasks
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid, not_found
from proofwalk.kernel.ids import RandomIds
from proofwalk.kernel.json_values import JsonObject
from proofwalk.models.client import AnswerForm
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import SCRIPTED
from proofwalk.platform.laboratory import WORK, laboratory
from proofwalk.platform.settings import Settings
from proofwalk.platform.suites import suite_of
from proofwalk.suites.counting.rows import Row
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.rules.decontamination import Match

_ROWS = "rows.jsonl"

_Folder = Annotated[
    Path, typer.Argument(help="A folder that `data collect` wrote.", show_default=False)
]
_Layout = Annotated[str, typer.Option("--layout", help="normal, or compact: for small models.")]
_Answers = Annotated[
    str, typer.Option("--answers", help="The form of answers: schema, json or text.")
]
_Vision = Annotated[
    bool, typer.Option("--vision/--no-vision", help="With screenshots, where they were taken.")
]
_Context = Annotated[
    int,
    typer.Option(
        "--context-tokens",
        min=0,
        help=(
            "Tokens of question and answer, a quarter at most for the answer; 0: as the rollout's"
            " model."
        ),
    ),
]
_Page = Annotated[
    int,
    typer.Option("--page-chars", min=0, help="Characters of page text; 0: as the rollout's model."),
]

app = typer.Typer()
"""The commands of `proofwalk data`."""
app.command("explore")(explore.explore_command)


@app.command("collect")
def collect_command(
    suite: Annotated[
        str,
        typer.Argument(
            help="A suite under suites/ or build/suites/, or its folder.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            help="Folder of the collection; what it has is not run again.",
            show_default=False,
        ),
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option("--policy", help="Teachers: oracle, literal, llm, cascade. Repeatable."),
    ] = None,
    sample: Annotated[int, typer.Option(min=0, help="So many tasks, drawn by --seed; 0: all.")] = 0,
    seed: Annotated[int, typer.Option(help="Decides the sample.")] = 0,
    only: Annotated[str, typer.Option(help="Tasks whose id fits: ecs-*")] = "*",
    runs: Annotated[
        int, typer.Option(min=1, max=100, help="Runs of each task by each teacher.")
    ] = 1,
    level: Annotated[
        str, typer.Option(help="How much trouble the console makes: calm, real, storm.")
    ] = "real",
    parallel: Annotated[int, typer.Option(min=1, max=32, help="Episodes at a time.")] = 4,
) -> None:
    """Run teachers over tasks and keep each trajectory with its outcome."""
    policies = [SCRIPTED if name == ORACLE else name for name in policy or [ORACLE]]
    unknown = [name for name in policies if name not in POLICIES]
    if unknown:
        raise typer.BadParameter(
            f"one of {', '.join(sorted({*POLICIES, ORACLE}))}", param_hint="--policy"
        )
    if level not in LEVELS:
        raise typer.BadParameter(f"one of {', '.join(LEVELS)}", param_hint="--level")
    chosen = run(_chosen(suite, only=only, sample=sample, seed=seed))
    run(
        _collect(
            settings(),
            *chosen,
            policies=policies,
            out=out,
            runs=runs,
            level=level,
            parallel=parallel,
        )
    )


@app.command("samples")
def samples_command(
    folder: _Folder,
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.", show_default=False)],
    layout: _Layout = "normal",
    answers: _Answers = "schema",
    vision: _Vision = False,
    context_tokens: _Context = 0,
    page_chars: _Page = 0,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against", help="Suites that measure; by default console-278 and drift-200."
        ),
    ] = None,
    judged: Annotated[
        bool, typer.Option("--judged", help="Drop what `data judge` found useless too.")
    ] = False,
) -> None:
    """Filter a collection and write its steps as chat samples; refuse leaked tasks."""
    recipe = _recipe(
        settings(),
        layout,
        answers,
        vision=vision,
        context_tokens=context_tokens,
        page_chars=page_chars,
    )
    raise typer.Exit(
        run(
            _leaks_are_findings(_samples(folder, out, recipe, against or EVALUATION, judged=judged))
        )
    )


@app.command("judge")
def judge_command(
    folder: _Folder,
    endpoint: Annotated[
        str,
        typer.Option("--endpoint", help="OpenAI-compatible URL; by default the rollout's model."),
    ] = "",
    model: Annotated[str, typer.Option("--model", help="The judge's name at the endpoint.")] = "",
) -> None:
    """Ask a model which kept steps brought their walk forward; resume what is open."""
    asked = settings().rollout.model
    given = {name: value for name, value in {"endpoint": endpoint, "name": model}.items() if value}
    run(_judge(folder, asked.model_copy(update=given)))


@app.command("stats")
def stats_command(
    folder: _Folder,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", help="Folder of statistics.json and .html; by default the collection's."
        ),
    ] = None,
    layout: _Layout = "normal",
    answers: _Answers = "schema",
) -> None:
    """Count tasks, outcomes, steps, lengths and what each rule dropped."""
    recipe = _recipe(settings(), layout, answers, vision=False, context_tokens=0, page_chars=0)
    run(_stats(folder, out or folder, recipe))


@app.command("single-step")
def single_step_command(
    folder: _Folder,
    out: Annotated[
        Path, typer.Option("--out", help="File of pairs to write (JSON lines).", show_default=False)
    ],
    count: Annotated[int, typer.Option(min=1, help="Pairs at most.")] = singlestep.COUNT,
    seed: Annotated[int, typer.Option(help="Decides the draw.")] = 0,
    layout: _Layout = "normal",
    answers: _Answers = "schema",
    trained: Annotated[
        list[Path] | None,
        typer.Option(
            "--trained", help="Collections that are trained on: tasks known from them are left out."
        ),
    ] = None,
) -> None:
    """Draw the benchmark of single decisions from a collection kept out of training."""
    recipe = _recipe(settings(), layout, answers, vision=False, context_tokens=0, page_chars=0)
    raise typer.Exit(
        run(
            _leaks_are_findings(
                _single_step(folder, out, recipe, count=count, seed=seed, trained=trained or [])
            )
        )
    )


def _recipe(
    settings: Settings,
    layout: str,
    answers: str,
    *,
    vision: bool,
    context_tokens: int,
    page_chars: int,
) -> Recipe:
    """How the model that is to be trained will be asked: as the rollout role asks, but
    for what is said here."""
    if layout not in ("normal", "compact"):
        raise typer.BadParameter("one of normal, compact", param_hint="--layout")
    if answers not in tuple(AnswerForm):
        raise typer.BadParameter(f"one of {', '.join(AnswerForm)}", param_hint="--answers")
    # What a model learns to answer is one action.
    changes: dict[str, Any] = {"vision": vision, "layout": layout, "batches": False}
    if context_tokens:
        # A small context is mostly the question's: answers are short.
        answer = min(settings.rollout.model.max_tokens, max(64, context_tokens // 4))
        changes |= {"context_tokens": context_tokens, "max_tokens": answer}
    changes |= {"page_chars": page_chars} if page_chars else {}
    try:
        asked = ModelSettings.model_validate({**settings.rollout.model.model_dump(), **changes})
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False, include_context=False)[0]["msg"]
        raise invalid(
            "data.bad_recipe",
            told,
            hint="give other --layout, --vision, --context-tokens or --page-chars",
        ) from None
    return Recipe(settings=asked, form=AnswerForm(answers))


async def _chosen(name: str, *, only: str, sample: int, seed: int) -> tuple[Suite, list[Task]]:
    suite = await asyncio.to_thread(suite_of, name)
    tasks = [task for task in suite.tasks if fnmatch.fnmatchcase(task.id, only)]
    if not tasks:
        raise not_found(
            "data.no_task",
            f"no task of {suite.id} fits {only!r}",
            hint="ids are listed in the suite's suite.yaml",
        )
    if 0 < sample < len(tasks):
        tasks = sorted(Random(f"{seed}/{suite.id}").sample(tasks, sample), key=lambda task: task.id)  # noqa: S311
    return suite, tasks


async def _collect(
    settings: Settings,
    suite: Suite,
    tasks: Sequence[Task],
    *,
    policies: Sequence[str],
    out: Path,
    runs: int,
    level: str,
    parallel: int,
) -> None:
    asking = next((name for name in policies if name in MODEL_POLICIES), "")
    if asking and not settings.rollout.model.endpoint:
        raise no_model(asking)
    collection = Collection(out)
    await asyncio.to_thread(collection.add_tasks, suite, tasks)
    numbers = range(1, runs + 1)
    works = [
        Work(task=task, policy=name, run=number, level=level)
        for number in numbers
        for name in policies
        for task in tasks
    ]
    about = {"suite": suite.id, "version": suite.version, "level": level, "data": True}
    journal = Journal(out / _ROWS, run=about, resume=(out / _ROWS).is_file())
    async with laboratory(settings, folder=WORK, parallel=parallel) as place:
        collector = await Collector.of(place, collection)
        rows = await run_all(
            place,
            works,
            journal,
            parallel=parallel,
            ids=RandomIds(SystemClock()),
            progress=_Progress(),
            examine=collector,
        )
    passed, told = sum(row.passed for row in rows), sum(row.told for row in rows)
    unrecorded = sum("unrecorded" in row.extra for row in rows)
    output.say(
        f"{len(rows)} episodes of {len(tasks)} tasks: {passed} verified, {told - passed} failed or"
        f" blamed the document, {sum(row.final and not row.told for row in rows)} unproven or"
        f" suspected, {sum(not row.final for row in rows)} lost to the environment, {unrecorded}"
        f" without a trajectory; in {out}"
    )


async def _judge(folder: Path, asked: ModelSettings) -> None:
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
            verdicts = await with_judge(
                episode, step_rules(episode.steps, writes=episode.notes.writes), kept
            )
            useless += sum(one.rule is StepRule.JUDGED for one in verdicts)
            questions, unread = questions + kept.asked, unread + kept.unread
            output.say(f"{number}/{len(names)} {name}")
    output.say(
        f"{folder}: {questions} steps asked about, {unread} answers could not be read; {useless}"
        " steps found useless"
    )


async def _samples(
    folder: Path, out: Path, recipe: Recipe, against: Sequence[str], *, judged: bool = False
) -> None:
    evaluation = await evaluation_tasks(suite_of, against)
    collection = Collection(folder)

    def work() -> tuple[statistics.Census, int]:
        census = statistics.Census()

        def found() -> Iterator[ChatSample]:
            for episode in collection:
                made = samples_of(
                    episode, recipe, verdicts=_judged_steps(collection, episode) if judged else None
                )
                census.add(made)
                yield from made.samples

        about: JsonObject = {
            "collection": str(folder),
            "layout": recipe.settings.layout,
            "form": recipe.form.value,
            "prompt": recipe.settings.prompt,
            "context_tokens": recipe.settings.context_tokens,
            "against": list(against),
            "judged": judged,
        }
        samples = guarded(f"{folder} leaks", found(), collection.tasks, evaluation)
        return census, write_samples(out, samples, about=about)

    census, count = await asyncio.to_thread(work)
    figures = census.figures()
    output.say(
        f"{out}: {count} samples of {figures['episodes']['kept']} episodes; dropped"
        f" {json.dumps(figures['steps']['dropped'])}"
    )


def _judged_steps(collection: Collection, episode: Episode) -> list[Verdict] | None:
    if episode_rule(episode) is not None:
        return None
    opinions = Opinions.read(collection.folder / "episodes" / episode.name)
    return opinions.applied(episode, step_rules(episode.steps, writes=episode.notes.writes))


async def _stats(folder: Path, out: Path, recipe: Recipe) -> None:
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


async def _single_step(
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


async def _leaks_are_findings(work: Coroutine[Any, Any, None]) -> ExitCode:
    """The exit code: a leak is what was found, and nothing that went wrong."""
    try:
        await work
    except ProofwalkError as error:
        if error.code != LEAK:
            raise
        output.say(f"{error.code}: {error.message}\n  → {error.hint}")
        return ExitCode.FINDINGS
    return ExitCode.VERIFIED


class _Progress:
    """One line for each episode, with how much is left."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._seen = 0

    def __call__(self, row: Row, done: int, total: int) -> None:
        self._seen += 1
        each = (time.monotonic() - self._started) / self._seen
        ending = row.outcome if row.passed else f"{row.failure}: {row.reason}"
        kept = "" if "episode" in row.extra else f" · not kept: {row.extra.get('unrecorded', '')}"
        output.say(
            f"[{done}/{total}] {row.policy} {row.task} {row.run}: {output.clean(ending)[:160]},"
            f" {row.steps} steps{kept} · about {each * (total - done) / 60:.0f} min left"
        )
