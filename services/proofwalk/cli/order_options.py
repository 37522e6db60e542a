"""An order's options as flags of a command, derived from `proofwalk.orders.order`.

A command that takes a `Given` gets a flag for each option in its place. An option that
is a text of its own, such as META, is read from a file: the flag names the file, which
is read for each document (`documents`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.order import Order, flag_of

_BOUNDS = {"min": "ge", "max": "le"}
"""Typer's name of a bound, and the field's."""


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a command's flags say for every document of it."""

    order: Order
    files: Mapping[str, Path] = field(default_factory=dict)
    """Options whose text is in a file, with the file."""


def takes_order(command: Callable[..., None]) -> Callable[..., None]:
    """The command with an order's flags in the place of its parameter of type
    `Given`."""
    own = inspect.signature(command, eval_str=True)
    place = next(one.name for one in own.parameters.values() if one.annotation is Given)
    flags = {
        name: _parameter(name, option)
        for name, option in Order.model_fields.items()
        if flag_of(option).shown
    }

    @functools.wraps(command)
    def run(**values: Any) -> None:
        told = {name: values.pop(name) for name in flags}
        command(**values, **{place: given_by(told)})

    parameters: list[inspect.Parameter] = []
    for one in own.parameters.values():
        parameters += flags.values() if one.name == place else [one]
    shown = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
    run.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in shown}
    return run


def given_by(told: Mapping[str, object]) -> Given:
    """Raises `typer.BadParameter` for what no order can say."""
    from_file = {name for name, option in Order.model_fields.items() if flag_of(option).reads_file}
    files = {
        name: value for name, value in told.items() if name in from_file and isinstance(value, Path)
    }
    try:
        order = Order(**{name: value for name, value in told.items() if name not in from_file})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise typer.BadParameter(str(first["msg"]), param_hint=_spelling(name)) from None
    except ProofwalkError as error:
        raise typer.BadParameter(f"{error.code}: {error.message}") from None
    return Given(order=order, files=files)


def _spelling(option: str) -> str:
    return f"--{flag_of(Order.model_fields[option]).name or option.replace('_', '-')}"


def _parameter(name: str, option: FieldInfo) -> inspect.Parameter:
    flag = flag_of(option)
    bounds = {
        side: value
        for one in option.metadata
        for side, name in _BOUNDS.items()
        if (value := getattr(one, name, None)) is not None
    }
    words = (
        [word for word in get_args(option.annotation) if word]
        if get_origin(option.annotation) is Literal
        else []
    )
    help_text = flag.help or option.description or ""
    if words:
        help_text = f"{help_text} One of {', '.join(words)}."
    kind: Any = Path | None if flag.reads_file else str if words else option.annotation
    spelt = [f"--{flag.name}"] if flag.name else []
    default = None if flag.reads_file else option.default if flag.default is None else flag.default
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, typer.Option(*spelt, help=help_text, **bounds)],
    )
