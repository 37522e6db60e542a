"""`proofwalk data`: training data from episodes that teachers walk. Exit codes: 0, 1 a
leak was found, 2 usage, 3 environment.

`collect` runs teachers over a suite through the bench's own runner and keeps every
trajectory with its typed outcome; it goes on where it was. `judge` asks a model about
single steps, `hindsight` has one write their thoughts; `samples`, `preferences`,
`outcomes`, `stats`, `differential` and `single-step` read what was collected
(`datasets`). `samples` and `outcomes` refuse what an evaluation suite is known from;
`single-step` leaves out what is known from training.
"""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from proofwalk.agent.choosing import POLICIES
from proofwalk.cli import data_curriculum, data_hindsight, explore, output
from proofwalk.cli.bench import LEVELS
from proofwalk.cli.data_collecting import collect, of_stratum, tasks_of
from proofwalk.cli.data_reading import (
    judge,
    write_chat_samples,
    write_differential,
    write_outcomes,
    write_preference_pairs,
    write_single_steps,
    write_statistics,
)
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.cli.running import run, settings
from proofwalk.datasets import singlestep
from proofwalk.datasets.budget import Spectrum, spectrum
from proofwalk.datasets.decontamination import LEAK
from proofwalk.datasets.outcomes.labelling import Split
from proofwalk.datasets.outcomes.questions import ROOM
from proofwalk.datasets.samples import Recipe, Refusals
from proofwalk.datasets.strata import Stratum
from proofwalk.experiments.collection import EVALUATION, ORACLE
from proofwalk.kernel.errors import ProofwalkError, invalid
from proofwalk.models.client import AnswerForm
from proofwalk.models.settings import ModelSettings
from proofwalk.orders.order import SCRIPTED
from proofwalk.platform.settings import Settings

_Folder = Annotated[
    Path, typer.Argument(help="A folder that `data collect` wrote.", show_default=False)
]
_Stratum = Annotated[
    Stratum | None,
    typer.Option(
        help="Only tasks that the collection's walks so far solved, solved partly or not.",
        show_default=False,
    ),
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
_Against = Annotated[
    list[str] | None,
    typer.Option("--against", help="Suites that measure; by default console-278 and drift-200."),
]
_Page = Annotated[
    int,
    typer.Option("--page-chars", min=0, help="Characters of page text; 0: as the rollout's model."),
]
_Refusals = Annotated[
    Refusals,
    typer.Option(
        "--refusals",
        help="Of walks that give up rightly: walks, all steps; ends, the last one alone.",
    ),
]
_Hindsight = Annotated[
    bool,
    typer.Option("--hindsight", help="With the thoughts that `data hindsight` had written."),
]
app = typer.Typer()
"""The commands of `proofwalk data`."""
app.command("explore")(explore.explore_command)
app.command("hindsight")(data_hindsight.hindsight_command)
app.command("curriculum")(data_curriculum.curriculum_command)
app.command("values")(data_curriculum.values_command)


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
        str,
        typer.Option(
            help=(
                "Runs of each task by each teacher; or budgets with pass rates, 2:1,4:0.5,8: two"
                " where both pass, four where half do, else eight."
            )
        ),
    ] = "1",
    stratum: _Stratum = None,
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
    budget = _budget(runs)  # before the tasks, which may take a minute to make
    found, tasks = run(tasks_of(suite, only=only, sample=sample, seed=seed))
    run(
        collect(
            settings(),
            found,
            tasks if stratum is None else run(of_stratum(out, tasks, stratum)),
            policies=policies,
            out=out,
            budget=budget,
            level=level,
            parallel=parallel,
        )
    )


def _budget(runs: str) -> Spectrum:
    try:
        return spectrum(runs)
    except ProofwalkError as error:
        raise typer.BadParameter(error.message, param_hint="--runs") from None


@app.command("samples")
def samples_command(
    folder: _Folder,
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.", show_default=False)],
    layout: _Layout = "normal",
    answers: _Answers = "schema",
    vision: _Vision = False,
    context_tokens: _Context = 0,
    page_chars: _Page = 0,
    against: _Against = None,
    refusals: _Refusals = Refusals.WALKS,
    judged: Annotated[
        bool, typer.Option("--judged", help="Drop what `data judge` found useless too.")
    ] = False,
    hindsight: _Hindsight = False,
    wordings: Annotated[
        int,
        typer.Option(
            min=0, max=20, help="Ask each step in so many other wordings of its document too."
        ),
    ] = 0,
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
    recipe = replace(recipe, refusals=refusals, wordings=wordings)
    measuring = against or EVALUATION
    work = write_chat_samples(folder, out, recipe, measuring, judged=judged, hindsight=hindsight)
    raise typer.Exit(run(_leaks_are_findings(work)))


@app.command("preferences")
def preferences_command(
    folder: _Folder,
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.", show_default=False)],
    layout: _Layout = "normal",
    answers: _Answers = "schema",
    context_tokens: _Context = 0,
    page_chars: _Page = 0,
    against: _Against = None,
    hindsight: _Hindsight = False,
) -> None:
    """Write pairs: what was right where a failed walk left a verified one."""
    recipe = _recipe(
        settings(),
        layout,
        answers,
        vision=False,
        context_tokens=context_tokens,
        page_chars=page_chars,
    )
    work = write_preference_pairs(folder, out, recipe, against or EVALUATION, hindsight=hindsight)
    raise typer.Exit(run(_leaks_are_findings(work)))


@app.command("outcomes")
def outcomes_command(
    folder: _Folder,
    out: Annotated[Path, typer.Option("--out", help="Parquet file to write.", show_default=False)],
    held_out: Annotated[
        Path,
        typer.Option(
            "--held-out",
            help="Parquet file of a quarter of the tasks, kept out of the other.",
            show_default=False,
        ),
    ],
    context_tokens: Annotated[
        int,
        typer.Option("--context-tokens", min=400, help="Tokens of a question at most, estimated."),
    ] = ROOM,
    seed: Annotated[int, typer.Option(help="Decides the split and the changes.")] = 0,
    against: _Against = None,
) -> None:
    """Write walks with the rule's YES or NO, to train an outcome reward model."""
    split = Split(seed=seed, room=context_tokens)
    work = write_outcomes(folder, (out, held_out), split, against or EVALUATION)
    raise typer.Exit(run(_leaks_are_findings(work)))


@app.command("judge")
def judge_command(
    folder: _Folder,
    endpoint: Annotated[
        str,
        typer.Option("--endpoint", help="OpenAI-compatible URL; by default the rollout's model."),
    ] = "",
    model: Annotated[str, typer.Option("--model", help="The judge's name at the endpoint.")] = "",
    refusals: _Refusals = Refusals.WALKS,
) -> None:
    """Ask a model which kept steps brought their walk forward; resume what is open."""
    asked = settings().rollout.model
    given = {name: value for name, value in {"endpoint": endpoint, "name": model}.items() if value}
    run(judge(folder, asked.model_copy(update=given), refusals))


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
    run(write_statistics(folder, out or folder, recipe))


@app.command("differential")
def differential_command(
    folder: _Folder,
    out: Annotated[Path, typer.Option("--out", help="HTML page to write.", show_default=False)],
) -> None:
    """Show failed walks beside verified ones of their task, and where they parted."""
    run(write_differential(folder, out))


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
                write_single_steps(
                    folder, out, recipe, count=count, seed=seed, trained=trained or []
                )
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
