"""What is told of a target: what its adapter has."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.rollout.targets import list_targets

TARGET = """\
id: shop
title: The shop
adapter: generic
console: {url: "https://shop.example"}
options:
  accounts: accounts.yaml
"""


@pytest.mark.parametrize(
    ("options", "provisioning"), [("", False), ("  provisioning: {url: 'https://x'}\n", True)]
)
async def test_a_target_whose_steps_can_be_called_has_provisioning(
    tmp_path: Path, options: str, provisioning: bool
) -> None:
    (tmp_path / "shop.yaml").write_text(TARGET + options, encoding="utf-8")
    catalog = TargetCatalog(tmp_path, {})

    async with Clouds(catalog, clock=SystemClock()) as clouds:
        known = await list_targets(catalog, clouds)

    assert known["shop"].has_provisioning is provisioning
    assert not known["shop"].has_audit_log
