"""What a command says of a collection: its flags beside the order's, and the
specification that they make.

A command that takes a `CollectionFlags` gets a flag for each field in its place, as one
that takes a `Given` gets the order's (`order_options`).
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_type_hints

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


@dataclass(frozen=True, kw_only=True)
class CollectionFlags:
    """What a command's flags say of a collection; each field is a flag."""

    name: Annotated[
        str,
        typer.Option(help="The collection's name; default: the address.", show_default=False),
    ] = ""
    kind: Annotated[
        SourceKind, typer.Option(help="What the address names: a folder, a repository, …")
    ] = SourceKind.FOLDER
    subfolder: Annotated[
        str,
        typer.Option(
            help="Folder in a repository; path within which a site is crawled.",
            show_default=False,
        ),
    ] = ""
    ref: Annotated[
        str,
        typer.Option(
            help="Branch, tag or commit of a repository; default: its HEAD.", show_default=False
        ),
    ] = ""
    walks: Annotated[
        int, typer.Option(min=0, help="Verifications of one inspection; 0: any number.")
    ] = 0
    cost: Annotated[float, typer.Option(min=0, help="Cost of one inspection; 0: any.")] = 0.0
    seconds: Annotated[
        float, typer.Option(min=0, help="Seconds of all walks of one inspection; 0: any.")
    ] = 0.0
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Verifications at a time.")] = 1
    refresh_days: Annotated[
        float, typer.Option(min=0.001, help="Age at which an unchanged procedure is due again.")
    ] = 30.0
    weight: Annotated[
        list[str] | None,
        typer.Option(
            help="How much pages count, as PATTERN=WEIGHT; repeatable.", show_default=False
        ),
    ] = None
    all_procedures: Annotated[
        bool,
        typer.Option(
            "--all-procedures", help="Every procedure of a page, not only what it is about."
        ),
    ] = False
    never_replay: Annotated[
        bool, typer.Option("--never-replay", help="Walk unchanged procedures in full too.")
    ] = False


def takes_collection(command: Callable[..., None]) -> Callable[..., None]:
    """The command with a collection's flags in the place of its parameter of type
    `CollectionFlags`."""
    own = inspect.signature(command, eval_str=True)
    place = next(one.name for one in own.parameters.values() if one.annotation is CollectionFlags)
    hints = get_type_hints(CollectionFlags, include_extras=True)
    flags = [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=one.default,
            annotation=hints[one.name],
        )
        for one in dataclasses.fields(CollectionFlags)
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        said = {flag.name: values.pop(flag.name) for flag in flags}
        command(**values, **{place: CollectionFlags(**said)})

    parameters: list[inspect.Parameter] = []
    for one in own.parameters.values():
        parameters += flags if one.name == place else [one]
    keywords = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    run.__signature__ = own.replace(parameters=keywords)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in keywords}
    return run


def spec_of(
    address: str, given: Given, flags: CollectionFlags, schedule: Schedule | None = None
) -> CollectionSpec:
    """The collection of a source. Raises `request.malformed`, and what is wrong with a
    file that the order names."""
    is_path = flags.kind is SourceKind.FOLDER or (
        flags.kind is SourceKind.GIT and "://" not in address
    )
    place = str(Path(address).resolve()) if is_path else address
    texts = texts_for(given.order, None, named=given.files)
    try:
        return CollectionSpec(
            name=flags.name or place,
            source=Source(
                kind=flags.kind, address=place, subfolder=flags.subfolder, branch=flags.ref
            ),
            order=given.order.model_copy(update=texts),
            budget=Budget(walks=flags.walks, cost=flags.cost, seconds=flags.seconds),
            schedule=schedule or Schedule(),
            weights=tuple(_weight(text) for text in flags.weight or ()),
            concurrency=flags.parallel,
            refresh_s=flags.refresh_days * _DAY_S,
            all_procedures=flags.all_procedures,
            never_replay=flags.never_replay,
        )
    except ValidationError as error:
        raise malformed(rows_of(error))[0] from None


def _weight(text: str) -> Weight:
    pattern, _, number = text.rpartition("=")
    try:
        return Weight(pattern=pattern, weight=float(number))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not PATTERN=WEIGHT", param_hint="--weight") from None
