"""The embedded cloud's defaults stay when another of its settings is set."""

from __future__ import annotations

import pytest

from proofwalk.platform.settings import DEVCLOUD_PORT, read_settings


@pytest.mark.parametrize("variable", ["SPEED", "AUDIT_LAG_S"])
def test_one_setting_of_the_cloud_leaves_its_other_defaults(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_settings().devcloud.accounts == 4
    monkeypatch.setenv(f"PROOFWALK_DEVCLOUD__{variable}", "5")
    cloud = read_settings().devcloud
    assert (cloud.accounts, cloud.port) == (4, DEVCLOUD_PORT)
