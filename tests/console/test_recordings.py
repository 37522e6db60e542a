"""A secret that a page echoes wherever it can is in no recording; the trace is one that
Playwright's own tools read."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright._impl._driver import compute_driver_executable

from proofwalk.console.actions import AnswerDialog, Click, GuiAction, Type
from proofwalk.console.observation import Box, Observation
from proofwalk.console.session.console_session import ConsoleSession
from proofwalk.console.session.recorder.har import har_of
from proofwalk.console.session.recorder.network import (
    MASKED,
)
from proofwalk.console.session.recorder.trace import Trace
from tests.console.conftest import Site, pick
from tests.console.recorded import CANARY, events, holds, members

TITLES = ["type the password", "click Send", "answer the dialog", "click what is not there"]

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


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_secret_that_the_page_echoes_everywhere_is_in_no_recording(
    connect: Callable[..., AbstractAsyncContextManager[ConsoleSession]], site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "trace"
    folder.mkdir()
    async with connect(secrets={"console_password": CANARY}) as session:
        recorded = await _record(session, site, folder)
    assert list(folder.iterdir()) == [], "the raw recording is gone"
    hits = [hit for hit in site.hits if "ms=" in hit]
    assert any("Kanari" in hit for hit in hits), "the page did send it"
    _nothing_holds_the_secret(recorded)
    trace = events(recorded.trace)
    _snapshots_hold_no_password(trace)
    _steps_are_traced(trace)
    _pictures_are_there_and_black(recorded, trace)
    _requests_are_masked(json.loads(recorded.har)["log"])


def _nothing_holds_the_secret(recorded: Recorded) -> None:
    files = members(recorded.trace)
    assert [name for name, member in files.items() if holds(member) or holds(name.encode())] == []
    assert not holds(recorded.har)
    assert not holds(recorded.shown.encode())
    assert b"made-up-token" not in b"".join([*files.values(), recorded.har])


def _snapshots_hold_no_password(trace: list[dict[str, Any]]) -> None:
    texts = json.dumps(trace)
    assert texts.count("<secret:console_password>") >= 8, "DOM, address, console, dialog, network"
    passwords = [
        node
        for event in trace
        if event["type"] == "frame-snapshot"
        for node in _inputs(event["snapshot"]["html"])
    ]
    assert passwords
    assert all(
        "__playwright_value_" not in attributes
        for attributes in passwords
        if attributes.get("type") == "password"
    )


def _steps_are_traced(trace: list[dict[str, Any]]) -> None:
    """With titles, parameters and errors, and a snapshot before and after each."""
    steps = {
        event["callId"]: event
        for event in trace
        if event["type"] == "before" and event.get("class") == "Step"
    }
    assert [step["title"] for step in steps.values()] == TITLES
    assert steps["step@1"]["params"]["text"] == "<secret:console_password>"
    ended = {event["callId"]: event for event in trace if event["type"] == "after"}
    assert "error" in ended["step@4"]
    assert "error" not in ended["step@1"]
    phases = {
        (event["snapshot"]["callId"], event["snapshot"]["phase"])
        for event in trace
        if event["type"] == "frame-snapshot"
    }
    assert {
        ("step@1", "before"),
        ("step@1", "after"),
        ("step@2", "before"),
        ("step@4", "after"),
    } <= phases
    assert not any("proofwalk:after" in json.dumps(event) for event in trace)


def _pictures_are_there_and_black(recorded: Recorded, trace: list[dict[str, Any]]) -> None:
    """Black where the secret was typed."""
    files, box = members(recorded.trace), recorded.typed_at
    for event in trace:
        if event["type"] == "screenshot":
            assert files[event["file"]].startswith(b"\xff\xd8")
    picture = Image.open(io.BytesIO(files["resources/step-2.jpeg"])).convert("L")
    typed = picture.crop((int(box.x), int(box.y), int(box.x + box.width), int(box.y + box.height)))
    assert sum(typed.histogram()[:24]) > 0.95 * typed.width * typed.height, "the field is black"


def _requests_are_masked(har: dict[str, Any]) -> None:
    assert har["version"] == "1.2"
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
    assert [title for title in TITLES if title not in actions] == []
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
