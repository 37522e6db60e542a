"""Makes a Playwright trace fit to be kept: masks it, and puts the episode's steps and
pictures into it.

Playwright's recording (format 10) is a zip of `trace.trace` (events, one JSON object a
line), `trace.network` (`resource-snapshot`s, each an entry of a HAR) and `resources/`
(bodies, named by digest). It knows nothing of our input, which goes over raw CDP, so
the steps are written in as actions: `before` and `after` events with the action as
parameters, a `screenshot` of what the policy saw, a `screencast-frame` for the film
strip. The DOM before and after each step comes from the marks that `trace.Trace` sets
while the walk runs: an evaluation of a string literal, which makes Playwright take a
snapshot before and after itself. Its snapshots are relabelled as "after step n" and
"before step n+1" (not one is dropped: each refers back to earlier ones by position),
and the evaluation is left out.

Masking: every text of every event; values of password fields in DOM snapshots whatever
they are; headers, cookies and fields that are secret by name (`network`); every body.
Pictures are ours, with the boxes of secrets already black. A resource whose bytes
changed gets another name. Stacks and source positions of this program are left out.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from proofwalk.console.safety.redaction import Secrets
from proofwalk.console.session.recorder.network import masked_body, masked_entry, masked_strings
from proofwalk.kernel.errors import unavailable
from proofwalk.kernel.json_values import JsonObject, number_of, object_of

FORMAT = 10
"""The version of Playwright's trace format that this module reads and writes."""
MARK = "proofwalk:after:"
_RESOURCES = "resources/"
_LARGEST = 20_000_000
"""Bytes of the largest body that is kept."""


@dataclass(frozen=True, kw_only=True)
class TracedStep:
    """One step of the episode as the trace shows it."""

    number: int
    title: str
    action: str
    """The action as JSON; secrets by name."""
    result: str
    ok: bool
    started_at: datetime
    ended_at: datetime
    picture: bytes
    """JPEG of what the policy saw, without marks; empty when none was taken."""
    size: tuple[int, int]


def rewrite(source: Path, steps: Sequence[TracedStep], secrets: Secrets) -> bytes:
    """The zip at `source` as a zip that may be kept. Raises `trace.unknown_format` when
    Playwright wrote another format."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(source) as raw,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=3) as kept,
    ):
        network = [
            json.loads(line)
            for name in _members(raw, ".network")
            for line in raw.read(name).splitlines()
            if line
        ]
        mimes = dict(_bodies(network))
        renamed = dict(_resources(raw, kept, mimes, secrets))
        for name in _members(raw, ".network"):
            entries = [json.loads(line) for line in raw.read(name).splitlines() if line]
            masked = [_network_event(event, renamed, secrets) for event in entries]
            kept.writestr(name, _lines(masked))
        for name in _members(raw, ".trace"):
            events = [json.loads(line) for line in raw.read(name).splitlines() if line]
            kept.writestr(name, _lines(_events(events, renamed, steps, secrets)))
        for step in steps:
            if step.picture:
                kept.writestr(zipfile.ZipInfo(_picture(step)), step.picture)
    return out.getvalue()


def _members(archive: zipfile.ZipFile, suffix: str) -> list[str]:
    return [name for name in archive.namelist() if name.endswith(suffix) and "/" not in name]


def _lines(events: Iterable[JsonObject]) -> str:
    return "".join(
        json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n" for event in events
    )


def _bodies(network: Iterable[JsonObject]) -> Iterator[tuple[str, str]]:
    """File and media type of every body."""
    for event in network:
        entry = object_of(event.get("snapshot"))
        for body in (
            object_of(object_of(entry.get("request")).get("postData")),
            object_of(object_of(entry.get("response")).get("content")),
        ):
            if body.get("_file"):
                yield str(body["_file"]), str(body.get("mimeType", ""))


def _resources(
    raw: zipfile.ZipFile, kept: zipfile.ZipFile, mimes: Mapping[str, str], secrets: Secrets
) -> Iterator[tuple[str, str]]:
    """Copy the bodies, masked; yields old and new name of those whose bytes changed (a
    name is a digest, which tells of its bytes)."""
    written: set[str] = set()
    for info in raw.infolist():
        if not info.filename.startswith(_RESOURCES):
            continue
        if info.file_size > _LARGEST:
            yield info.filename, ""
            continue
        data = raw.read(info)
        masked = masked_body(data, mimes.get(info.filename, _mime(info.filename)), secrets)
        name = info.filename
        if masked != data:
            suffix = Path(name).suffix
            name = f"{_RESOURCES}{hashlib.sha1(masked, usedforsecurity=False).hexdigest()}{suffix}"
            yield info.filename, name
        if name not in written:
            written.add(name)
            kept.writestr(zipfile.ZipInfo(name), masked, zipfile.ZIP_DEFLATED, 3)


def _mime(name: str) -> str:
    return {".json": "application/json"}.get(Path(name).suffix, "")


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value with names of resources replaced."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    return value


def _network_event(
    event: dict[str, Any], renamed: Mapping[str, str], secrets: Secrets
) -> dict[str, Any]:
    if event.get("type") != "resource-snapshot":
        masked: dict[str, Any] = masked_strings(event, secrets)
        return masked
    snapshot: dict[str, Any] = _renamed(masked_entry(event["snapshot"], secrets), renamed)
    return {**event, "snapshot": snapshot}


def _events(
    events: list[dict[str, Any]],
    renamed: Mapping[str, str],
    steps: Sequence[TracedStep],
    secrets: Secrets,
) -> Iterator[dict[str, Any]]:
    """The recording's events masked, the marks taken out, the steps put in behind the
    context's description."""
    about = next((event for event in events if event.get("type") == "context-options"), None)
    if about is None or about.get("version") != FORMAT:
        version = about.get("version") if about else "none"
        raise unavailable(
            "trace.unknown_format",
            f"Playwright wrote a trace of format {version}; this program masks format {FORMAT}",
            hint="install the Playwright release that requirements.lock names",
        )
    marks = {
        event["callId"]: int(number)
        for event in events
        if event.get("type") == "before"
        and (
            number := str(event.get("params", {}).get("expression", ""))
            .strip("'")
            .removeprefix(MARK)
        ).isdigit()
        and event.get("method") == "evaluateExpression"
    }
    first = next(
        (
            event["params"]["pageId"]
            for event in events
            if event.get("type") == "event" and event.get("method") == "page"
        ),
        "",
    )
    pages = {
        marks[event["snapshot"]["callId"]]: event["snapshot"]["pageId"]
        for event in events
        if event.get("type") == "frame-snapshot" and event["snapshot"].get("callId") in marks
    }
    for event in events:
        kind = event.get("type")
        if event.get("callId") in marks and kind != "frame-snapshot":
            continue
        event.pop("stack", None)
        if kind == "frame-snapshot":
            event = {**event, "snapshot": _snapshot(event["snapshot"], marks)}
        yield _renamed(masked_strings(event, secrets), renamed)
        if event.get("type") == "context-options":
            for step in steps:
                yield from masked_strings(
                    list(_step_events(step, about, pages.get(step.number) or first)), secrets
                )


