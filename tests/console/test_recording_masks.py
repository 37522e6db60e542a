"""A raw recording is rewritten without secrets: bodies, headers, names; and with the
steps of the walk."""

from __future__ import annotations

import json
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from proofwalk.console.session.recorder.network import (
    MASKED,
    is_secret_name,
    masked_body,
    masked_entry,
)
from proofwalk.console.session.recorder.trace_file import TracedStep, rewrite
from proofwalk.kernel.errors import ProofwalkError
from tests.console.recorded import CANARY, SECRETS, events, holds, members


def _recording(
    folder: Path,
    *,
    version: int = 10,
    trace: list[dict[str, Any]] = [],  # noqa: B006
    network: list[dict[str, Any]] = [],  # noqa: B006
) -> Path:
    path = folder / "raw.zip"
    about = {
        "version": version,
        "type": "context-options",
        "wallTime": 1_000_000,
        "monotonicTime": 500.0,
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("trace.trace", "\n".join(json.dumps(event) for event in [about, *trace]))
        archive.writestr("trace.network", "\n".join(json.dumps(event) for event in network))
        archive.writestr("resources/aa.json", json.dumps({"password": "hunter2", "p": CANARY}))
        archive.writestr("resources/bb.bin", b"\0\1" + CANARY.encode("utf-16-le"))
        archive.writestr("trace.stacks", "{}")
    return path


def test_a_body_that_held_a_secret_gets_another_name_everywhere(tmp_path: Path) -> None:
    snapshot = {
        "request": {
            "url": "http://a.example/?token=abc&x=1",
            "headers": [{"name": "Cookie", "value": "sid=1"}],
            "cookies": [{"name": "sid", "value": "1"}],
        },
        "response": {
            "headers": [],
            "content": {"mimeType": "application/json", "_file": "resources/aa.json"},
        },
    }
    data = rewrite(
        _recording(tmp_path, network=[{"type": "resource-snapshot", "snapshot": snapshot}]),
        [],
        SECRETS,
    )
    files = members(data)
    (rewritten,) = [
        event["snapshot"] for event in events(data) if event["type"] == "resource-snapshot"
    ]
    assert rewritten["response"]["content"]["_file"] != "resources/aa.json"
    assert json.loads(files[rewritten["response"]["content"]["_file"]]) == {
        "password": MASKED,
        "p": "<secret:console_password>",
    }
    assert rewritten["request"]["url"] == f"http://a.example/?token={MASKED}&x=1"
    assert (
        rewritten["request"]["headers"][0]["value"]
        == rewritten["request"]["cookies"][0]["value"]
        == MASKED
    )
    assert "trace.stacks" not in files
    assert not any(CANARY.encode("utf-16-le") in member for member in files.values())


def test_steps_stand_at_their_time_in_the_recordings_clock(tmp_path: Path) -> None:
    began = datetime.fromtimestamp(1002, UTC)
    step = TracedStep(
        number=1,
        title="click",
        action='{"type":"click","id":1}',
        result="clicked",
        ok=True,
        started_at=began,
        ended_at=began + timedelta(seconds=1),
        picture=b"\xff\xd8",
        size=(1440, 900),
    )
    page = {
        "type": "event",
        "time": 1.0,
        "class": "BrowserContext",
        "method": "page",
        "params": {"pageId": "page@1"},
    }
    by_type = {
        event["type"]: event
        for event in events(rewrite(_recording(tmp_path, trace=[page]), [step], SECRETS))
    }
    assert (by_type["before"]["startTime"], by_type["after"]["endTime"]) == (2500.0, 3500.0)
    assert by_type["screenshot"]["pageId"] == by_type["screencast-frame"]["pageId"] == "page@1"


def test_another_format_is_refused_rather_than_masked_badly(tmp_path: Path) -> None:
    with pytest.raises(ProofwalkError) as refused:
        rewrite(_recording(tmp_path, version=11), [], SECRETS)
    assert refused.value.code == "trace.unknown_format"


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "Cookie",
        "Set-Cookie",
        "X-CSRF-Token",
        "x-api-key",
        "sid",
        "client_secret",
        "accessKeySecret",
    ],
)
def test_credentials_are_known_by_their_names(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "Content-Type",
        "Accept",
        "InstanceId",
        "Access-Control-Allow-Credentials",
        "passengers",
        "author",
    ],
)
def test_and_other_fields_are_left_alone(name: str) -> None:
    assert not is_secret_name(name)


def test_bodies_are_masked_by_their_kind() -> None:
    assert (
        masked_body(b"a=1&password=x&b=2", "application/x-www-form-urlencoded", SECRETS)
        == b"a=1&password=<masked>&b=2"
    )
    assert (
        masked_body(b'{"a": {"Token": "x\\"y"}}', "text/plain", SECRETS)
        == b'{"a": {"Token": "<masked>"}}'
    )
    assert masked_body(b"\x89PNG password", "image/png", SECRETS) == b"\x89PNG password"
    encoded = {"request": {"postData": {"text": "AAAA", "encoding": "base64"}}, "response": {}}
    assert masked_entry(encoded, SECRETS)["request"]["postData"]["text"] == ""


def test_the_search_of_these_tests_finds_what_is_there() -> None:
    assert holds(json.dumps({"a": CANARY}).encode())
    assert not holds(b"Kanari without more")
