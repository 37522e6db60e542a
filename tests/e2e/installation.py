"""A whole installation inside this process, on a home and ports of its own, spoken to
over REST like any other."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
from sqlalchemy import text

from proofwalk.chassis.database import Database
from proofwalk.chassis.role import Role
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.keys import KEY_FILE, URL_FILE, local_key
from proofwalk.orders.verification import VerificationBody
from proofwalk.platform.client import Client
from proofwalk.platform.installation import free_port
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings, read_settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "examples" / "docs"
ACCOUNTS = 2
HANGS_S = 900
"""A test that has not ended by then hangs; most take a minute where the machine has
nothing else to do."""
_ENDED_S = 400
"""The same for a walk and for a command."""
_BASE = {
    "LOG__LEVEL": "error",
    "GATEWAY__ADDRESS": "127.0.0.1:0",
    "DEVCLOUD__ACCOUNTS": str(ACCOUNTS),
    "DEVCLOUD__SPEED": "5",
    "DEVCLOUD__AUDIT_LAG_S": "0.5",
    "ACCOUNT_POOL__PROOF_POLL_S": "0.2",
    "SANDBOX_SCHEDULER__WARM": "0",
    "ROLLOUT__RECONCILE_S": "0.3",
}


@contextmanager
def home() -> Iterator[Path]:
    """A folder whose path is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="pwe-") as folder:
        yield Path(folder)


@dataclass(frozen=True, kw_only=True)
class Installation:
    """A running installation."""

    settings: Settings
    url: str
    client: Client
    process: Process

    @property
    def key(self) -> str:
        return local_key(self.settings.home / KEY_FILE)

    async def finish(self, verification_id: str) -> VerificationBody:
        """The verification once it is finished."""
        async with asyncio.timeout(_ENDED_S):
            while (found := await self.client.get(verification_id))["state"] != "finished":
                await asyncio.sleep(0.1)
        return found

    async def inventory(self) -> dict[str, set[str]]:
        """What every account of the embedded cloud holds."""
        devcloud = self.settings.devcloud
        headers = {"Authorization": f"Bearer {devcloud.admin_token.get_secret_value()}"}
        base = f"http://{devcloud.host}:{devcloud.port}/admin"
        async with httpx2.AsyncClient(
            headers=headers, trust_env=False, verify=system_trust()
        ) as http:
            accounts = (await http.get(f"{base}/accounts")).json()["accounts"]
            found = {}
            for account in accounts:
                listed = (
                    await http.get(f"{base}/accounts/{account['account_id']}/inventory")
                ).json()
                found[account["account_id"]] = {
                    f"{item['type']} {item['id']}" for item in listed["resources"]
                }
        return found

    async def rows(self, role: str, query: str) -> list[tuple[Any, ...]]:
        """What a role's rows say."""
        database = Database(self.settings.database_url_of(role))
        try:
            async with database.read() as tx:
                return [tuple(row) for row in (await tx.execute(text(query))).all()]
        finally:
            await database.close()

    async def account_states(self) -> list[str]:
        return [
            row[0]
            for row in await self.rows("account_pool", "select state from account_pool_account")
        ]

    def browsers(self) -> list[str]:
        """Chromium processes of this home."""
        found = []
        for process in psutil.process_iter(["cmdline", "status"]):
            command = " ".join(process.info["cmdline"] or [])
            if (
                f"--user-data-dir={self.settings.home}" in command
                and process.info["status"] != psutil.STATUS_ZOMBIE
            ):
                found.append(command[:120])
        return found

    def blobs(self) -> set[str]:
        """Files of the blob store."""
        return {path.name for path in self.settings.blob_path().rglob("*") if path.is_file()}


@asynccontextmanager
async def running(
    folder: Path,
    environment: Mapping[str, str] | None = None,
    *,
    instead: Callable[[Settings], Sequence[Role]] = lambda settings: (),
) -> AsyncIterator[Installation]:
    """Every role, started; accounts there. `environment` is over this module's own,
    without the prefix; `instead` replaces roles."""
    given = {
        **_BASE,
        "HOME": str(folder),
        "DEVCLOUD__PORT": str(free_port()),
        **(environment or {}),
    }
    settings, roles = choose(
        "all", read_settings({f"PROOFWALK_{name}": value for name, value in given.items()})
    )
    replaced = {role.name: role for role in instead(settings)}
    async with Process(settings, [replaced.get(role.name, role) for role in roles]) as process:
        url = (folder / "run" / URL_FILE).read_text(encoding="ascii").strip()
        async with Client(url, local_key(folder / KEY_FILE)) as client:
            found = Installation(settings=settings, url=url, client=client, process=process)
            async with asyncio.timeout(30):
                while await found.account_states() != ["free"] * ACCOUNTS:
                    await asyncio.sleep(0.1)
            yield found


def rule_of(name: str) -> str:
    """An example's rule with a Δ of one second instead of five: the cloud here shows an
    event after half a second."""
    text = (DOCS / f"{name}.rule.yaml").read_text(encoding="utf-8")
    assert "delta_s: 5" in text
    return text.replace("delta_s: 5", "delta_s: 1")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a command told its caller."""

    code: int
    out: str
    err: str


async def command(
    *arguments: str, within_s: float = _ENDED_S, cwd: Path = ROOT, **environment: str
) -> Said:
    """`proofwalk …` as a process; `environment` is without the prefix."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("PROOFWALK_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "proofwalk.cli.main", *arguments),
        cwd=cwd,
        env={
            **own,
            "COLUMNS": "200",
            **{f"PROOFWALK_{name}": value for name, value in environment.items()},
        },
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(within_s):
            out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode is not None
    return Said(code=process.returncode, out=out.decode(), err=err.decode())
