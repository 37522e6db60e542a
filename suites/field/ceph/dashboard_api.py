"""The dashboard's REST API, as restore.py calls it."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

ANSWER_S = 60
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
            "Accept": "application/vnd.ceph.api.v1.0+json",
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
