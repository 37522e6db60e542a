"""The flags of `proofwalk map make` beside its target and its file, as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from proofwalk.cli.map_making import MapOrder
from proofwalk.maps.exploration import Bounds

_DEFAULT = Bounds()
_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True)
class MapFlags:
    """What may be said of an exploration."""

    role: Annotated[
        str,
        typer.Option(
            help="What the map calls the role, and whose account signs in where the target has one."
        ),
    ] = ""
    account: Annotated[
        str, typer.Option(help="External id of the account; default: the first.")
    ] = ""
    new_login: Annotated[
        bool,
        typer.Option(
            "--new-login", help="Have the cloud make the account a new login; its others end."
        ),
    ] = False
    revision: Annotated[
        str, typer.Option(help="Which state of the console it is; default: the day.")
    ] = ""
    minutes: Annotated[float, typer.Option(min=0.05, help="Most minutes.")] = (
        _DEFAULT.seconds / _SECONDS
    )
    pages: Annotated[int, typer.Option(min=1, help="Most pages.")] = _DEFAULT.pages
    actions: Annotated[int, typer.Option(min=1, help="Most actions.")] = _DEFAULT.actions
    reads: Annotated[
        list[str] | None,
        typer.Option(help="Path of POSTs that only read, such as /api/list/*; repeatable."),
    ] = None
    never: Annotated[
        list[str] | None, typer.Option(help="One more word that is not pressed; repeatable.")
    ] = None
    headed: Annotated[bool, typer.Option(help="Show the browser; needs a display.")] = False

    def order(self) -> MapOrder:
        """Return what is ordered."""
        return MapOrder(
            account=self.account,
            new_login=self.new_login,
            role=self.role,
            revision=self.revision,
            bounds=Bounds(pages=self.pages, actions=self.actions, seconds=self.minutes * _SECONDS),
            reads=self.reads or (),
            never=self.never or (),
        )


def takes_map_flags(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these flags in the place of its parameter `flags`."""
    own = inspect.signature(command, eval_str=True)
    flags = inspect.signature(MapFlags, eval_str=True).parameters

    @functools.wraps(command)
    def run(**values: Any) -> None:
        chosen = MapFlags(**{name: values.pop(name) for name in flags})
        command(**values, flags=chosen)

    parameters = [one for one in own.parameters.values() if one.name != "flags"]
    run.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=[
            *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters),
            *flags.values(),
        ]
    )
    return run
