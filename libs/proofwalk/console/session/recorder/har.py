"""A HAR 1.2 of what the session's pages asked for, taken from a trace that is masked
already (`trace_file`): no second recording.

Bodies of text are in it; others are named by size and type alone. Its `entries` are
those of the trace's `resource-snapshot`s, without Playwright's own fields.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

_LARGEST_TEXT = 2_000_000
"""Bytes of the largest body that is put in."""
_TEXT = (
    "text/",
    "application/json",
    "application/javascript",
    "application/xml",
    "application/x-www-form-urlencoded",
)


def har_of(trace: bytes, *, version: str = "1") -> bytes:
    """The HAR of a masked trace, as JSON. `version` is the program's own."""
    with zipfile.ZipFile(io.BytesIO(trace)) as archive:
        files = set(archive.namelist())
        about: dict[str, Any] = {}
        entries = []
        for name in sorted(files):
            if name.endswith((".trace", ".network")) and "/" not in name:
                for line in archive.read(name).splitlines():
                    event = json.loads(line)
                    if event["type"] == "context-options":
                        about = event
                    elif event["type"] == "resource-snapshot":
                        entries.append(_entry(event["snapshot"], archive, files))
    entries.sort(key=lambda entry: str(entry["startedDateTime"]))
    log = {
        "version": "1.2",
        "creator": {"name": "Proofwalk", "version": version},
        "browser": {
            "name": str(about.get("browserName", "")),
            "version": str(about.get("playwrightVersion", "")),
        },
        "pages": [
            _page(ref, entries)
            for ref in sorted({entry["pageref"] for entry in entries if "pageref" in entry})
        ],
        "entries": entries,
    }
    return json.dumps({"log": log}, ensure_ascii=False, indent=1).encode()


def _page(ref: str, entries: list[dict[str, Any]]) -> dict[str, Any]:
    first = next(entry for entry in entries if entry.get("pageref") == ref)
    return {
        "id": ref,
        "title": first["request"]["url"],
        "startedDateTime": first["startedDateTime"],
        "pageTimings": {},
    }


def _entry(snapshot: dict[str, Any], archive: zipfile.ZipFile, files: set[str]) -> dict[str, Any]:
    entry = {key: value for key, value in snapshot.items() if not key.startswith("_")}
    request, response = dict(entry["request"]), dict(entry["response"])
    if "postData" in request:
        request["postData"] = _body(request["postData"], archive, files)
    if "content" in response:
        response["content"] = _body(response["content"], archive, files)
    return {**entry, "request": _public(request), "response": _public(response)}


def _body(body: dict[str, Any], archive: zipfile.ZipFile, files: set[str]) -> dict[str, Any]:
    found, name, mime = _public(body), body.get("_file", ""), body.get("mimeType", "")
    if (
        name in files
        and mime.startswith(_TEXT)
        and archive.getinfo(name).file_size <= _LARGEST_TEXT
    ):
        found["text"] = archive.read(name).decode(errors="replace")
    return found


def _public(fields: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if not key.startswith("_")}
