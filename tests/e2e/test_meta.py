"""`proofwalk meta test` on an installation of its own, with Terraform: a record that
works is proven, one that is not made as it says is told with its code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.installation import DOCS, Said, command, home

pytestmark = [pytest.mark.terraform, pytest.mark.slow, pytest.mark.timeout(300)]
NAME = "02-vpc-create-vswitch.meta.yaml"


async def test_records_are_stored_tried_and_proven_without_a_running_installation(
    tmp_path: Path,
) -> None:
    wrong = tmp_path / "wrong.meta.yaml"
    text = (DOCS / NAME).read_text(encoding="utf-8")
    wrong.write_text(text.replace("state: Available", "state: Stopped"), encoding="utf-8")
    with home() as folder:

        async def meta(*arguments: str, within_s: float = 90) -> Said:
            return await command(
                "meta",
                *arguments,
                "--json",
                within_s=within_s,
                HOME=str(folder),
                RESOURCE_PROVISIONER__VERIFY_S="3",
            )

        stored = await meta("import", str(DOCS / NAME))
        assert json.loads(stored.out)[0]["state"] == "proposed", stored.err[-2000:]
        tried = await meta("test", "vpc-create-vswitch", str(wrong), within_s=150)
        assert tried.code == 1, tried.err[-2000:]
        proven, refused = json.loads(tried.out)
        assert (proven["proven"], proven["proof"]["resources"]) == (True, ["vpc/vpc"])
        assert refused["error"]["code"] == "provision.verify_failed"
        kept = json.loads((await meta("show", "vpc-create-vswitch")).out)
        assert (kept["state"], kept["state_run"]) == ("proven", proven["proof"]["run"])
