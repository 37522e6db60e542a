"""`proofwalk meta` on an installation of its own: records are stored and shown, and,
with Terraform, one that works is proven and one that is not made as it says is told
with its code.

Trials are in `make test-long`: the quick run has the commands beside a running role
(`tests/cli/test_meta.py`) and records proven and refused with Terraform
(`tests/platform/test_meta_staleness.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofwalk.kernel.json_values import JsonObject
from tests.e2e.installation import DOCS, HANGS_S, Said, command, home

pytestmark = [pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
NAME = "02-vpc-create-vswitch.meta.yaml"


@pytest.fixture
def folder() -> Iterator[Path]:
    with home() as made:
        yield made


async def meta(folder: Path, *arguments: str) -> Said:
    return await command(
        "meta",
        *arguments,
        "--json",
        HOME=str(folder),
        RESOURCE_PROVISIONER__VERIFY_S="3",
    )


async def store(folder: Path) -> None:
    stored = await meta(folder, "import", str(DOCS / NAME))
    assert json.loads(stored.out)[0]["state"] == "proposed", stored.err[-2000:]


async def show(folder: Path) -> JsonObject:
    shown: JsonObject = json.loads((await meta(folder, "show", "vpc-create-vswitch")).out)
    return shown


async def test_records_are_stored_and_shown_without_a_running_installation(folder: Path) -> None:
    await store(folder)
    kept = await show(folder)
    assert (kept["state"], kept["yaml"]) == (
        "proposed",
        (DOCS / NAME).read_text(encoding="utf-8"),
    )


@pytest.mark.long
@pytest.mark.terraform
async def test_records_are_tried_and_proven_without_a_running_installation(
    folder: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.meta.yaml"
    text = (DOCS / NAME).read_text(encoding="utf-8")
    wrong.write_text(text.replace("state: Available", "state: Stopped"), encoding="utf-8")
    await store(folder)
    tried = await meta(folder, "test", "vpc-create-vswitch", str(wrong))
    assert tried.code == 1, tried.err[-2000:]
    proven, refused = json.loads(tried.out)
    assert (proven["proven"], proven["proof"]["resources"]) == (True, ["vpc/vpc"])
    assert refused["error"]["code"] == "provision.verify_failed"
    kept = await show(folder)
    assert (kept["state"], kept["state_run"]) == ("proven", proven["proof"]["run"])
