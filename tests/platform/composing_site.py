"""A resource provisioner beside an embedded cloud, whose needs are composed for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from proofwalk.authoring.resources import World
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.platform.need_coder import NeedCoder
from tests.resource_provisioner.test_role import Site
from tests.terraform.world import world as one_cloud


@asynccontextmanager
async def composing_site(
    process_settings: ProcessSettings, folder: Path, world: World
) -> AsyncIterator[Site]:
    """The role runs until the context ends."""
    async with one_cloud(folder) as cloud:
        made = Site(process_settings, cloud, folder, coders={"devcloud": lambda: NeedCoder(world)})
        async with made.process:
            yield made
