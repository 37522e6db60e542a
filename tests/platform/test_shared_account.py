"""The target of an installation with one account that nobody sweeps."""

from __future__ import annotations

from pathlib import Path

from proofwalk.cloud.adapters import open_cloud
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.platform.laboratory import TARGET, write_unseen_target

ENVIRONMENT = {"DEVCLOUD_URL": "http://127.0.0.1:8470", "DEVCLOUD_ADMIN_TOKEN": "token"}


async def test_nobody_looks_into_its_account(tmp_path: Path) -> None:
    folder = tmp_path / "targets"
    write_unseen_target(folder)
    unseen = TargetCatalog(folder, ENVIRONMENT).get(TARGET)
    builtin = TargetCatalog(None, ENVIRONMENT).get(TARGET)
    assert unseen.console == builtin.console
    async with (
        open_cloud(unseen, clock=SystemClock()) as cloud,
        open_cloud(builtin, clock=SystemClock()) as other,
    ):
        assert cloud.inventory is None
        assert other.inventory is not None
        assert (cloud.audit is None, cloud.regions) == (other.audit is None, other.regions)
