"""The stages of `proofwalk learn`, in order, through the platform's own roles.

    tasks … sft                                                          beginning
    grpo                      a run of the trainer role from SFT's checkpoint, which
                              acts in the embedded cloud
    base, tuned, reinforced   each version over the evaluation tasks     evaluation
    table                     figures, gains, costs; learn.json, .html   figures, page

What their folder holds says `experiment`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from proofwalk.experiments.learn import beginning, evaluation, figures, gathering
from proofwalk.experiments.learn.experiment import Experiment, Run, Stage, run_stages
from proofwalk.experiments.learn.ledger import Entry
from proofwalk.experiments.learn.recipe import Recipe
from proofwalk.kernel.json_values import JsonObject

Learning = Experiment[Recipe]


async def learn(experiment: Learning, *, until: str = "") -> None:
    """Run the stages that are not done, up to and with `until`."""
    await run_stages(experiment, STAGES, until=until)


async def _grpo(experiment: Learning, entry: Entry) -> JsonObject:
    recipe, part = experiment.recipe, experiment.recipe.grpo
    settings = part.read(seed=recipe.seed, temperature=recipe.asking.temperature)
    config: JsonObject = {
        "method": "grpo",
        "model": experiment.result("sft")["folder"],
        "settings": beginning.bare(settings.model_dump(mode="json")),
        "rollouts": part.walked(
            experiment.suite(gathering.TRAINING), part.tasks, policy=evaluation.POLICY
        ),
    }
    if part.validation:
        validated: JsonObject = {"tasks": list(part.validation), "runs": part.validation_runs}
        config = {**config, "validation": validated}
    async with experiment.serving() as place:
        return await beginning.train(
            experiment, "grpo", config, place.process, seconds=part.minutes * 60 - entry.seconds
        )


def _arm(name: str, trained: str) -> Run[Learning]:
    async def run(experiment: Learning, _: Entry) -> JsonObject:
        made = experiment.result(trained) if trained else None
        numbers = range(1, experiment.recipe.evaluate.runs + 1)
        return await beginning.measure(experiment, name, made, numbers=numbers)

    return run


async def _table(experiment: Learning, _: Entry) -> JsonObject:
    return await figures.write(experiment)


ARMS: Mapping[str, str] = {"base": "", "tuned": "sft", "reinforced": "grpo"}
"""Stages that evaluate, and the stage whose weights they evaluate."""


def _measured(arm: str) -> Stage[Learning]:
    trained = ARMS[arm]
    return Stage(
        name=arm,
        parts=beginning.ASKED,
        after=("tasks", trained or "model"),
        run=_arm(arm, trained),
    )


STAGES: Sequence[Stage[Learning]] = (
    *beginning.BEGINNING,
    _measured("base"),
    _measured("tuned"),
    Stage(name="grpo", parts=("grpo", "asking", "engine", "seed"), after=("sft",), run=_grpo),
    _measured("reinforced"),
    Stage(name="table", parts=("name",), after=tuple(ARMS), run=_table),
)
