"""The process of a run calls roles with its role's certificate, which it knows by its
environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.chassis.settings import TLS_PREFIX
from proofwalk.trainer.launching import environment
from proofwalk.trainer.role_channels import own_certificate
from tests.chassis.certified import DOMAIN, authority, write


def test_it_is_told_where_the_certificate_is_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key, authorities = write(tmp_path, "trainer", authority()).files()
    monkeypatch.setenv("PROOFWALK_DATABASE_URL", "postgresql://u:hunter2@h/n")
    for name, value in (
        ("CERT_FILE", certificate),
        ("KEY_FILE", key),
        ("CA_FILE", authorities),
        ("TRUST_DOMAIN", DOMAIN),
    ):
        monkeypatch.setenv(f"{TLS_PREFIX}{name}", str(value))
    told = environment(threads=1)
    assert "PROOFWALK_DATABASE_URL" not in told
    own = own_certificate(told)
    assert own is not None
    assert own.role == "trainer"


def test_without_one_there_is_none() -> None:
    assert own_certificate({}) is None
