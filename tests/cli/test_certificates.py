"""`proofwalk certificates make`: files that roles can use at once, and again after they
were made anew."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from proofwalk.chassis.rpc.callers import CALLERS
from proofwalk.chassis.rpc.mutual_tls import MutualTls
from proofwalk.chassis.settings_sections import TRUST_DOMAIN, TlsSettings
from proofwalk.chassis.tracing import Tracing
from proofwalk.cli.certificates import OWNERS, Making
from proofwalk.cli.certificates import make as write
from proofwalk.cli.main import app
from proofwalk.kernel.clock import SystemClock
from tests.chassis.wire import connected, request, serving


def make(folder: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["certificates", "make", str(folder), *options])
    assert done.exit_code == 0, done.output
    return done.output


def read(folder: Path, role: str) -> MutualTls:
    own = folder / role.replace("_", "-")
    settings = TlsSettings(
        cert_file=own / "tls.crt", key_file=own / "tls.key", ca_file=own / "ca.crt"
    )
    return MutualTls(settings, clock=SystemClock())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_caller_and_every_server_has_one(tmp_path: Path) -> None:
    make(tmp_path / "made")
    assert set().union(*CALLERS.values()) <= set(OWNERS)
    assert [read(tmp_path / "made", role).role for role in OWNERS] == list(OWNERS)
    keys = {mode(path) for path in (tmp_path / "made").rglob("tls.key")}
    assert (keys, mode(tmp_path / "made")) == ({0o600}, 0o700)


def test_containers_of_other_users_read_their_own_folder(tmp_path: Path) -> None:
    make(tmp_path / "made", "--readable")
    own = tmp_path / "made" / "rollout"
    assert (mode(own / "tls.key"), mode(own), mode(tmp_path / "made")) == (0o644, 0o755, 0o700)


async def test_new_ones_replace_those_in_use_in_whatever_order_roles_read(
    tmp_path: Path, tracing: Tracing
) -> None:
    async def fine(_request: object, _context: object) -> None:
        return

    def again(wait: Callable[[float], None]) -> None:
        making = Making(folder=tmp_path, trust_domain=TRUST_DOMAIN, days=1)
        write(making, clock=SystemClock(), wait=wait)

    waited: list[float] = []
    again(waited.append)
    pool, rollout = read(tmp_path, "account_pool"), read(tmp_path, "rollout")

    def refresh(_seconds: float) -> None:
        pool.refresh()
        rollout.refresh()

    again(refresh)
    assert (waited, pool.version, rollout.version) == ([], 1, 1)
    async with serving("127.0.0.1:0", fine, tracing, tls=pool) as server:
        # Old with old, new with old, new with new.
        for side in (pool, rollout, rollout):
            towards = rollout.towards("account_pool")
            async with connected(server.address, tracing, tls=towards) as (_, stub):
                await stub.AcquireLease(request(), timeout=5)
            side.refresh()
    assert (pool.version, rollout.version) == (2, 2)
