"""An installation of separate processes, each of which can be killed, frozen and
started again by itself.

Every process runs under `deathwatch`, so that none of them outlives this one, whatever
becomes of it. Redis is the embedded server, kept nowhere; rows are in SQLite, or in a
PostgreSQL of the installation's own. `wires` puts a proxy before each part; `rest` says
what an installation at rest must not have.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from benchmarks.chaos.members import CLOUD, DATABASE, REDIS, ROLES
from benchmarks.record import ROOT
from proofwalk.chassis import deathwatch
from proofwalk.chassis.redis_server import server_program
from proofwalk.gateway.keys import KEY_FILE, local_key
from proofwalk.platform.client import Client
from proofwalk.platform.installation import free_port
from tests.fixtures.servers import SESSION_PIDS, PostgresFiles, postgres_files

ACCOUNTS = 3
END_S = 30.0
FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
_SETTINGS = {
    "DEVCLOUD__ACCOUNTS": str(ACCOUNTS),
    "DEVCLOUD__SPEED": "5",
    "DEVCLOUD__AUDIT_LAG_S": "0.5",
    "ROLLOUT__HOLD_TTL_S": "8",
    "ROLLOUT__RECONCILE_S": "0.5",
    "ROLLOUT__CONCURRENCY": str(ACCOUNTS),
    "ACCOUNT_POOL__REAP_S": "0.5",
    "ACCOUNT_POOL__SWEEP_S": "1",
    "ACCOUNT_POOL__PROOF_POLL_S": "0.3",
    "SANDBOX_SCHEDULER__WARM": "0",
    "SANDBOX_SCHEDULER__CHECK_S": "0.5",
    "RESOURCE_PROVISIONER__RECONCILE_S": "1",
    "RESOURCE_PROVISIONER__ABANDONED_S": "2",
}
"""Short lives and frequent looks: what a fault leaves is seen within seconds."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """A process of the installation under its guard."""

    guard: subprocess.Popen[bytes]
    life_line: int


@dataclass(frozen=True, kw_only=True)
class Build:
    """How an installation is made. `tenants`: names of API keys beside the machine's
    own. `skewed`: roles whose clock will be moved. `blob_mb`: the blobs' disk, 0 for
    the home's own."""

    postgres: bool = False
    tenants: Sequence[str] = ()
    skewed: frozenset[str] = frozenset()
    blob_mb: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    tree: Path = ROOT
    """Folder of the source that roles are run from."""


