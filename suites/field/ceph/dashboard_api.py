"""The dashboard's REST API, as restore.py calls it."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ANSWER_S = 60
AWAY_S = 60.0
"""The gateway is away for some seconds after a start."""


class Api:
    """The API, as a user of the dashboard."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url
        self._token = ""
        self._token = self.call("POST", "auth", {"username": user, "password": password})["token"]

    def get(self, path: str) -> Any:
        """What is there; asked again while the gateway is away."""
        until = time.monotonic() + AWAY_S
        while True:
            try:
                return self.call("GET", path)
            except RuntimeError:
                if time.monotonic() > until:
                    raise
            time.sleep(1)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """The answer. Raises `RuntimeError` with the console's words."""
        headers = {
            "Accept": "application/vnd.ceph.api.v1.0+json",
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {self._token}"} if self._token else {}),
        }
        request = Request(
            f"{self._url}/api/{path}",
            data=json.dumps(body).encode() if body is not None else None,
            headers=headers,
            method=method,
        )
        try:
            with urlopen(request, timeout=ANSWER_S) as answer:
                text = answer.read()
        except HTTPError as error:
            told = error.read()[:300].decode(errors="replace")
            raise RuntimeError(f"{method} {path}: {error.code} {told}") from None
        return json.loads(text) if text else None
