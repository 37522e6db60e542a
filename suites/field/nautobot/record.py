"""Nautobot's record as JSON lines: its object changes, and the pages looked at.

Object changes are Nautobot's own change log: who created, updated or deleted what,
with the whole object as the API tells it. They are read from its database, as asking
the API twice a second would be half of the console's work. Pages that were looked at
are in the log of requests that the settings keep; widgets ask the API for much that
nobody looked at, so its requests are left out. Both have the user's name. A line is
{uid, time, actor, service, name, write, request}.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

EVERY_S = 0.5
PSQL_DEADLINE_S = 10.0
LATE_S = 60
"""A change has the time of its making, and is seen when its transaction ends."""
CHANGES = """
SELECT json_build_object('uid', c.id, 'time', extract(epoch FROM c.time), 'actor', c.user_name,
    'service', t.app_label || '.' || t.model, 'name', c.action, 'write', true,
    'request', coalesce(c.object_data_v2, c.object_data))
FROM extras_objectchange c JOIN django_content_type t ON t.id = c.changed_object_type_id
WHERE c.time > to_timestamp({since}) ORDER BY c.time
"""
NOT_TOLD = ("/api/", "/static/", "/media/", "/login/", "/logout/", "/template.css", "/metrics/")


class Changes:
    """What the change log has since this began."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._since = time.time()
        self._told: set[str] = set()

    def take(self) -> Iterator[dict[str, Any]]:
        """Those not told yet; none while the database is being reset."""
        command = ["psql", self._database, "-qAt", "-c", CHANGES.format(since=self._since)]
        begun = time.time()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=PSQL_DEADLINE_S, check=False
            )
        except subprocess.TimeoutExpired:
            return
        if done.returncode:
            return
        changes = [json.loads(line) for line in done.stdout.splitlines()]
        yield from (one for one in changes if one["uid"] not in self._told)
        self._told = {one["uid"] for one in changes}
        self._since = max(self._since, begun - LATE_S)


class Requests:
    """What has been written into the log of requests since this began."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = path.stat().st_size if path.is_file() else 0

    def take(self) -> Iterator[dict[str, Any]]:
        """Complete lines that are told of. A log that has become shorter is new."""
        if not self._path.is_file():
            return
        with self._path.open("rb") as log:
            if self._path.stat().st_size < self._read:
                self._read = 0
            log.seek(self._read)
            text = log.read()
        text = text[: text.rfind(b"\n") + 1]
        self._read += len(text)
        for line in text.splitlines():
            told = _page(json.loads(line))
            if told is not None:
                yield told


def _page(line: dict[str, Any]) -> dict[str, Any] | None:
    """A page that somebody got; None for anything else."""
    method, _, address = str(line.get("request", "")).partition(" ")
    if line.get("event") != "request_finished" or method != "GET" or line.get("code") != 200:
        return None
    parts = urlsplit(address)
    if parts.path.startswith(NOT_TOLD) or not line.get("user_id"):
        return None
    at = datetime.fromisoformat(line["timestamp"])
    return {
        "uid": line["request_id"],
        "time": at.replace(tzinfo=at.tzinfo or UTC).timestamp(),
        "actor": line["user_id"],
        "service": "http",
        "name": "GET",
        "write": False,
        "request": {
            "path": parts.path,
            "query": {key: values[0] for key, values in parse_qs(parts.query).items()},
        },
    }


def main() -> int:
    """Until it is ended from outside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="address for psql")
    parser.add_argument("--requests", required=True, type=Path)
    parser.add_argument("--into", required=True, type=Path)
    given = parser.parse_args()
    changes, requests = Changes(given.database), Requests(given.requests)
    while True:
        with given.into.open("a", encoding="utf-8") as log:
            for line in (*changes.take(), *requests.take()):
                log.write(json.dumps(line, ensure_ascii=False) + "\n")
        time.sleep(EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
