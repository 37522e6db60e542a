"""The options of `verify` for continuous integration, as flags of a command.

A command that takes a `Reports` gets a flag for each of its fields in its place, as
`order_options` does for an order.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, get_type_hints

import typer


@dataclass(frozen=True, kw_only=True)
class Reports:
    """What a command writes beside its output. A file's folder is made if it is not
    there."""

    sarif: Annotated[
        Path | None, typer.Option(help="File for the findings as SARIF 2.1.0, with fixes.")
    ] = None
    junit: Annotated[Path | None, typer.Option(help="File for the sub-steps as JUnit XML.")] = None
    code_quality: Annotated[
        Path | None, typer.Option(help="File for the findings as GitLab's Code Quality report.")
    ] = None
    summary: Annotated[Path | None, typer.Option(help="File for a summary in Markdown.")] = None
    annotations: Annotated[
        Literal["none", "github", "gitlab"],
        typer.Option(help="Findings in the job's log, on standard error."),
    ] = "none"
    patches: Annotated[
        Path | None, typer.Option(help="Folder for a proposed patch of each wrong document.")
    ] = None
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Walk each patched document, and keep only patches after which it is verified.",
        ),
    ] = False
    proof_walks: Annotated[
        int, typer.Option(min=1, max=50, help="Most walks that look for a document's patch.")
    ] = 6

    @property
    def wants_patches(self) -> bool:
        return any((self.sarif, self.summary, self.patches, self.annotations != "none"))


def takes_reports(command: Callable[..., None]) -> Callable[..., None]:
    """The command with flags in the place of its parameter of type `Reports`. Raises
    `typer.BadParameter` for `--prove` without `--patches`."""
    own = inspect.signature(command, eval_str=True)
    place = next(one.name for one in own.parameters.values() if one.annotation is Reports)
    types = get_type_hints(Reports, include_extras=True)
    flags = {
        one.name: inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if one.default is MISSING else one.default,
            annotation=types[one.name],
        )
        for one in fields(Reports)
    }

    @functools.wraps(command)
    def run(**values: Any) -> None:
        reports = Reports(**{name: values.pop(name) for name in flags})
        if reports.prove and reports.patches is None:
            raise typer.BadParameter("it needs --patches", param_hint="--prove")
        command(**values, **{place: reports})

    parameters: list[inspect.Parameter] = []
    for one in own.parameters.values():
        parameters += flags.values() if one.name == place else [one]
    flagged = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    run.__signature__ = own.replace(parameters=flagged)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in flagged}
    return run
