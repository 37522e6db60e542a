"""`proofwalk learn` as a command: every stage of the smallest recipe, through the real
roles, and again with nothing left to do."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest

from proofwalk.experiments.learn.page import VERSIONS
from proofwalk.experiments.learn.pipeline import STAGES
from tests.e2e.installation import ROOT, command

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.long,
    pytest.mark.timeout(900),
]

RECIPE = str(ROOT / "recipes" / "smoke.yaml")


async def test_a_model_goes_through_every_stage_and_nothing_is_done_twice() -> None:
    with tempfile.TemporaryDirectory(prefix="pwl-") as short:  # its sockets' paths have a bound
        out, results = Path(short) / "x", Path(short) / "results"
        ran = await command(
            "learn", RECIPE, "--out", str(out), "--results", str(results), within_s=800
        )
        assert ran.code == 0, ran.err[-4000:]
        stages = json.loads((out / "stages.json").read_text("utf-8"))["stages"]
        assert list(stages) == [stage.name for stage in STAGES]
        assert {entry["state"] for entry in stages.values()} == {"done"}
        assert stages["collect"]["result"]["verified"] == {"literal": 3}
        assert stages["samples"]["result"]["samples"] > 10
        assert stages["sft"]["result"]["steps"] > 5
        assert stages["grpo"]["result"]["steps"] == 2
        assert stages["tuned"]["result"]["version"] == stages["sft"]["result"]["version"]

        content = json.loads((results / "learn.json").read_text("utf-8"))
        figures = content["figures"]
        assert set(VERSIONS) < set(figures)
        assert {"sft_gain", "grpo_gain", "minutes"} < set(figures)
        assert all(figures[name]["tasks"] == 1 for name in VERSIONS)
        assert content["cost"]["grpo"]["cpu_seconds"] > 0
        losses = [row["loss"] for row in content["curves"]["sft"]]
        assert losses[-1] < losses[0], "it learns its few walks by heart"
        assert [row["step"] for row in content["curves"]["grpo"] if row["step"]] == [1.0, 2.0]
        assert 'aria-label="SFT: loss"' in (results / "learn.html").read_text("utf-8")
        left = {path.name for path in (out / "home").iterdir()}
        assert left == {"state"}, "only the trainer's state lasts"

        again = await command("learn", RECIPE, "--out", str(out), within_s=120)
        assert again.code == 0, again.err[-4000:]
        assert again.err.count("done before") == len(STAGES)
        assert json.loads((out / "stages.json").read_text("utf-8"))["stages"] == stages
