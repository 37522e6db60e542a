"""`proofwalk methods`: the common checkpoint, then the arms that are asked for, then
the table of all that are done.

What an arm raises is said, and the next arm goes on: a bench of hours does not end with
one of its runs. The first error is raised behind the table.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofwalk.experiments.learn.beginning import BEGINNING
from proofwalk.experiments.learn.experiment import name_key, run_stages
from proofwalk.experiments.methods import figures
from proofwalk.experiments.methods.arm import Arm, Bench
from proofwalk.experiments.methods.phases import stages_of
from proofwalk.kernel.errors import ProofwalkError


async def bench(experiment: Bench, arms: Sequence[tuple[str, int]]) -> bool:
    """Run what is not done of the common checkpoint and of these arms, and write
    `methods.json` and `methods.html` of all arms that are done. True if those are all
    there are."""
    await run_stages(experiment, BEGINNING)
    failed: ProofwalkError | None = None
    for name, seed in arms:
        arm = Arm(experiment, name, seed)
        try:
            await run_stages(arm, stages_of(arm))
        except ProofwalkError as error:
            arm.say(f"failed: {error.code}: {error.message}")
            failed = failed or error
    found = done(experiment)
    if found:
        await figures.write(experiment, found)
    if failed is not None:
        raise failed
    return len(found) == len(experiment.recipe.arms)


def done(experiment: Bench) -> list[Arm]:
    """The arms of which every stage is done under its key."""
    found = []
    for name, seed in experiment.recipe.arms:
        arm = Arm(experiment, name, seed)
        keys = {stage.name: name_key(arm, stage) for stage in stages_of(arm)}
        if all(arm.ledger.result(stage, key) is not None for stage, key in keys.items()):
            found.append(arm)
    return found
