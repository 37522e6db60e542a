"""An installation of separate processes: each role, and Redis, can be killed and
started again by itself.

Every process runs under `deathwatch`, so that none of them outlives the test run,
whatever becomes of it. The rows and the embedded cloud's side door tell what is left:
`remains` lists everything that an installation at rest must not have. `trial` builds on
this.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil

from proofwalk.chassis import deathwatch
from proofwalk.chassis.redis_server import server_program
from proofwalk.gateway.keys import KEY_FILE, local_key
from proofwalk.platform.client import Client
from proofwalk.platform.installation import free_port
from tests.fixtures.servers import SESSION_PIDS

ROOT = Path(__file__).resolve().parents[2]
ROLES = (
    "devcloud",
    "account_pool",
    "sandbox_scheduler",
    "resource_provisioner",
    "reward_service",
    "inference",
    "trainer",
    "rollout",
    "inspection",
    "gateway",
)
REDIS = "redis"
START_S = 300.0
_PROVISIONING_ENDED = ("destroyed", "failed")


@dataclass(frozen=True, kw_only=True)
class Member:
    """A process of the installation under its guard."""

    guard: subprocess.Popen[bytes]
    life_line: int


class Cluster:
    """The processes of one home. A context manager; `kill` and `start` act on one
    role."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="pwc-"))
        self._devcloud = f"http://127.0.0.1:{(port := free_port())}"
        self.gateway = f"127.0.0.1:{free_port()}"
        self._members: dict[str, Member] = {}
        self._baseline: dict[str, set[str]] = {}
        short = {
            "HOME": str(self.home),
            "REDIS_URL": f"unix://{self.home}/redis.sock",
            "GATEWAY__ADDRESS": self.gateway,
            "DEVCLOUD__PORT": str(port),
            "DEVCLOUD__ACCOUNTS": "3",
            "DEVCLOUD__SPEED": "5",
            "DEVCLOUD__AUDIT_LAG_S": "0.5",
            "ROLLOUT__HOLD_TTL_S": "8",
            "ROLLOUT__RECONCILE_S": "0.5",
            "ACCOUNT_POOL__REAP_S": "0.5",
            "ACCOUNT_POOL__SWEEP_S": "1",
            "ACCOUNT_POOL__PROOF_POLL_S": "0.3",
            "SANDBOX_SCHEDULER__WARM": "0",
            "SANDBOX_SCHEDULER__CHECK_S": "0.5",
            "RESOURCE_PROVISIONER__RECONCILE_S": "1",
            "RESOURCE_PROVISIONER__ABANDONED_S": "2",
        }
        own = {key: value for key, value in os.environ.items() if not key.startswith("PROOFWALK_")}
        self._environment = {**own, **{f"PROOFWALK_{name}": value for name, value in short.items()}}

    def __enter__(self) -> Cluster:
        try:
            for name in (REDIS, *ROLES):
                self.start(name)
            wait_until(
                self._is_up, START_S, what=lambda: f"the installation to start: {self.logs()}"
            )
            self._baseline = {account: self._inventory(account) for account in self._accounts()}
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every process; their children end with them."""
        for name in list(self._members):
            self.kill(name)
        shutil.rmtree(self.home, ignore_errors=True)

    def start(self, name: str) -> None:
        """Start a role, or Redis."""
        logs = self.home / "logs"
        logs.mkdir(exist_ok=True)
        argv = [sys.executable, "-m", "proofwalk.cli.main", "serve", name]
        if name == REDIS:
            # As a supervisor would: the same socket, and nothing kept.
            socket_path = self.home / "redis.sock"
            argv = [
                str(server_program()),
                "--port",
                "0",
                "--unixsocket",
                str(socket_path),
                "--save",
                "",
                "--dir",
                str(self.home),
            ]
        read, write = os.pipe()
        with (logs / f"{name}.log").open("ab") as log:
            guard = subprocess.Popen(
                [sys.executable, "-I", "-S", deathwatch.__file__, str(read), *argv],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(read,),
                process_group=0,
            )
        os.close(read)
        SESSION_PIDS.add(guard.pid)
        self._members[name] = Member(guard=guard, life_line=write)

    def kill(self, name: str) -> None:
        """SIGKILL to the process itself, not to its guard, and wait until it is
        gone."""
        member = self._members.pop(name)
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in psutil.Process(member.guard.pid).children():
                process.send_signal(signal.SIGKILL)
        os.close(member.life_line)
        member.guard.wait(timeout=20)

    def is_running(self, name: str) -> bool:
        """Whether the process has not ended by itself."""
        return self._members[name].guard.poll() is None

    def client(self) -> Client:
        """A client of the gateway."""
        return Client(f"http://{self.gateway}", local_key(self.home / KEY_FILE))

    def events(self, verification_id: str) -> list[tuple[str, str]]:
        """The history as the rows have it: type and data."""
        query = "select type, data from rollout_events where verification_id = ? order by sequence"
        return [(str(row[0]), str(row[1])) for row in self._rows("rollout", query, verification_id)]

    def remains(self, verification_id: str) -> list[str]:
        """What is there that must not be when everything has settled."""
        found = [
            f"the process {name} has ended" for name in self._members if not self.is_running(name)
        ]
        accounts = self._rows(
            "account_pool", "select external_id, state, reason from account_pool_account"
        )
        found += [f"account {row[0]} is {row[1]}: {row[2]}" for row in accounts if row[1] != "free"]
        for account, before in self._baseline.items():
            try:
                present = self._inventory(account)
            except httpx2.HTTPError as error:
                found.append(f"account {account} cannot be looked at: {error!r}")
                continue
            found += [f"account {account} has {item} in addition" for item in present - before]
            found += [f"account {account} has lost {item}" for item in before - present]
        episodes = (
            "select id, phase from rollout_episodes where verification_id = ? and phase <> 'done'"
        )
        found += [
            f"episode {row[0]} is in {row[1]}"
            for row in self._rows("rollout", episodes, verification_id)
        ]
        intents = (
            "select i.key, i.state, i.result from rollout_intents i join rollout_episodes e on e.id"
            " = i.episode_id where e.verification_id = ? and i.state <> 'undone'"
        )
        found += [
            f"intent {row[0]} is {row[1]}: {row[2]}"
            for row in self._rows("rollout", intents, verification_id)
        ]
        made = self._rows(
            "resource_provisioner",
            "select id, state, error_message from resource_provisioner_provisionings",
        )
        found += [
            f"provisioning {row[0]} is {row[1]}: {row[2]}"
            for row in made
            if row[1] not in _PROVISIONING_ENDED
        ]
        browsers = self._rows(
            "sandbox_scheduler",
            "select id, state, reason from sandbox_scheduler_sandboxes where state <> 'ended'",
        )
        found += [f"sandbox {row[0]} is {row[1]}: {row[2]}" for row in browsers]
        return found + [f"process {process}" for process in self._strays()]

    def logs(self, *, since: dict[str, int] | None = None, lines: int = 25) -> str:
        """The end of each role's log, from given offsets on."""
        parts = []
        for path in sorted((self.home / "logs").glob("*.log")):
            text = (
                path.read_bytes()[(since or {}).get(path.stem, 0) :]
                .decode(errors="replace")
                .splitlines()
            )
            parts.append("\n".join([f"--- {path.stem}", *text[-lines:]]))
        return "\n".join(parts)

    def log_sizes(self) -> dict[str, int]:
        """How long each log is now."""
        return {path.stem: path.stat().st_size for path in (self.home / "logs").glob("*.log")}

    def _is_up(self) -> bool:
        with socket.socket(socket.AF_UNIX) as redis:
            if redis.connect_ex(f"{self.home}/{REDIS}.sock") != 0:
                return False
        sockets = [
            self.home / "run" / f"{role}.sock"
            for role in ROLES
            if role not in ("devcloud", "gateway")
        ]
        if not all(path.exists() for path in sockets):
            return False
        try:
            ready = (
                httpx2.get(f"http://{self.gateway}/readyz", timeout=5, trust_env=False).status_code
                == 200
            )
            accounts = self._accounts()
        except httpx2.HTTPError:
            return False
        rows = self._rows("account_pool", "select state from account_pool_account")
        return ready and len(accounts) == 3 and [row[0] for row in rows] == ["free"] * 3

    def _admin(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {local_key(self.home / 'devcloud.token')}"}
        answer = httpx2.get(
            f"{self._devcloud}/admin{path}", headers=headers, timeout=5, trust_env=False
        )
        answer.raise_for_status()
        return answer.json()

    def _accounts(self) -> list[str]:
        return [str(account["account_id"]) for account in self._admin("/accounts")["accounts"]]

    def _inventory(self, account: str) -> set[str]:
        return {
            f"{item['type']} {item['id']}"
            for item in self._admin(f"/accounts/{account}/inventory")["resources"]
        }

    def _rows(self, role: str, query: str, *values: str) -> list[Sequence[Any]]:
        path = self.home / "state" / f"{role}.sqlite3"
        if not path.is_file():
            return []
        with contextlib.closing(
            sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)
        ) as connection:
            try:
                return list(connection.execute(query, values))
            except sqlite3.OperationalError as error:
                if "no such table" in str(error):
                    return []
                raise

    def _strays(self) -> Iterator[str]:
        """Browsers and Terraforms of this home that are still there."""
        home = str(self.home)
        for process in psutil.process_iter(["pid", "cmdline", "cwd", "status"]):
            command = " ".join(process.info["cmdline"] or [])
            if (
                process.info["status"] == psutil.STATUS_ZOMBIE
                or " serve " in command
                or "redis.sock" in command
            ):
                continue
            if home in command or home in (process.info["cwd"] or ""):
                yield f"{process.info['pid']} {command[:160]}"


def wait_until(
    condition: Callable[[], bool], seconds: float, *, what: Callable[[], str], pause_s: float = 0.1
) -> None:
    """Look until it holds; fails with `what` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds:g} s: {what()}")
        time.sleep(pause_s)
