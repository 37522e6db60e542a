"""`proofwalk replay`: the compiled walk of a verification, as it is stored or as a
plain Playwright test."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from pydantic import TypeAdapter, ValidationError

from proofwalk.agent.policies.replay.export import to_playwright
from proofwalk.agent.policies.replay.script import parse_replay
from proofwalk.cli.running import run, settings
from proofwalk.cloud.sign_in_steps import SignInStep
from proofwalk.kernel.errors import invalid
from proofwalk.platform.installation import connect
from proofwalk.platform.settings import Settings

_STEPS: TypeAdapter[list[SignInStep]] = TypeAdapter(list[SignInStep])

app = typer.Typer(help="Compiled walks.", no_args_is_help=True)


@app.command("show")
def show(verification_id: str) -> None:
    """The compiled walk of a verification as JSON."""
    body = run(_script(settings(), verification_id))
    sys.stdout.write(json.dumps(body["script"], ensure_ascii=False, indent=2) + "\n")


@app.command("export")
def export(
    verification_id: str,
    sign_in: Annotated[
        bool, typer.Option(help="Begin with the sign-in steps of the target.")
    ] = True,
) -> None:
    """The compiled walk of a verification as a Playwright test in Python."""
    sys.stdout.write(run(_test(settings(), verification_id, sign_in=sign_in)))


async def _script(settings: Settings, verification_id: str) -> dict[str, Any]:
    async with connect(settings, start=False) as client:
        return await client.script(verification_id)


async def _test(settings: Settings, verification_id: str, *, sign_in: bool) -> str:
    body = await _script(settings, verification_id)
    script = parse_replay(json.dumps(body["script"]))
    try:
        steps = _STEPS.validate_python(body["sign_in"]) if sign_in else []
    except ValidationError as error:
        raise invalid(
            "replay.bad_sign_in", f"the sign-in steps cannot be read: {error.error_count()} errors"
        ) from None
    return to_playwright(script, sign_in=steps)
