"""A document inspected twice: the second time by its compiled walk, which is a plain
Playwright test, too."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import httpx2
import pytest

from proofwalk.chassis.trust import system_trust
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.orders.body import read_request
from proofwalk.orders.verification import VerificationBody
from tests.e2e.installation import (
    DOCS,
    HANGS_S,
    ROOT,
    Installation,
    command,
    home,
    rule_of,
    running,
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]


async def _inspect(found: Installation) -> VerificationBody:
    """Two inspections differ in their key alone."""
    document = "01-vpc-create-vpc"
    body = {
        "document": {
            "text": (DOCS / f"{document}.md").read_text(encoding="utf-8"),
            "name": f"{document}.md",
        },
        "target": "devcloud",
        "policy": "replay",
        "meta": (DOCS / f"{document}.meta.yaml").read_text(encoding="utf-8"),
        "rule": rule_of(document),
    }
    made = await found.client.create(read_request(body), key=os.urandom(8).hex())
    return await found.finish(made["verification_id"])


async def _replay(found: Installation, verification_id: str) -> dict[str, object]:
    events = await found.client.events(verification_id)
    return next(dict(event["data"]) for event in events if event["type"] == "walk_replayed")


async def _login(found: Installation) -> dict[str, str]:
    """An account of the embedded cloud for the test."""
    devcloud = found.settings.devcloud
    headers = {"Authorization": f"Bearer {devcloud.admin_token.get_secret_value()}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, verify=system_trust()) as http:
        answer = await http.post(
            f"http://{devcloud.host}:{devcloud.port}/admin/accounts", json={"count": 1}
        )
    (account,) = answer.json()["accounts"]
    return {
        "SECRET_ACCOUNT": account["account_id"],
        "SECRET_USER": account["user_name"],
        "SECRET_PASSWORD": account["password"],
    }


async def _play(file: Path, environment: dict[str, str]) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(file)),
        cwd=ROOT,
        env={
            **os.environ,
            "CHROMIUM": str(find_chromium(None)),
            "CHROMIUM_FLAGS": "--no-sandbox --disable-gpu",
            **environment,
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(100):
        said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()[-3000:]


async def test_the_second_inspection_replays_the_first_and_the_export_runs_by_itself(
    tmp_path: Path,
) -> None:
    with home() as folder:
        # The pool adopts accounts that it finds, and cleans them: the one that the
        # export signs in with must not be found meanwhile.
        async with running(folder, {"ACCOUNT_POOL__SYNC_S": "600"}) as found:
            first, second = await _inspect(found), await _inspect(found)
            assert (first["verdict"]["outcome"], second["verdict"]["outcome"]) == (
                "verified",
                "verified",
            )
            walked = await _replay(found, str(first["verification_id"]))
            again = await _replay(found, str(second["verification_id"]))
            assert (walked["scripted"], walked["steps_replayed"]) == (False, 0)
            assert (
                again["scripted"],
                again["handovers"],
                again["steps_fallback"],
                again["model_calls"],
            ) == (True, [], 0, 0)

            said = await command(
                "replay", "export", str(second["verification_id"]), HOME=str(folder)
            )
            assert said.code == 0, said.err
            test = tmp_path / "test_export.py"
            test.write_text(said.out, encoding="utf-8")
            devcloud = found.settings.devcloud
            login = await _login(found)
            code, output = await _play(
                test, {"CONSOLE_URL": f"http://{devcloud.host}:{devcloud.port}", **login}
            )
            assert code == 0, output
            assert any(
                "vpc" in one.casefold()
                for one in (await found.inventory())[login["SECRET_ACCOUNT"]]
            )
            assert login["SECRET_PASSWORD"] not in said.out
