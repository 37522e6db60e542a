"""What an evaluator looks at: a program's words, a file of the guest, a rule of the
task."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from proofwalk.desktop.guest import Guest
from proofwalk.desktop.osworld.setup import Fetch, command
from proofwalk.desktop.osworld.task import Getter, told_by_the_task
from proofwalk.kernel.errors import ProofwalkError, Status

_Parameters = Mapping[str, Any]


async def get(getter: Getter, guest: Guest, *, fetch: Fetch, screen: tuple[int, int]) -> Any:
    """What it is now; None when the desktop has no such thing. Raises
    `osworld.unsupported`, `osworld.task_invalid`, and what `fetch` raises."""
    with told_by_the_task(getter.type):
        return await _GETTING[supported_type(getter)](getter.parameters, guest, fetch, screen)


def supported_type(getter: Getter) -> str:
    """The getter's type. Raises `osworld.unsupported`."""
    if getter.type not in _GETTING:
        raise ProofwalkError(
            "osworld.unsupported",
            f"evaluators cannot look at {getter.type!r} of this desktop",
            status=Status.UNIMPLEMENTED,
            hint=f"supported are {', '.join(_GETTING)}",
        )
    return getter.type


async def _words(parameters: _Parameters, guest: Guest, _: Fetch, screen: tuple[int, int]) -> str:
    return (await guest.run(command(parameters, screen))).out.decode("utf-8", "replace")


async def _errors(parameters: _Parameters, guest: Guest, _: Fetch, screen: tuple[int, int]) -> str:
    return (await guest.run(command(parameters, screen))).err.decode("utf-8", "replace")


async def _file(
    parameters: _Parameters, guest: Guest, _: Fetch, screen: tuple[int, int]
) -> bytes | None:
    try:
        return await guest.read(str(parameters["path"]))
    except ProofwalkError as error:
        # Too large is as wrong as missing: what a policy leaves behind never turns its
        # failure into the environment's.
        if error.code not in ("desktop.guest_refused", "desktop.file_too_large"):
            raise
        return None


async def _fetched(
    parameters: _Parameters, guest: Guest, fetch: Fetch, screen: tuple[int, int]
) -> bytes:
    return await fetch(str(parameters["path"]))


async def _rule(
    parameters: _Parameters, guest: Guest, fetch: Fetch, screen: tuple[int, int]
) -> Any:
    return parameters["rules"]


async def _screen(
    parameters: _Parameters, guest: Guest, fetch: Fetch, screen: tuple[int, int]
) -> Any:
    return {"width": screen[0], "height": screen[1]}


_GETTING: Mapping[str, Callable[[_Parameters, Guest, Fetch, tuple[int, int]], Awaitable[Any]]] = {
    "vm_command_line": _words,
    "vm_command_error": _errors,
    "vm_file": _file,
    "cloud_file": _fetched,
    "rule": _rule,
    "vm_screen_size": _screen,
}
