"""A secret that a page echoes wherever it can is in no recording; the trace is one that
Playwright's own tools read."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright._impl._driver import compute_driver_executable

from proofwalk.console.actions import AnswerDialog, Click, GuiAction, Type
from proofwalk.console.observation import Box, Observation
from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.recorder.har import har_of
from proofwalk.console.session.recorder.network import (
    MASKED,
    is_secret_name,
    masked_body,
    masked_entry,
)
from proofwalk.console.session.recorder.trace import Trace
from proofwalk.console.session.recorder.trace_file import TracedStep, rewrite
from proofwalk.kernel.errors import ProofwalkError
from tests.console.conftest import Site, pick

CANARY = 'Kanari "9/%é&+x'
TITLES = ["type the password", "click Send", "answer the dialog", "click what is not there"]
SECRETS = Secrets({"console_password": CANARY})

ECHO = """<form onsubmit="return false"><label>Password <input id=p type=password></label><label>User <input id=u></label>
<button onclick="echo()">Send</button></form><p id=o></p><div id=s></div>
<script>
document.getElementById('s').attachShadow({mode: 'open'}).innerHTML = '<input id=q type=password aria-label=Again>';
function echo() {
  const v = document.getElementById('p').value, o = document.getElementById('o');
  o.textContent = 'You typed ' + v; o.title = v; document.title = v; console.log('typed ' + v);
  localStorage.setItem('typed', v); sessionStorage.setItem('typed', v); document.cookie = 'sid=' + encodeURIComponent(v);
  history.pushState({}, '', '/?password=' + encodeURIComponent(v) + '#' + encodeURIComponent(v));
  const head = {'Authorization': 'Basic ' + btoa(unescape(encodeURIComponent('u:' + v))), 'Content-Type': 'application/json'};
  fetch('/slow?ms=1&text=' + encodeURIComponent(v), {headers: head});
  const body = JSON.stringify({p: v, token: 'made-up-token'});
  fetch('/slow?ms=1&x=' + btoa(unescape(encodeURIComponent(v))), {method: 'POST', headers: head, body});
  fetch('/slow?ms=2', {method: 'POST', body: new URLSearchParams({p: v, access_token: 'made-up-token'})});
  const frame = document.createElement('iframe'); frame.srcdoc = '<p>' + v.replace(/&/g, '&amp;') + '</p>'; document.body.append(frame);
  setTimeout(() => alert('You typed ' + v), 150);
}
</script>"""


@dataclass
class Recorded:
    """What a walk over the echoing page left."""

    trace: bytes
    har: bytes
    shown: str
    typed_at: Box
    """Where the second step's picture shows the field that the secret was typed
    into."""


async def _record(session: ConsoleSession, site: Site, folder: Path) -> Recorded:
    await session.open(site.show(ECHO, title="Echo"))
    async with Trace.recorded(session, folder) as trace:
        number = 0
        told: list[object] = []
        pages: list[Observation] = []

        async def step(act: Callable[[Any], GuiAction], title: str) -> None:
            nonlocal number
            number += 1
            started = session.clock.now()
            page = await session.observe()
            action = act(page)
            result = await session.perform(action)
            told.append((page, result))
            pages.append(page)
            await trace.step(
                number=number,
                title=title,
                action=action.model_dump_json(),
                result=result.message,
                ok=result.ok,
                started_at=started,
                ended_at=session.clock.now(),
                picture=page.raw_screenshot,
            )

        await step(
            lambda page: Type(id=pick(page, "Password").mark, text="<secret:console_password>"),
            "type the password",
        )
        await step(lambda page: Click(id=pick(page, "Send").mark), "click Send")
        await session.wait_quiet()
        async with asyncio.timeout(30):
            while not (await session.current()).is_stopped:
                await asyncio.sleep(0.02)
        await step(lambda page: AnswerDialog(accept=True), "answer the dialog")
        await step(lambda page: Click(id=999), "click what is not there")
        told.append(await session.observe())
        data = await trace.stop()
    return Recorded(
        trace=data, har=har_of(data), shown=repr(told), typed_at=pick(pages[1], "Password").box
    )


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def _events(data: bytes) -> list[dict[str, Any]]:
    lines = [
        line
        for name, member in _members(data).items()
        if name.endswith((".trace", ".network"))
        for line in member.splitlines()
    ]
    return [json.loads(line) for line in lines]


def _holds(data: bytes) -> bool:
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


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_secret_that_the_page_echoes_everywhere_is_in_no_recording(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    async with connect(secrets={"console_password": CANARY}) as session:
        found = await _record(session, site, folder)
    assert list(folder.iterdir()) == [], "the raw recording is gone"
    hits = [hit for hit in site.hits if "ms=" in hit]
    assert any("Kanari" in hit for hit in hits), "the page did send it"
    members = _members(found.trace)
    assert [
        name for name, member in members.items() if _holds(member) or _holds(name.encode())
    ] == []
    assert not _holds(found.har)
    assert not _holds(found.shown.encode())
    assert b"made-up-token" not in b"".join([*members.values(), found.har])

    events = _events(found.trace)
    texts = json.dumps(events)
    assert texts.count("<secret:console_password>") >= 8, "DOM, address, console, dialog, network"
    passwords = [
        node
        for event in events
        if event["type"] == "frame-snapshot"
        for node in _inputs(event["snapshot"]["html"])
    ]
    assert passwords
    assert all(
        "__playwright_value_" not in attributes
        for attributes in passwords
        if attributes.get("type") == "password"
    )

    steps = {
        event["callId"]: event
        for event in events
        if event["type"] == "before" and event.get("class") == "Step"
    }
    assert [step["title"] for step in steps.values()] == TITLES
    assert steps["step@1"]["params"]["text"] == "<secret:console_password>"
    ended = {event["callId"]: event for event in events if event["type"] == "after"}
    assert "error" in ended["step@4"]
    assert "error" not in ended["step@1"]
    phases = {
        (event["snapshot"]["callId"], event["snapshot"]["phase"])
        for event in events
        if event["type"] == "frame-snapshot"
    }
    assert {
        ("step@1", "before"),
        ("step@1", "after"),
        ("step@2", "before"),
        ("step@4", "after"),
    } <= phases
    assert not any("proofwalk:after" in json.dumps(event) for event in events)
    for event in events:
        if event["type"] == "screenshot":
            assert members[event["file"]].startswith(b"\xff\xd8")

    box = found.typed_at
    picture = Image.open(io.BytesIO(members["resources/step-2.jpeg"])).convert("L")
    typed = picture.crop((int(box.x), int(box.y), int(box.x + box.width), int(box.y + box.height)))
    assert sum(typed.histogram()[:24]) > 0.95 * typed.width * typed.height, "the field is black"

    har = json.loads(found.har)["log"]
    posts = [entry for entry in har["entries"] if entry["request"]["method"] == "POST"]
    form, message = sorted(
        posts, key=lambda entry: "json" in entry["request"]["postData"]["mimeType"]
    )  # both began in one millisecond
    assert json.loads(message["request"]["postData"]["text"]) == {
        "p": "<secret:console_password>",
        "token": MASKED,
    }
    headers = {header["name"].lower(): header["value"] for header in message["request"]["headers"]}
    assert headers["authorization"] == MASKED
    assert f"access_token={MASKED}" in form["request"]["postData"]["text"]
    assert har["version"] == "1.2"


def _inputs(node: Any) -> list[dict[str, Any]]:
    if not isinstance(node, list):
        return []
    own = [node[1]] if len(node) > 1 and node[0] == "INPUT" and isinstance(node[1], dict) else []
    return own + [found for child in node for found in _inputs(child)]


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_playwright_reads_the_trace(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    async with connect(secrets={"console_password": CANARY}) as session:
        found = await _record(session, site, folder)
    (tmp_path / "trace.zip").write_bytes(found.trace)
    said = _playwright(tmp_path, "open", "trace.zip")
    assert "chromium" in said
    actions = _playwright(tmp_path, "actions")
    assert [
        title
        for title in (
            "type the password",
            "click Send",
            "answer the dialog",
            "click what is not there",
        )
        if title in actions
    ]
    assert "Evaluate" not in actions
    assert "POST" in _playwright(tmp_path, "requests")
    number = next(
        line.split(".")[0].strip() for line in actions.splitlines() if "click Send" in line
    )
    assert "Send" in _playwright(tmp_path, "action", number)
    _playwright(tmp_path, "screenshot", number, "--output", "seen.jpeg")
    assert Image.open(io.BytesIO((tmp_path / "seen.jpeg").read_bytes())).size == (1440, 900)
    _playwright(tmp_path, "close")


def _playwright(folder: Path, *arguments: str) -> str:
    driver = compute_driver_executable()
    said = subprocess.run(
        [*driver, "trace", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=50,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert said.returncode == 0, said.stderr + said.stdout
    return said.stdout


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
    members = _members(data)
    (kept,) = [event["snapshot"] for event in _events(data) if event["type"] == "resource-snapshot"]
    assert kept["response"]["content"]["_file"] != "resources/aa.json"
    assert json.loads(members[kept["response"]["content"]["_file"]]) == {
        "password": MASKED,
        "p": "<secret:console_password>",
    }
    assert kept["request"]["url"] == f"http://a.example/?token={MASKED}&x=1"
    assert (
        kept["request"]["headers"][0]["value"] == kept["request"]["cookies"][0]["value"] == MASKED
    )
    assert "trace.stacks" not in members
    assert not any(CANARY.encode("utf-16-le") in member for member in members.values())


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
    events = {
        event["type"]: event
        for event in _events(rewrite(_recording(tmp_path, trace=[page]), [step], SECRETS))
    }
    assert (events["before"]["startTime"], events["after"]["endTime"]) == (2500.0, 3500.0)
    assert events["screenshot"]["pageId"] == events["screencast-frame"]["pageId"] == "page@1"


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
    assert _holds(json.dumps({"a": CANARY}).encode())
    assert not _holds(b"Kanari without more")
