"""`proofwalk data hindsight`: a model writes the thoughts of verified walks' steps,
given what was done and what came of it (`datasets.hindsight`). Exit codes: 0, 2 usage,
3 environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from proofwalk.chassis.logs import Redaction
from proofwalk.chassis.settings import secret_values
from proofwalk.cli import output
from proofwalk.cli.running import run, settings
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.hindsight.runs import HindsightBounds, HindsightRun
from proofwalk.datasets.hindsight.writer import ThoughtWriter
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status, invalid
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.platform.settings import Settings


def hindsight_command(
    folder: Annotated[
        Path, typer.Argument(help="A folder that `data collect` wrote.", show_default=False)
    ],
    endpoint: Annotated[
        str,
        typer.Option("--endpoint", help="OpenAI-compatible URL; by default the rollout's model."),
    ] = "",
    model: Annotated[str, typer.Option("--model", help="The model's name at the endpoint.")] = "",
    thoughts: Annotated[
        int, typer.Option(min=0, help="Thoughts of this call at most; 0: no bound.")
    ] = 0,
    minutes: Annotated[float, typer.Option(min=0, help="Minutes of this call; 0: no bound.")] = 0,
    cost: Annotated[
        float,
        typer.Option(
            min=0, help="What the folder's thoughts may cost, by the price table; 0: no bound."
        ),
    ] = 0,
) -> None:
    """Have a model write the thoughts that lead to actions; resume what is open.

    Then: proofwalk data samples DIR --hindsight --out FILE.
    """
    here = settings()
    changes = {key: value for key, value in {"endpoint": endpoint, "name": model}.items() if value}
    asked = here.rollout.model.model_copy(update=changes)
    bounds = HindsightBounds(thoughts=thoughts, minutes=minutes, cost=cost)
    run(write_thoughts(folder, here, asked, bounds))


async def write_thoughts(
    folder: Path, here: Settings, asked: ModelSettings, bounds: HindsightBounds
) -> None:
    if bounds.cost and asked.prices is None:
        raise invalid(
            "data.no_prices",
            "what models cost is not known, so that --cost bounds nothing",
            hint="name a price file: PROOFWALK_ROLLOUT__MODEL__PRICES",
        )
    clock = SystemClock()
    async with connect(asked, clock=clock) as model:
        if model is None:
            raise ProofwalkError(
                "data.no_writer",
                "no model is named that could write thoughts",
                status=Status.FAILED_PRECONDITION,
                hint="give --endpoint URL --model NAME",
            )
        writer = ThoughtWriter(model, mask=Redaction(secret_values(here)).text)
        writing = HindsightRun(
            Collection(folder), writer, asked_for=asked.name, bounds=bounds, clock=clock
        )
        figures = await writing.run(output.say)
    spent = f"; all thoughts cost {figures.cost:.2f} {figures.currency}"
    output.say(
        f"{folder}: ended by {figures.ending}; {figures.written} thoughts in {figures.calls}"
        f" answers, {json.dumps(dict(sorted(figures.schemata.items())))};"
        f" {figures.left_to_template} steps keep theirs, no answer could be taken"
        f"{spent if figures.currency else ''}"
    )
