"""What `proofwalk doctor` says of how Terraform is confined."""

from __future__ import annotations

import pytest

from proofwalk.cli import probes
from proofwalk.platform.settings import Settings
from proofwalk.resource_provisioner.settings import ResourceProvisionerSettings


@pytest.mark.parametrize(
    ("abi", "confinement", "ok", "found"),
    [
        (7, "required", True, "Landlock ABI 7"),
        (0, "where_available", True, "no Landlock"),
        (0, "required", False, "no Landlock"),
    ],
)
def test_what_confines_terraform_is_said(
    monkeypatch: pytest.MonkeyPatch, abi: int, confinement: str, ok: bool, found: str
) -> None:
    monkeypatch.setattr(probes, "landlock_abi", lambda: abi)
    own = ResourceProvisionerSettings.model_validate({"confinement": confinement})
    check = probes.confinement(Settings(resource_provisioner=own))
    assert (check.ok, found in check.found) == (ok, True)
    assert "5.13" in check.hint
