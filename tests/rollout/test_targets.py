"""What is told of a target: what its adapter has."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.cloud.adapters import Clouds
from proofwalk.cloud.target import TargetCatalog
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.rollout.targets import list_targets
from proofwalk.rollout.walkers import Walkers
from tests.rollout.fakes import World

TARGET = """\
id: shop
title: The shop
adapter: generic
console: {url: "https://shop.example"}
options:
  accounts: accounts.yaml
"""
DESKTOPS = """\
id: desks
title: Desktops
console: {url: "desktop:"}
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
    assert known["shop"].tool == "chromium"


async def test_desktops_are_a_target_without_a_cloud(tmp_path: Path) -> None:
    (tmp_path / "desks.yaml").write_text(DESKTOPS, encoding="utf-8")
    (tmp_path / "shop.yaml").write_text(TARGET, encoding="utf-8")
    catalog = TargetCatalog(tmp_path, {})
    async with Clouds(catalog, clock=SystemClock()) as clouds:
        desks = (await list_targets(catalog, clouds))["desks"]
    assert (desks.tool, desks.has_audit_log, desks.has_provisioning) == ("desktop", False, False)
    assert catalog.with_clouds() == ["devcloud", "shop"]


def test_a_walk_goes_to_the_walker_of_its_targets_tool(tmp_path: Path) -> None:
    (tmp_path / "desks.yaml").write_text(DESKTOPS, encoding="utf-8")
    (tmp_path / "shop.yaml").write_text(TARGET, encoding="utf-8")
    world = World(SystemClock())
    walkers = Walkers(TargetCatalog(tmp_path, {}), {"chromium": world.walker})
    assert (walkers.tool("shop"), walkers.tool("desks")) == ("chromium", "desktop")
    assert list(walkers.allowed_hosts("shop")) == ["shop.example:443"]
    with pytest.raises(ProofwalkError, match=r"target\.not_walked"):
        walkers.allowed_hosts("desks")
