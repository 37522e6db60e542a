"""What a recording holds, and whether that is the secret of these tests."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from typing import Any

from proofwalk.console.safety.redaction import Secrets

CANARY = 'Kanari "9/%é&+x'
SECRETS = Secrets({"console_password": CANARY})


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def events(data: bytes) -> list[dict[str, Any]]:
    lines = [
        line
        for name, member in members(data).items()
        if name.endswith((".trace", ".network"))
        for line in member.splitlines()
    ]
    return [json.loads(line) for line in lines]


def holds(data: bytes) -> bool:
    """Whether bytes hold the secret in a spelling, found by a search that is not the
    one under test."""
    text = data.decode(errors="replace")
    encoded = base64.b64encode(CANARY.encode()).decode()[:12]
    core = (
        'Kanari "9',
        'Kanari \\"9',
        "Kanari%20%229",
        "Kanari+%229",
        "Kanari &quot;9",
        'Kanari "9'.encode("utf-16-le").decode("utf-16-le"),
    )
    return any(one in text for one in (*core, encoded)) or SECRETS.shows(text)
