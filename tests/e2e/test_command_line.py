"""The command as people and pipelines use it, without an installation: settings, exit
codes, the doctor."""

from __future__ import annotations

import json

import pytest

from tests.e2e.installation import DOCS, HANGS_S, command, home

pytestmark = [pytest.mark.slow, pytest.mark.timeout(HANGS_S)]


async def test_settings_are_shown_without_secrets_and_unknown_ones_are_refused() -> None:
    with home() as folder:
        shown = await command(
            "config", "show", "--json", HOME=str(folder), CLIENT__API_KEY="pw_very_secret"
        )
        assert shown.code == 0
        rows = {row["variable"]: row["value"] for row in json.loads(shown.out)}
        assert rows["PROOFWALK_HOME"] == str(folder)
        assert "PROOFWALK_CLIENT__API_KEY" in rows
        assert "pw_very_secret" not in shown.out + shown.err

        refused = await command("config", "show", HOME=str(folder), ROLOUT__CONCURRENCY="2")
        assert refused.code == 2
        assert "settings.unknown" in refused.err
        assert "PROOFWALK_ROLOUT__CONCURRENCY" in refused.err


async def test_the_doctor_tells_what_is_missing_and_how_to_get_it() -> None:
    with home() as folder:
        well = await command("doctor", HOME=str(folder))
        assert well.code == 0, well.out
        ill = await command(
            "doctor", HOME=str(folder), SANDBOX_SCHEDULER__CHROMIUM="/nowhere/chromium"
        )
        assert ill.code == 3
        assert "missing" in ill.out
        assert "PROOFWALK_SANDBOX_SCHEDULER__CHROMIUM" in ill.out


async def test_wrong_use_is_told_before_anything_is_started() -> None:
    with home() as folder:
        for arguments, said in (
            (("verify", str(DOCS / "01-vpc-create-vpc.md"), "--format", "yaml"), "junit"),
            (("serve", "barista"), "role.unknown"),
            (("jobs", "list"), "client.no_server"),
            (("verify",), "Missing argument"),
        ):
            got = await command(*arguments, HOME=str(folder))
            assert got.code == 2, f"{arguments}: {got}"
            assert said in got.err
        assert not (folder / "state").exists()
