"""`deploy/compose/tls.yml` gives every role that serves or calls gRPC its own
certificate, from the folder that `proofwalk certificates make` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from proofwalk.chassis.settings import TLS_PREFIX, load_settings
from proofwalk.cli.certificates import OWNERS
from proofwalk.platform.settings import Settings

_ROOT = Path(__file__).resolve().parents[2]


def services(path: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((_ROOT / path).read_text(encoding="utf-8"))["services"]
    return found


def test_each_role_has_its_own() -> None:
    calling = {
        name
        for name, service in services("docker-compose.yml").items()
        if any("ADDRESSES__" in key for key in service.get("environment", {}))
    }
    certified = services("deploy/compose/tls.yml")
    assert set(certified) == calling
    for name, service in certified.items():
        assert name.replace("-", "_") in OWNERS
        tls = load_settings(Settings, service["environment"]).rpc.tls
        (volume,) = service["volumes"]
        source, folder, access = volume.rsplit(":", 2)
        assert {str(path.parent) for path in tls.files()} == {folder}
        assert (source.rpartition("/")[2], access) == (name, "ro")
        assert all(key.startswith(TLS_PREFIX) for key in service["environment"])
