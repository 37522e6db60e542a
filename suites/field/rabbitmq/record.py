"""RabbitMQ's record as JSON lines: events of the event exchange, and requests that have
no event.

Events are taken from the queue `field-audit`, which is bound to the event exchange.
They say what was changed, by whom, with all values. Reading a page and a few acts
(restarting a shovel, resetting statistics, purging) leave no event; they are in the
HTTP access log, from which those that `TOLD` names are taken. Both have the user's
name. A line is {uid, time, actor, service, name, write, request}.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import unquote

EVERY_S = 0.5
BATCH = 500
QUEUE = "/api/queues/%2F/field-audit/get"
LINE = re.compile(
    r'\S+ - (?P<actor>\S+) \[(?P<time>[^]]+)\] "(?P<method>[A-Z]+) (?P<path>\S+) [^"]*"'
    r' (?P<status>\d+) \S+ "[^"]*" "Mozilla'
)
"""A request of a browser: what META asks of the API is not told."""
TOLD = (
    ("GET", r"/api/(shovels|federation-links|queues|exchanges)(/[^/]+)?"),
    ("GET", r"/api/(queues|policies|exchanges)/[^/]+/[^/]+"),
    ("DELETE", r"/api/shovels/.*"),
    ("DELETE", r"/api/federation-links/.*"),
    ("DELETE", r"/api/queues/[^/]+/[^/]+/contents"),
    ("DELETE", r"/api/reset(/[^/]+)?"),
)
"""Requests that are told of."""
ARGUMENT = re.compile(
    r'\{<<"(?P<name>[^"]+)">>,(?P<type>\w+),(?:<<"(?P<text>[^"]*)">>|(?P<plain>[^}]*))\}'
)
"""An argument of a queue or an exchange: an Erlang term in the events."""


class Events:
    """What has come into the queue."""

    def __init__(self, address: str, user: str) -> None:
        self._address = address
        self._headers = {
            "Authorization": "Basic " + base64.b64encode(user.encode()).decode(),
            "Content-Type": "application/json",
        }
        self._number = 0

    def take(self) -> Iterator[dict[str, Any]]:
        """All that are there, taken away; none while the console is down."""
        ask = {"count": BATCH, "ackmode": "ack_requeue_false", "encoding": "auto"}
        connection = HTTPConnection(self._address, timeout=20)
        try:
            connection.request("POST", QUEUE, json.dumps(ask).encode(), self._headers)
            answer = connection.getresponse()
            messages = json.load(answer) if answer.status == 200 else []
        except (OSError, HTTPException, ValueError):
            return
        finally:
            connection.close()
        for message in messages:
            headers = dict(message["properties"].get("headers") or {})
            at = headers.pop("timestamp_in_ms", 0)
            if "arguments" in headers:
                headers["arguments"] = dict(_arguments(headers["arguments"]))
            self._number += 1
            yield {
                "uid": f"event-{at}-{self._number}",
                "time": at / 1000,
                "actor": headers.pop("user_who_performed_action", ""),
                "service": message["routing_key"].split(".")[0],
                "name": message["routing_key"],
                "write": True,
                "request": headers,
            }


class Requests:
    """What has been written into the access logs since this began."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = {path: path.stat().st_size for path in folder.glob("access.log*")}

    def take(self) -> Iterator[dict[str, Any]]:
        """Complete lines that are told of. A log that has become shorter is new."""
        for path in sorted(self._folder.glob("access.log*")):
            begin = self._read.get(path, 0)
            with path.open("rb") as log:
                if path.stat().st_size < begin:
                    begin = 0
                log.seek(begin)
                text = log.read()
            text = text[: text.rfind(b"\n") + 1]
            self._read[path] = begin + len(text)
            at = begin
            for line in text.splitlines(keepends=True):
                told = _request(line.decode(errors="replace"), f"{path.name}-{at}")
                at += len(line)
                if told is not None:
                    yield told


def _request(line: str, uid: str) -> dict[str, Any] | None:
    found = LINE.match(line)
    if found is None:
        return None
    path = found["path"].partition("?")[0]
    if not any(
        found["method"] == method and re.fullmatch(form, path) is not None for method, form in TOLD
    ):
        return None
    return {
        "uid": uid,
        "time": datetime.strptime(found["time"], "%d/%b/%Y:%H:%M:%S %z").timestamp(),
        "actor": found["actor"],
        "service": "http",
        "name": found["method"],
        "write": found["method"] != "GET",
        "request": {
            "path": unquote(path.removeprefix("/api")),
            "status": int(found["status"]),
        },
    }


def _arguments(terms: list[str]) -> Iterator[tuple[str, Any]]:
    for term in terms:
        found = ARGUMENT.fullmatch(term)
        if found is not None:
            yield found["name"], _value(found)


def _value(found: re.Match[str]) -> str | int | bool:
    plain = found["plain"]
    if plain is None:
        return found["text"]
    if plain.lstrip("-").isdigit():
        return int(plain)
    return plain == "true" if found["type"] == "bool" else plain


def main() -> int:
    """Until it is ended from outside."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True, help="HOST:PORT of the API")
    parser.add_argument("--user", required=True, help="NAME:PASSWORD")
    parser.add_argument("--requests", required=True, type=Path)
    parser.add_argument("--into", required=True, type=Path)
    given = parser.parse_args()
    events, requests = Events(given.address, given.user), Requests(given.requests)
    while True:
        with given.into.open("a", encoding="utf-8") as log:
            for line in (*events.take(), *requests.take()):
                log.write(json.dumps(line, ensure_ascii=False) + "\n")
        time.sleep(EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