class Cluster:
    """The processes of one home; a context manager. `start` starts each."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.home = Path(tempfile.mkdtemp(prefix="pwc-"))
        self.cloud_port, self.gateway_port = free_port(), free_port()
        self._members: dict[str, Member] = {}
        self._trees: dict[str, Path] = {}
        self._exits = contextlib.ExitStack()
        self.postgres: PostgresFiles | None = None
        self.reached_at: Mapping[str, str] = {}
        """Addresses of parts that others are told in place of the real ones."""
        self.keys = {name: f"pw_chaos_{name}_{os.urandom(12).hex()}" for name in build.tenants}

    def __enter__(self) -> Cluster:
        self._exits.callback(shutil.rmtree, self.home, ignore_errors=True)
        if self.build.postgres:
            self.postgres = self._exits.enter_context(postgres_files())
        for folder in ("logs", "clocks", "blobs", "run"):
            (self.home / folder).mkdir(mode=0o700)
        for role in self.build.skewed:
            self.set_clock(role, 0)
        if self.build.blob_mb:
            size = f"size={self.build.blob_mb}m,mode=0700"
            blobs = str(self.blobs)
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", blobs], check=True)
            self._exits.callback(subprocess.run, ["umount", "-l", blobs], check=False)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            for name in list(self._members):
                self.kill(name)
        finally:
            self._exits.close()

    @property
    def blobs(self) -> Path:
        """Where blobs are kept."""
        return self.home / "blobs"

    def socket_of(self, name: str) -> Path:
        """Where a role, Redis or PostgreSQL itself listens; the cloud and the gateway
        have ports."""
        if name == REDIS:
            return self.home / "redis.sock"
        if name == DATABASE and self.postgres is not None:
            return self.postgres.server.folder / ".s.PGSQL.5432"
        return self.home / "run" / f"{name}.sock"

    def start(self, name: str) -> None:
        """Start a role, Redis or PostgreSQL."""
        if name == REDIS:
            argv = [str(server_program()), "--port", "0", "--save", "", "--dir", str(self.home)]
            argv += ["--unixsocket", str(self.socket_of(REDIS))]
        elif name == DATABASE:
            assert self.postgres is not None, "an installation on SQLite has no database server"
            argv = self.postgres.argv
        else:
            argv = [sys.executable, "-m", "proofwalk.cli.main", "serve", name]
        read, write = os.pipe()
        with (self.home / "logs" / f"{name}.log").open("ab") as log:
            guard = subprocess.Popen(
                [sys.executable, "-I", "-S", deathwatch.__file__, str(read), *argv],
                cwd=self._trees.get(name, self.build.tree),
                env=self.environment(name),
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
        """SIGKILL to the process, not to its guard, and wait until it is gone."""
        self.end(name, signal.SIGKILL)

    def end(self, name: str, how: signal.Signals) -> None:
        """End a process by a signal, and by SIGKILL if it has not ended `END_S` seconds
        later."""
        member = self._members.pop(name)
        self._signal(member, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if how is not signal.SIGKILL:
                member.guard.wait(timeout=END_S)
        self._signal(member, signal.SIGKILL)
        os.close(member.life_line)
        member.guard.wait(timeout=END_S)

    def replace(self, role: str, tree: Path) -> None:
        """End a role as a pod is ended; what `start` starts next is of that tree."""
        self.end(role, signal.SIGTERM)
        self._trees[role] = tree

    def freeze(self, name: str) -> None:
        """SIGSTOP to the process, of PostgreSQL to its sessions too."""
        self._signal(self._members[name], signal.SIGSTOP, all_below=name == DATABASE)

    def thaw(self, name: str) -> None:
        """SIGCONT to what was frozen."""
        self._signal(self._members[name], signal.SIGCONT, all_below=name == DATABASE)

    def set_clock(self, role: str, skew_s: int) -> None:
        """Move the wall clock of a role of `Build.skewed`; its steady clock stays."""
        path = self.home / "clocks" / role
        draft = path.with_suffix(".draft")
        draft.write_text(f"{skew_s:+d}\n", encoding="ascii")
        draft.replace(path)

    def ended(self) -> list[str]:
        """Processes that have ended by themselves."""
        return [name for name, one in self._members.items() if one.guard.poll() is not None]

    def client(self, tenant: str = "", *, port: int = 0) -> Client:
        """A client of the gateway by a tenant's key, or the machine's own."""
        key = self.keys[tenant] if tenant else local_key(self.home / KEY_FILE)
        return Client(f"http://127.0.0.1:{port or self.gateway_port}", key)

    def database_url(self) -> str:
        """Where the rows really are; empty on SQLite."""
        return "" if self.postgres is None else self.postgres.server.url("postgres")

    def logs(self, *, lines: int = 25) -> str:
        """The end of each part's log."""
        parts = []
        for path in sorted((self.home / "logs").glob("*.log")):
            text = path.read_text(encoding="utf-8", errors="replace").splitlines()
            parts.append("\n".join([f"--- {path.stem}", *text[-lines:]]))
        return "\n".join(parts)

    def sizes(self, name: str) -> Mapping[str, float]:
        """How large a part's own process is: resident megabytes, descriptors,
        threads."""
        guard = psutil.Process(self._members[name].guard.pid)
        (process,) = guard.children()
        with process.oneshot():
            return {
                "mb": round(process.memory_info().rss / 2**20, 1),
                "descriptors": process.num_fds(),
                "threads": process.num_threads(),
            }

    def processes(self, *words: str) -> list[psutil.Process]:
        """Processes below the members whose program's name has one of `words`."""
        found = []
        for member in self._members.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                for process in psutil.Process(member.guard.pid).children(recursive=True):
                    with contextlib.suppress(psutil.NoSuchProcess):
                        if any(word in process.name() for word in words):
                            found.append(process)
        return found

    def _signal(self, member: Member, how: signal.Signals, *, all_below: bool = False) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            for process in psutil.Process(member.guard.pid).children(recursive=all_below):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.send_signal(how)

    def environment(self, name: str, *, tree: Path | None = None) -> Mapping[str, str]:
        """What a part is told; of its own tree, or of another."""
        told = self.reached_at
        addresses = {role: told[role] for role in ROLES if role in told and role != name}
        port = self.cloud_port if name == CLOUD else int(told.get(CLOUD) or self.cloud_port)
        database = self.database_url() and told.get(DATABASE, self.database_url())
        settings = {
            **_SETTINGS,
            "HOME": str(self.home),
            "REDIS_URL": told.get(REDIS, f"unix://{self.socket_of(REDIS)}"),
            "DATABASE_URL": database,
            "ADDRESSES": json.dumps({key: addresses[key] for key in addresses if key != CLOUD}),
            "GATEWAY__ADDRESS": f"127.0.0.1:{self.gateway_port}",
            "GATEWAY__API_KEYS": json.dumps(self.keys),
            "DEVCLOUD__PORT": str(port),
            **self.build.settings,
        }
        own = {key: text for key, text in os.environ.items() if not key.startswith("PROOFWALK_")}
        own |= {f"PROOFWALK_{key}": text for key, text in settings.items() if text}
        tree = tree or self._trees.get(name, self.build.tree)
        if tree != ROOT:
            own["PYTHONPATH"] = os.pathsep.join(str(tree / one) for one in ("libs", "services"))
        if name in self.build.skewed:
            own |= {
                "LD_PRELOAD": str(FAKETIME),
                "FAKETIME_TIMESTAMP_FILE": str(self.home / "clocks" / name),
                "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        return own
