"""A made-up shop's audit endpoint: paged, with a bearer token and its own names for
everything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

PAGE = 2


class ShopLog:
    """Serves the lines of a file."""

    def __init__(self, path: Path, *, token: str) -> None:
        self._path = path
        self._token = token
        self.broken = False
        self.requests: list[dict[str, Any]] = []

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/audit/{account}", self._answer)])

    def options(self, url: str) -> str:
        """What the target file says instead of `jsonl`."""
        return (
            f'http: {{url: "{url}/audit/{{account}}", headers: {{Authorization: "Bearer'
            ' ${env:LOG_TOKEN}"}, params: {since: "{start_epoch}", until: "{end_epoch}"},'
            " items: page.rows, next: page.next, next_param: after}"
        )

    async def _answer(self, request: Request) -> Response:
        self.requests.append(dict(request.query_params))
        if self.broken:
            return JSONResponse({"error": "maintenance"}, status_code=503)
        if request.headers.get("authorization") != f"Bearer {self._token}":
            return JSONResponse({}, status_code=401)
        rows = []
        for line in self._path.read_text().splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:
                continue
            if row.get("tenant") == request.path_params["account"]:
                rows.append(row)
        first = int(request.query_params.get("after", 0))
        following = first + PAGE if first + PAGE < len(rows) else None
        return JSONResponse({"page": {"rows": rows[first : first + PAGE], "next": following}})
