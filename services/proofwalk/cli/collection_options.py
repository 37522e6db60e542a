"""What a command says of a collection: its flags beside the order's, and the
specification that they make."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from proofwalk.cli.order_options import Given
from proofwalk.orders.beside import texts_for
from proofwalk.orders.body import malformed, rows_of
from proofwalk.orders.collection import (
    Budget,
    CollectionSpec,
    Schedule,
    Source,
    SourceKind,
    Weight,
)

_DAY_S = 86400.0
Name = Annotated[
    str, typer.Option(help="The collection's name; default: the folder.", show_default=False)
]
Walks = Annotated[int, typer.Option(min=0, help="Verifications of one inspection; 0: any number.")]
Cost = Annotated[float, typer.Option(min=0, help="Cost of one inspection; 0: any.")]
Seconds = Annotated[
    float, typer.Option(min=0, help="Seconds of all walks of one inspection; 0: any number.")
]
Parallel = Annotated[int, typer.Option(min=1, max=64, help="Verifications at a time.")]
RefreshDays = Annotated[
    float, typer.Option(min=0.001, help="Age at which an unchanged procedure is due again.")
]
Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--weight", help="How much pages count, as PATTERN=WEIGHT; repeatable.", show_default=False
    ),
]
AllProcedures = Annotated[
    bool,
    typer.Option(
        "--all-procedures", help="Every procedure of a page, not only what the page is about."
    ),
]
NeverReplay = Annotated[
    bool, typer.Option("--never-replay", help="Walk unchanged procedures in full too.")
]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What one inspection may use."""

    walks: int
    cost: float
    seconds: float
    parallel: int
    refresh_days: float


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What else a command says of a collection."""

    name: str = ""
    weights: tuple[str, ...] = ()
    schedule: Schedule = field(default_factory=Schedule)
    all_procedures: bool = False
    never_replay: bool = False


def spec_of(folder: Path, given: Given, bounds: Bounds, choices: Choices) -> CollectionSpec:
    """The collection of a folder. Raises `request.malformed`, and what is wrong with a
    file that the order names."""
    place = str(folder.resolve())
    texts = texts_for(given.order, None, named=given.files)
    try:
        return CollectionSpec(
            name=choices.name or place,
            source=Source(kind=SourceKind.FOLDER, address=place),
            order=given.order.model_copy(update=texts),
            budget=Budget(walks=bounds.walks, cost=bounds.cost, seconds=bounds.seconds),
            schedule=choices.schedule,
            weights=tuple(_weight(text) for text in choices.weights),
            concurrency=bounds.parallel,
            refresh_s=bounds.refresh_days * _DAY_S,
            all_procedures=choices.all_procedures,
            never_replay=choices.never_replay,
        )
    except ValidationError as error:
        raise malformed(rows_of(error))[0] from None


def _weight(text: str) -> Weight:
    pattern, _, number = text.rpartition("=")
    try:
        return Weight(pattern=pattern, weight=float(number))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not PATTERN=WEIGHT", param_hint="--weight") from None