def _snapshot(snapshot: dict[str, Any], marks: Mapping[str, int]) -> dict[str, Any]:
    """A DOM snapshot without what password fields hold; one that a mark made belongs to
    the steps around it."""
    found = {**snapshot, "html": _without_passwords(snapshot.get("html"))}
    number = marks.get(snapshot.get("callId", ""))
    if number is not None:
        ahead = snapshot.get("phase") == "after"
        found |= {"callId": _call(number + ahead), "phase": "before" if ahead else "after"}
    return found


def _without_passwords(node: Any) -> Any:
    """A snapshot's node, `[name, attributes, …children]`, with the values of password
    fields gone."""
    if not isinstance(node, list):
        return node
    if len(node) > 1 and isinstance(node[0], str) and isinstance(node[1], dict):
        attributes = node[1]
        if node[0].upper() == "INPUT" and str(attributes.get("type", "")).lower() == "password":
            attributes = {
                name: value
                for name, value in attributes.items()
                if name not in ("value", "__playwright_value_")
            }
        return [node[0], attributes, *(_without_passwords(child) for child in node[2:])]
    return [_without_passwords(child) for child in node]


def _call(number: int) -> str:
    return f"step@{number}"


def _picture(step: TracedStep) -> str:
    return f"{_RESOURCES}step-{step.number}.jpeg"


def _step_events(step: TracedStep, about: JsonObject, page_id: str) -> Iterator[dict[str, Any]]:
    """A step as an action in the tab `page_id`, in the recording's own clock
    (milliseconds; wall time is known at its start)."""
    offset = number_of(about["monotonicTime"]) - number_of(about["wallTime"])
    start, end = (moment.timestamp() * 1000 + offset for moment in (step.started_at, step.ended_at))
    call = _call(step.number)
    page = {"pageId": page_id} if page_id else {}
    params = json.loads(step.action or "{}")
    yield {
        "type": "before",
        "callId": call,
        "startTime": start,
        "title": step.title,
        "class": "Step",
        "method": str(params.get("type", "answer")),
        "params": params,
        **page,
    }
    if step.picture and page:
        wall = step.started_at.timestamp() * 1000
        shown = {"timestamp": start, "file": _picture(step), **page}
        yield {"type": "screenshot", "callId": call, "phase": "before", **shown}
        yield {
            "type": "screencast-frame",
            "width": step.size[0],
            "height": step.size[1],
            "frameSwapWallTime": wall,
            **shown,
        }
    yield {"type": "log", "callId": call, "time": end, "message": step.result}
    ended: dict[str, Any] = {"type": "after", "callId": call, "endTime": end}
    if step.ok:
        ended["result"] = {"message": step.result}
    else:
        ended["error"] = {"name": "Error", "message": step.result}
    yield ended
