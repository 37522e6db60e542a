"""`proofwalk author` as a command: a document gets META for what it needs, and a rule
out of a real walk by which a second walk is verified; what cannot be walked gets
none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.e2e.installation import DOCS, HANGS_S, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]
NAME = "02-vpc-create-vswitch"


@pytest.mark.long
async def test_a_document_gets_both_files_by_which_it_is_verified(tmp_path: Path) -> None:
    document = tmp_path / f"{NAME}.rst"
    shutil.copy(DOCS / document.name, tmp_path)
    astray = tmp_path / "astray.md"
    astray.write_text("# Astray\n\n1. Click **No such button anywhere**.\n", encoding="utf-8")

    written = await command("author", str(document), str(astray))
    assert written.code == 1, written.err[-3000:]
    assert "author.not_walked" in written.out
    assert not (tmp_path / "astray.rule.yaml").exists()
    meta = yaml.safe_load((tmp_path / f"{NAME}.meta.yaml").read_text("utf-8"))
    assert meta["attributes"]["resources"] == ["vpc.vpc"]
    assert '"10.0.0.0/8"' in meta["create"]
    assert meta["binds"] == {
        "the VPC in which you want to create the vSwitch": "${output.vpc_name}"
    }
    rule = yaml.safe_load((tmp_path / f"{NAME}.rule.yaml").read_text("utf-8"))
    (made, at_most) = rule["all"]
    assert (made["event"], at_most["max"]) == ("CreateVSwitch", 1)
    assert ["request.VSwitchName", "eq", "doc-vswitch"] in made["where"]
    assert ["request.VpcId", "eq", "$meta.vpc_id"] in made["where"]
    assert "DeleteVSwitch" in rule["none"][0]["event"]

    again = await command("author", str(document))
    assert again.code == 1
    assert "author.exists" in again.out
