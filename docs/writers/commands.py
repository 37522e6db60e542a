"""The reference of the command line, from Typer's own description of every command."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import click
from typer.main import get_command

from docs.writers.markdown import plain, table
from proofwalk.cli.main import app


@cache
def commands() -> dict[str, Any]:
    """Every command by what is typed for it: `proofwalk jobs list`."""
    root = get_command(app)
    return dict(_within(root, "proofwalk", None))


def page() -> str:
    """The reference."""
    parts = [
        "# Commands\n\nResults go to standard output, progress and errors to standard error.\n"
    ]
    return "".join([*parts, *(_entry(name, command) for name, command in commands().items())])


def _within(command: Any, name: str, parent: Any) -> Iterator[tuple[str, Any]]:
    context = click.Context(command, info_name=name, parent=parent)
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for one in command.list_commands(context):
        below = command.get_command(context, one)
        if not below.hidden:
            yield from _within(below, f"{name} {one}", context)


def _entry(name: str, command: Any) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    typed = " ".join([name, *(_metavar(one) for one in arguments)])
    parts = [f"\n## {name}\n\n{plain(command.help or '')}\n\n`{typed}`\n"]
    rows = [(f"`{_metavar(one)}`", plain(one.help or ""), _default(one)) for one in arguments]
    rows += [
        (
            ", ".join(f"`{flag}`" for flag in [*one.opts, *one.secondary_opts]),
            plain(one.help or ""),
            _default(one),
        )
        for one in options
    ]
    return "".join(
        [*parts, "\n", table(("argument or option", "meaning", "default"), rows) if rows else ""]
    )


def _metavar(argument: Any) -> str:
    name = argument.name.upper() + ("…" if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required:
        return "needed"
    if value is None or callable(value) or value in ("", (), False):
        return ""
    if not isinstance(value, str | int | float | bool | list | tuple):
        return str(getattr(value, "value", "")) and f"`{getattr(value, 'value', '')}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
