"""One HTTP listener for everything: the API at `/` and `/openapi`, `/console/api`,
`/admin`, and the console's bundle for the rest.
"""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from proofwalk.devcloud.api.admin_api import AdminApi
from proofwalk.devcloud.api.openapi import OpenApi, is_signed
from proofwalk.devcloud.console.console_api import ConsoleApi

NOT_BUILT = (
    "The console bundle is not built: services/proofwalk/devcloud/console/bundle/index.html is"
    " missing. The API works without it.\n"
)


class Bundle:
    """The built console, a folder of static files; any other path is the application's
    own and gets its page."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def answer(self, path: str) -> Response:
        """The file at this path, or the application."""
        index = self._folder / "index.html"
        if not index.is_file():
            return PlainTextResponse(NOT_BUILT, status_code=503)
        wanted = (self._folder / path.lstrip("/")).resolve()
        if wanted.is_file() and wanted.is_relative_to(self._folder):
            immutable = path.startswith("/assets/")
            return FileResponse(
                wanted,
                headers={
                    "cache-control": (
                        "public, max-age=31536000, immutable" if immutable else "no-cache"
                    )
                },
            )
        if path.startswith("/assets/"):
            return PlainTextResponse("not found\n", status_code=404)
        return FileResponse(index, headers={"cache-control": "no-cache"})


def build_app(openapi: OpenApi, console: ConsoleApi, admin: AdminApi, bundle: Bundle) -> Starlette:
    """Routes, most specific first."""

    async def root(request: Request) -> Response:
        return await openapi.handle(request) if is_signed(request) else bundle.answer("/")

    async def page(request: Request) -> Response:
        path = request.url.path
        if path.startswith(("/console/api", "/admin")):
            return PlainTextResponse("not found\n", status_code=404)
        return (
            await openapi.handle(request)
            if "authorization" in request.headers
            else bundle.answer(path)
        )

    async def broken(request: Request, error: Exception) -> Response:
        # the traceback goes to the log; a client gets the form that it can read
        message = "The request processing has failed due to some unknown error."
        return JSONResponse(
            {
                "Code": "InternalError",
                "code": "InternalError",
                "Message": message,
                "message": message,
            },
            500,
        )

    return Starlette(
        exception_handlers={Exception: broken},
        routes=[
            Route("/", root, methods=["GET", "POST"]),
            Route("/", openapi.handle, methods=["PUT", "DELETE", "PATCH"]),
            Route("/openapi", openapi.handle, methods=["GET", "POST"]),
            Route("/openapi/", openapi.handle, methods=["GET", "POST"]),
            *console.routes(),
            *admin.routes(),
            Route("/{path:path}", page, methods=["GET"]),
            Route("/{path:path}", openapi.handle, methods=["POST", "PUT", "DELETE", "PATCH"]),
        ],
    )
