"""API keys of the settings: what can be guessed is refused before anybody is served."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.compose.credentials import ensure
from proofwalk.chassis.settings import ProcessSettings, load_settings
from proofwalk.gateway.keys import local_key
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.errors import ProofwalkError


class _Process(ProcessSettings):
    gateway: GatewaySettings = GatewaySettings()


def _load(key: str) -> str:
    """The key as it is read from the environment."""
    settings = load_settings(_Process, {"PROOFWALK_GATEWAY__API_KEYS__CI": key})
    return settings.gateway.api_keys["ci"].get_secret_value()


@pytest.mark.parametrize(
    "key", ["docs", "pw_ci", "correct horse battery", "a" * 64, "0123456701234567012345670123"]
)
def test_a_key_that_can_be_guessed_ends_the_start_and_is_not_said(key: str) -> None:
    with pytest.raises(ProofwalkError) as refused:
        _load(key)
    assert refused.value.code == "settings.invalid"
    assert "the key 'ci' can be guessed" in refused.value.message
    assert "openssl rand -hex 32" in refused.value.message
    assert key not in str(refused.value)


def test_keys_that_are_drawn_are_taken(tmp_path: Path) -> None:
    ensure(tmp_path)
    drawn = (tmp_path / "gateway-api-key").read_text(encoding="ascii")
    machine = local_key(tmp_path / "gateway.key")
    for key in (drawn, machine, "0f3a9c4b7d21e8560f3a9c4b7d21e856"):
        assert _load(key) == key
