"""The dashboard's REST API, as restore.py calls it.

Run by itself, `dashboard_api.py URL USER PASSWORD IMAGE` waits until the list of images
has that image: the list is of a cache, and asks for another version of the API than
META's requests do.
"""

from __future__ import annotations

import json
import sys
import time
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

ANSWER_S = 60
VERSIONS = {"block/image": "2.0"}
"""Of what is not of version 1.0."""
AWAY_S = 60.0
"""Seconds that the dashboard may be away after a start, and the gateway for it."""


class Api:
    """The API, as a user of the dashboard."""

    def __init__(self, url: str, user: str, password: str) -> None:
        address = urlsplit(url)
        self._host, self._port = address.hostname or "", address.port or 80
        self._token = ""
        about = {"username": user, "password": password}
        self._token = self._awaited("POST", "auth", about)["token"]

    def get(self, path: str) -> Any:
        """What is there; asked again while the dashboard or the gateway is away."""
        return self._awaited("GET", path)

    def _awaited(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        until = time.monotonic() + AWAY_S
        while True:
            try:
                return self.call(method, path, body)
            except (RuntimeError, OSError, HTTPException):
                if time.monotonic() > until:
                    raise
            time.sleep(0.5)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer. Raises `RuntimeError` with the console's words."""
        headers = {
            "Accept": f"application/vnd.ceph.api.v{VERSIONS.get(path, '1.0')}+json",
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        }
        told = json.dumps(body).encode() if body is not None else None
        connection = HTTPConnection(self._host, self._port, timeout=ANSWER_S)
        try:
            connection.request(method, f"/api/{path}", told, headers)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if not 200 <= answer.status < 300:
            words = text[:300].decode(errors="replace")
            raise RuntimeError(f"{method} {path}: {answer.status} {words}")
        return json.loads(text) if text else None


def main(url: str, user: str, password: str, image: str) -> int:
    """The exit code."""
    api = Api(url, user, password)
    until = time.monotonic() + AWAY_S
    while not any(one["name"] == image for of in api.get("block/image") for one in of["value"]):
        if time.monotonic() > until:
            return 1
        time.sleep(0.5)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
