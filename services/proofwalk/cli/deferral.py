"""Groups of commands whose module is imported when one of them is asked for.

The command line is what starts every role's process, so what it imports, each of them
pays for: in seconds at a start, and in its image's size. A group that needs libraries
which no role's start does is put off.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from proofwalk.kernel.errors import ProofwalkError, Status


def deferred(
    load: Callable[[], typer.Typer], *, fail: Callable[[ProofwalkError], Exception]
) -> type[TyperGroup]:
    """A class for `typer.Typer(cls=…)`. `load` imports the group with its commands; it
    is called once, when they are first looked at.

    Where `load` misses a package, as it does in the image of a role that has no use for
    it, `fail` makes what is raised of `command.not_installed`.
    """

    @functools.cache
    def loaded() -> TyperGroup:
        try:
            application = load()
        except ModuleNotFoundError as error:
            missing = ProofwalkError(
                "command.not_installed",
                f"these commands need the package {error.name}, which is not installed here",
                status=Status.FAILED_PRECONDITION,
                hint="install all of Proofwalk; a role's image has only what the role needs",
            )
            raise fail(missing) from None
        return get_group(application)

    class Deferred(TyperGroup):
        """The group; it has no commands of its own."""

        def list_commands(self, ctx: Any) -> list[str]:
            return loaded().list_commands(ctx)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return loaded().get_command(ctx, cmd_name)

    return Deferred
