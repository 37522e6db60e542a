"""A map of the embedded cloud, made by exploration: known pages are on it, and the
audit log has no write but the sign-in."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from proofwalk.cli.main import app
from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.target import TargetCatalog
from proofwalk.devcloud.main import run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import SeededIds
from proofwalk.maps import storage

TOKEN = "admin-token-of-the-tests"

pytestmark = [pytest.mark.browser, pytest.mark.slow]


async def test_the_embedded_console_is_explored_without_a_write(tmp_path: Path) -> None:
    clock, out = SystemClock(), tmp_path / "map.json"
    settings = DevcloudSettings(port=0, accounts=1, admin_token=SecretStr(TOKEN), audit_lag_s=0)
    began = clock.now()
    async with run(settings, clock=clock, ids=SeededIds(3), state_dir=tmp_path) as cloud:
        environment = {"DEVCLOUD_URL": cloud.url, "DEVCLOUD_ADMIN_TOKEN": TOKEN}
        done = await asyncio.to_thread(
            CliRunner().invoke,
            app,
            ["map", "make", "devcloud", "--new-login", "--pages", "6", "-o", str(out)],
            env={**environment, "PROOFWALK_TARGETS": str(tmp_path), "COLUMNS": "300"},
        )
        assert done.exit_code == 0, done.output
        target = TargetCatalog(None, environment).get("devcloud")
        async with open_cloud(target, clock=clock) as opened:
            [account] = await opened.accounts.accounts()
            account = await opened.accounts.rotate(account.external_id)
            assert opened.audit is not None
            events = await opened.audit.events(
                account, start=began, end=clock.now() + timedelta(seconds=1)
            )
    assert [event.name for event in events if event.write] == ["ConsoleSignin"]
    assert [event.name for event in events if not event.write]
    assert "ended at --pages" in done.stdout
    assert "no request was refused" in done.stdout
    console = storage.read(out)
    assert len(console.pages) == 6
    addresses = {surface.address for surface in console.surfaces}
    assert {"/", "/cms/overview", "/cms/groups", "/cms/rules"} <= addresses
    assert console.count_controls() > 100
