"""`proofwalk author` as a command: a document gets a rule out of real walks, and
`verify` proves the document by it; what cannot be walked gets none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.e2e.installation import DOCS, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(600),
]
NAME = "01-vpc-create-vpc"


async def test_a_document_gets_a_rule_by_which_it_is_verified(tmp_path: Path) -> None:
    for ending in (".md", ".meta.yaml"):
        shutil.copy(DOCS / f"{NAME}{ending}", tmp_path)
    document = tmp_path / f"{NAME}.md"
    astray = tmp_path / "astray.md"
    astray.write_text("# Astray\n\n1. Click **No such button anywhere**.\n", encoding="utf-8")

    written = await command("author", str(document), str(astray), within_s=400)
    assert written.code == 1, written.err[-3000:]
    assert "author.not_walked" in written.out
    assert not (tmp_path / "astray.rule.yaml").exists()
    rule = yaml.safe_load((tmp_path / f"{NAME}.rule.yaml").read_text("utf-8"))
    (made, at_most) = rule["all"]
    assert (made["event"], at_most["max"]) == ("CreateVpc", 1)
    assert ["request.VpcName", "eq", "doc-vpc"] in made["where"]
    assert ["request.CidrBlock", "eq", "192.168.0.0/16"] in made["where"]
    assert "DeleteVpc" in rule["none"][0]["event"]

    again = await command("author", str(document), within_s=120)
    assert again.code == 1
    assert "author.exists" in again.out
