"""Settings, coroutines and errors of every command: all of them end alike."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import typer
from rich.console import Console

from proofwalk.cli import output
from proofwalk.cli.exit_codes import ExitCode
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.platform.settings import Settings, read_settings

T = TypeVar("T")
_USAGE = (
    Status.INVALID_ARGUMENT,
    Status.NOT_FOUND,
    Status.UNAUTHENTICATED,
    Status.PERMISSION_DENIED,
)


def failed(error: ProofwalkError) -> typer.Exit:
    """Tell an error; exit with 2 for what the caller said, 3 for the environment."""
    Console(stderr=True).print(
        f"[red]{error.code}[/red]: {output.clean(error.message)}", highlight=False
    )
    if error.hint:
        Console(stderr=True).print(f"  → {error.hint}", highlight=False)
    return typer.Exit(ExitCode.USAGE if error.status in _USAGE else ExitCode.ENVIRONMENT)


def settings() -> Settings:
    """The settings of this process."""
    try:
        return read_settings()
    except ProofwalkError as error:
        raise failed(error) from None


def run(work: Coroutine[Any, Any, T]) -> T:
    """The work's result; an error or an interruption ends the command with its code."""
    try:
        return asyncio.run(_endable(work))
    except ProofwalkError as error:
        raise failed(error) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except asyncio.CancelledError:
        raise typer.Exit(143) from None


async def _endable(work: Coroutine[Any, Any, T]) -> T:
    """The work, cancelled by SIGTERM as asyncio cancels it by SIGINT: what it has
    started is ended, and its folders are removed.

    Signals reach the main thread alone; in another one it is the work as it is."""
    if threading.current_thread() is not threading.main_thread():
        return await work
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "asyncio.run makes one"
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await work
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
