"""`proofwalk data curriculum`: the next phase's tasks, made from what the last one
failed at (`platform.curriculum`); `proofwalk data values`: what a critic expects of
them. Exit codes: 0, 2 usage, 3 environment."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.cli.suites import failed_in
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.first_questions import FirstQuestions
from proofwalk.datasets.samples import Recipe
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import invalid
from proofwalk.models.client import AnswerForm
from proofwalk.models.settings import ModelSettings
from proofwalk.platform import curriculum as making
from proofwalk.platform.suites import SUITES, suite_of
from proofwalk.suites.evolution.values import HIGH, LOW, Value, ValueFilter

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,40}")


def curriculum_command(
    source: Annotated[
        Path,
        typer.Argument(
            help="A folder that `data collect` wrote, or that of a run of training.",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("--out", help="Folder of the suite; its name is the suite's id."),
    ] = Path("build/suites/evolved"),
    count: Annotated[int, typer.Option(min=1, help="Tasks at most.")] = 200,
    seed: Annotated[int, typer.Option(help="Decides everything that is drawn.")] = 1,
    values: Annotated[
        Path | None,
        typer.Option(help="What `data values` told of the tasks: others are drawn then."),
    ] = None,
    without: Annotated[
        Path | None,
        typer.Option(help="A result of `bench prove`: the tasks that failed there are left out."),
    ] = None,
) -> None:
    """Make new tasks from those that a policy failed at, for the next phase.

    Write them, then prove them: proofwalk bench prove OUT --oracle; and leave out what
    fails: --without.
    """
    run(_evolve(source, out, _Request(count=count, seed=seed, values=values, without=without)))


@dataclass(frozen=True, kw_only=True)
class _Request:
    """What is asked for."""

    count: int
    seed: int
    values: Path | None
    without: Path | None


async def _evolve(source: Path, out: Path, request: _Request) -> None:
    if not _ID.fullmatch(out.name):
        raise invalid(
            "curriculum.bad_name",
            f"{out.name!r} cannot be the id of a suite",
            hint="name a folder of lower-case letters, digits and hyphens",
        )

    critic = None if request.values is None else ValueFilter(value=_read(request.values))
    failed = failed_in(request.without)

    def work() -> making.Curriculum:
        made = making.evolved(
            making.walked_in(source, SystemClock()),
            request.count,
            suite_id=out.name,
            seed=request.seed,
            folder=SUITES,
            critic=critic,
        )
        proven = making.without(made, failed)
        making.write_curriculum(proven, out, failed=sorted(failed))
        return proven

    _say(await asyncio.to_thread(work), out, request.count)


def values_command(
    suite: Annotated[str, typer.Argument(help="A suite, or its folder.", show_default=False)],
    critic: Annotated[
        Path, typer.Option(help="A checkpoint of a run of webrl.", show_default=False)
    ],
    pages: Annotated[
        Path,
        typer.Option(help="A collection whose walks show the first page.", show_default=False),
    ],
    out: Annotated[Path, typer.Option("--out", help="File to write (JSON).", show_default=False)],
) -> None:
    """Have a critic tell the chance of success of each task, at its first question.

    Questions are asked as the rollout role's model is: PROOFWALK_ROLLOUT__MODEL__….
    """
    asked = settings().rollout.model.model_copy(update={"vision": False, "batches": False})
    recipe = Recipe(settings=asked, form=_form(asked))
    run(_value(suite, critic, FirstQuestions(Collection(pages), recipe), out))


def _form(asked: ModelSettings) -> AnswerForm:
    return AnswerForm.SCHEMA if asked.answers == "auto" else AnswerForm(asked.answers)


async def _value(suite: str, critic: Path, questions: FirstQuestions, out: Path) -> None:
    def work() -> dict[str, float]:
        # torch, which the other commands can do without
        from proofwalk.trainer.valuing import critic_at

        value = critic_at(critic)
        values = {task.id: value(questions.question(task)) for task in suite_of(suite).tasks}
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
        return values

    values = await asyncio.to_thread(work)
    within = sum(LOW <= one <= HIGH for one in values.values())
    output.say(f"{out}: {len(values)} values, {within} from {LOW} to {HIGH}")


def _say(made: making.Curriculum, out: Path, count: int) -> None:
    evolution = made.evolution
    number = len(made.suite.tasks)
    output.say(
        f"{out}: {number} tasks from {len(evolution.parents)} of"
        f" {len(made.walked.failures)} tasks that were failed at; {_counts(evolution.by_way)}"
    )
    output.say(f"dropped: {_counts({drop.value: n for drop, n in evolution.dropped.items()})}")
    for why, times in sorted(evolution.reasons.items(), key=lambda one: (-one[1], one[0]))[:10]:
        output.say(f"  {times} not feasible: {output.clean(why)[:300]}")
    if evolution.without_units:
        output.say(f"passed over, of unknown units: {', '.join(evolution.without_units[:10])}")
    if evolution.filtered:
        output.say(f"values: kept from {LOW} to {HIGH}")
    else:
        output.say("values: the filter did not run, since nobody told any: proofwalk data values")
    if number < count:
        output.say(f"fewer than {count}: there is no further task, or no value of one")
    output.say(f"next: proofwalk bench prove {out} --oracle")


def _counts(counted: Mapping[str, int]) -> str:
    return json.dumps(dict(counted))


def _read(path: Path) -> Value:
    """The values of a file. Raises `curriculum.bad_values`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        values = {str(name): float(value) for name, value in content.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise invalid(
            "curriculum.bad_values",
            f"{path} holds no values: {error}",
            hint="let a critic tell them: proofwalk data values",
        ) from None
    return lambda task: values.get(task.id)
