"""What a task does to a desktop: `config` before the policy comes, `postconfig` before
it is scored."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from proofwalk.desktop.guest import Guest
from proofwalk.desktop.osworld.task import SetupStep, told_by_the_task
from proofwalk.kernel.errors import ProofwalkError, Status, invalid

Fetch = Callable[[str], Awaitable[bytes]]
"""The content of an address that a task names."""
_LONGEST_SLEEP_S = 120.0
_LAUNCHED_S = 30.0
_POLL_S = 0.3
_VIEWERS: Mapping[str, Sequence[str]] = {".pdf": ("/usr/bin/mupdf",)}
_EDITOR = ("/usr/bin/mousepad",)


async def no_network(url: str) -> bytes:
    """For tasks that fetch nothing. Raises `osworld.no_download`."""
    raise ProofwalkError(
        "osworld.no_download",
        f"the task needs {url[:200]}, and guests have no network",
        status=Status.FAILED_PRECONDITION,
        hint="give the files of the task beforehand",
    )


async def prepare(
    steps: Sequence[SetupStep], guest: Guest, *, fetch: Fetch, screen: tuple[int, int]
) -> None:
    """Do the steps in order. Raises `osworld.setup_failed`, `osworld.unsupported`,
    `osworld.task_invalid`, and what the guest and `fetch` raise."""
    for step in steps:
        with told_by_the_task(step.type):
            await _DOING[supported_type(step)](step.parameters, guest, fetch, screen)


def supported_type(step: SetupStep) -> str:
    """The step's type. Raises `osworld.unsupported`."""
    if step.type not in _DOING:
        raise ProofwalkError(
            "osworld.unsupported",
            f"tasks cannot have {step.type!r} done on this desktop",
            status=Status.UNIMPLEMENTED,
            hint=f"supported are {', '.join(_DOING)}",
        )
    return step.type


async def _execute(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    ran = await guest.run(command(parameters, screen))
    if ran.code and not parameters.get("until"):
        said = (ran.err or ran.out).decode("utf-8", "replace").strip()[-300:]
        raise ProofwalkError(
            "osworld.setup_failed",
            f"{parameters.get('command')!r:.200} ended with {ran.code}: {said}",
            status=Status.FAILED_PRECONDITION,
        )


async def _launch(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    await guest.start(command(parameters, screen))


async def _open(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    path = PurePosixPath(str(parameters["path"]))
    await guest.start([*_VIEWERS.get(path.suffix.lower(), _EDITOR), str(path)])
    await _window(guest, path.name)


async def _download(
    parameters: Mapping[str, Any], guest: Guest, fetch: Fetch, screen: tuple[int, int]
) -> None:
    for file in parameters.get("files", ()):
        path = str(file["path"])
        await guest.run(["/usr/bin/mkdir", "-p", str(PurePosixPath(path).parent)])
        await guest.write(path, await fetch(str(file["url"])))


async def _activate(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    name = str(parameters["window_name"])
    await _window(guest, name)
    await _wmctrl(guest, "-a", parameters)


async def _close(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    await _wmctrl(guest, "-c", parameters)


async def _sleep(
    parameters: Mapping[str, Any], guest: Guest, _: Fetch, screen: tuple[int, int]
) -> None:
    await asyncio.sleep(min(float(parameters["seconds"]), _LONGEST_SLEEP_S))


_DOING: Mapping[
    str, Callable[[Mapping[str, Any], Guest, Fetch, tuple[int, int]], Awaitable[None]]
] = {
    "execute": _execute,
    "command": _execute,
    "launch": _launch,
    "open": _open,
    "download": _download,
    "activate_window": _activate,
    "close_window": _close,
    "sleep": _sleep,
}


def command(parameters: Mapping[str, Any], screen: tuple[int, int]) -> Sequence[str]:
    """A task's command line, with what stands for the screen's size. Raises
    `osworld.task_invalid`."""
    given = parameters.get("command")
    if isinstance(given, str):
        words = ["/bin/sh", "-c", given] if parameters.get("shell") else shlex.split(given)
    elif isinstance(given, list | tuple) and given:
        words = [str(word) for word in given]
        if parameters.get("shell"):
            words = ["/bin/sh", "-c", " ".join(words)]
    else:
        raise invalid("osworld.task_invalid", f"{given!r:.80} is no command")
    width, height = screen
    known = {
        "SCREEN_WIDTH": width,
        "SCREEN_HEIGHT": height,
        "SCREEN_WIDTH_HALF": width // 2,
        "SCREEN_HEIGHT_HALF": height // 2,
    }
    for name, value in known.items():
        words = [word.replace(f"{{{name}}}", str(value)) for word in words]
    # The agent starts programs by their path; what a task names is looked up as a shell
    # does it.
    return words if words[0].startswith("/") else ["/usr/bin/env", *words]


async def _window(guest: Guest, title: str) -> None:
    """Until there is a window with this in its title."""
    try:
        async with asyncio.timeout(_LAUNCHED_S):
            while True:
                listed = await guest.run(["/usr/bin/wmctrl", "-l"])
                if title.lower() in listed.out.decode("utf-8", "replace").lower():
                    return
                await asyncio.sleep(_POLL_S)
    except TimeoutError:
        raise ProofwalkError(
            "osworld.setup_failed",
            f"no window {title!r:.100} came within {_LAUNCHED_S:g} s",
            status=Status.FAILED_PRECONDITION,
        ) from None


async def _wmctrl(guest: Guest, do: str, parameters: Mapping[str, Any]) -> None:
    flags = [
        *(["-F"] if parameters.get("strict") else []),
        *(["-x"] if parameters.get("by_class") else []),
    ]
    await guest.run(["/usr/bin/wmctrl", *flags, do, str(parameters["window_name"])])
