"""`devcloud_world`: a fresh embedded cloud with one account, for one test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.terraform.world import World, world


@pytest.fixture
async def devcloud_world(tmp_path: Path) -> AsyncIterator[World]:
    async with world(tmp_path) as made:
        yield made
