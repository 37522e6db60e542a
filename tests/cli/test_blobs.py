"""`proofwalk blobs seal`: the store of this home under the newest key."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from proofwalk.chassis.envelopes import Ring
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.cli.main import app

KEY = b"k" * 32


def test_what_lies_open_is_sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROOFWALK_HOME", str(tmp_path))
    monkeypatch.setenv("PROOFWALK_BLOB_KEYS", base64.urlsafe_b64encode(KEY).decode())
    blob_id = asyncio.run(LocalBlobs(tmp_path / "blobs").put(b"data"))
    done = CliRunner().invoke(app, ["blobs", "seal", "--json"])
    assert done.exit_code == 0
    assert json.loads(done.stdout) == {"sealed": 1, "renewed": 0, "unreadable": 0, "current": 0}
    sealed = LocalBlobs(tmp_path / "blobs", ring=Ring([KEY]))
    assert asyncio.run(sealed.get(blob_id)) == b"data"
    sealed.path(blob_id).write_bytes(b"altered")
    again = CliRunner().invoke(app, ["blobs", "seal"])
    assert again.exit_code == 1
    assert "1 cannot be read" in again.stderr


def test_without_keys_it_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROOFWALK_HOME", str(tmp_path))
    done = CliRunner().invoke(app, ["blobs", "seal"])
    assert done.exit_code == 3
    assert "blob.no_key" in done.stderr
