"""`proofwalk methods` as a command: every method of the smallest recipe, through the
real roles, and again with nothing left to do."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from tests.e2e.installation import ROOT, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.long,
    pytest.mark.timeout(3600),
]

RECIPE = str(ROOT / "recipes" / "methods-smoke.yaml")


async def test_every_method_goes_from_the_common_checkpoint_to_the_table() -> None:
    with tempfile.TemporaryDirectory(prefix="pwm-") as short:  # its sockets' paths have a bound
        out, results = Path(short) / "x", Path(short) / "results"
        ran = await command("methods", RECIPE, "--out", str(out), "--only", "grpo:1", within_s=1500)
        assert ran.code == 0, ran.err[-4000:]
        assert [path.name for path in out.glob("*-1")] == ["grpo-1"]
        ran = await command(
            "methods", RECIPE, "--out", str(out), "--results", str(results), within_s=3000
        )
        assert ran.code == 0, ran.err[-4000:]
        content = json.loads((results / "methods.json").read_text("utf-8"))
        methods = content["methods"]
        walking = set(methods) - {"start", "sft-more"}
        assert len(walking) == 7
        bound = content["figures"]["environment_steps"]
        assert all(methods[name]["environment_steps"] >= bound for name in walking)
        assert all(part["pass1"] is not None for part in methods.values())
        assert methods["grpo"]["updates"] >= 1
        assert methods["rft"]["updates"] == methods["dpo"]["updates"] == 0, "nothing was verified"
        assert (results / "methods.html").is_file()

        again = await command("methods", RECIPE, "--out", str(out), within_s=120)
        assert again.code == 0, again.err[-4000:]
        assert ": …" not in again.err
