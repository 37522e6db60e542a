"""Whether the process lives, and whether it can serve. Without a key."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response

from proofwalk.gateway.routes.asking import App

router = APIRouter(include_in_schema=False)


@router.get("/livez")
async def livez() -> Response:
    return Response("ok\n", media_type="text/plain")


@router.get("/readyz")
async def readyz(parts: App) -> Response:
    good = await parts.ready()
    return Response(
        "ready\n" if good else "not ready\n",
        status_code=200 if good else 503,
        media_type="text/plain",
    )
