"""The OpenAPI endpoint: one port for every product, as the official clients call it.

A request is authenticated (`signatures`), stripped of its protocol parameters, and
handed to the dispatch. Answers and errors have the real forms: `{…, RequestId}` and
`{Code, Message, RequestId, HostId, Recommend}` with a 4xx status.
"""

from __future__ import annotations

import json
import urllib.parse
from typing import Any

from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from proofwalk.devcloud.api.signatures import Request, Verifier
from proofwalk.devcloud.engine.audit import request_id
from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.platform import Platform
from proofwalk.devcloud.engine.state.faults import CloudError

MAX_BODY = 1 << 20
_PATHS = frozenset({"/", "/openapi", "/openapi/"})
_REST_SCHEMES = frozenset({"OSS", "OSS4-HMAC-SHA256", "LOG", "LOG4-HMAC-SHA256", "acs"})
_PROTOCOL = frozenset(
    {
        "AccessKeyId",
        "Action",
        "Format",
        "SecurityToken",
        "Signature",
        "SignatureMethod",
        "SignatureNonce",
        "SignatureType",
        "SignatureVersion",
        "Timestamp",
        "Version",
    }
)


def reply(body: dict[str, Any], status: int = 200) -> Response:
    """JSON with the request id where the SDKs look for it."""
    headers = {"x-acs-request-id": str(body.get("RequestId", ""))}
    return Response(
        json.dumps(body), status_code=status, media_type="application/json", headers=headers
    )


def is_signed(request: HttpRequest) -> bool:
    """Whether a request to `/` is meant for the API rather than for the console."""
    return (
        "authorization" in request.headers
        or b"Signature=" in request.scope["query_string"]
        or request.method == "POST"
    )


def _refuse_rest(request: HttpRequest) -> None:
    """A clear answer to the wire forms that are not spoken here: those of the object
    store, the log service and ROA."""
    scheme = request.headers.get("authorization", "").partition(" ")[0]
    if (
        scheme in _REST_SCHEMES
        or request.url.path not in _PATHS
        or request.method not in ("GET", "POST")
    ):
        message = (
            "This endpoint takes operations in RPC form only (POST / with a version and an action),"
            " not as REST requests."
        )
        raise CloudError("NotImplemented", message, 501)


class OpenApi:
    """The endpoint."""

    def __init__(self, cloud: Cloud, platform: Platform, verifier: Verifier) -> None:
        self._cloud = cloud
        self._platform = platform
        self._verifier = verifier
        self._versions = cloud.catalogue.versions() | platform.versions

    async def handle(self, request: HttpRequest) -> Response:
        """Answer one signed request."""
        host = request.headers.get("host", "")
        try:
            _refuse_rest(request)
            body = await request.body()
            if len(body) > MAX_BODY:
                raise CloudError("RequestEntityTooLarge", "The request body is too large.", 413)
            return reply(self._execute(request, body, host))
        except CloudError as error:
            name = error.request_id or request_id(self._cloud.ids)
            recommend = f"https://api.aliyun.com/troubleshoot?q={urllib.parse.quote(error.code)}"
            answer = {
                "Code": error.code,
                "Message": error.message,
                "RequestId": name,
                "HostId": host,
                "Recommend": recommend,
            }
            return reply(answer, error.status)

    def _execute(self, request: HttpRequest, body: bytes, host: str) -> dict[str, Any]:
        headers = {name.lower(): value for name, value in request.headers.items()}
        query = urllib.parse.parse_qsl(
            request.scope["query_string"].decode("latin-1"), keep_blank_values=True
        )
        form: list[tuple[str, str]] = []
        if body and headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            try:
                form = urllib.parse.parse_qsl(body.decode(), keep_blank_values=True)
            except UnicodeDecodeError:
                raise CloudError(
                    "InvalidParameter", "The request body is not valid UTF-8."
                ) from None
        signed = self._verifier.verify(
            Request(
                method=request.method,
                path=request.url.path,
                query=query,
                form=form,
                headers=headers,
                body=body,
            )
        )
        if signed.version not in self._versions:
            raise CloudError("InvalidVersion", "Specified parameter Version is not valid.", 400)
        params = {name: value for name, value in [*query, *form] if name not in _PROTOCOL}
        caller = Caller(
            account=signed.by.account,
            user_name=signed.by.user_name,
            principal_id=signed.by.principal_id,
            event_type="ApiCall",
            identity_type=signed.by.identity_type,
            access_key_id=signed.by.key_id,
            source_ip=request.client.host if request.client is not None else "",
            user_agent=headers.get("user-agent", ""),
            host=host,
        )
        outcome = self._platform.call(caller, signed.version, signed.action, params)
        if outcome is None:
            outcome = self._cloud.call(caller, signed.version, signed.action, params)
        return outcome.answer
