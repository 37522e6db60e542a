"""The REST API from the client's side: problem+json becomes `ProofwalkError` again, and
a gateway that restarts is waited for."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any

import httpx2

from proofwalk.chassis.trust import system_trust
from proofwalk.kernel.errors import HTTP_STATUS, ProofwalkError, Status, unavailable
from proofwalk.orders.body import to_body
from proofwalk.orders.order import VerificationRequest
from proofwalk.orders.verification import VerificationBody

_STATUS = {
    code: status
    for status, code in HTTP_STATUS.items()
    if status not in (Status.ABORTED, Status.ALREADY_EXISTS)
}
PATIENCE_S = 30.0
"""Seconds that an unreachable gateway is waited for."""
REQUEST_S = 70.0
"""Seconds that a request may take: more than any route gives the role behind it."""
DOWNLOAD_S = 900.0
"""Seconds that a report or a recording may take, which can be hundreds of megabytes."""
LIMIT_PATIENCE_S = 900.0
"""Seconds that a refusal which says for how long is waited for: a limit of the key,
whose jobs end within minutes."""


class Client:
    """Talks to one gateway; an async context manager."""

    def __init__(self, server: str, key: str) -> None:
        self._server = server.rstrip("/")
        self._http = httpx2.AsyncClient(
            base_url=self._server,
            headers={"Authorization": f"Bearer {key}"},
            timeout=httpx2.Timeout(REQUEST_S, connect=5.0),
            trust_env=False,
            verify=system_trust(),
        )

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def is_ready(self) -> bool:
        """Whether the gateway answers and its rollout role does."""
        try:
            return (await self._http.get("/readyz", timeout=5.0)).status_code == 200
        except httpx2.HTTPError:
            return False

    async def create(self, request: VerificationRequest, *, key: str) -> VerificationBody:
        """Request a verification; repeats under the same idempotency key are safe."""
        headers = {"Idempotency-Key": key}
        body: VerificationBody = (
            await self.send("POST", "/v1/verifications", json=to_body(request), headers=headers)
        ).json()
        return body

    async def get(self, verification_id: str) -> VerificationBody:
        body: VerificationBody = (
            await self.send("GET", f"/v1/verifications/{verification_id}")
        ).json()
        return body

    async def newest(self, *, limit: int) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (await self.call("GET", f"/v1/verifications?limit={limit}"))[
            "verifications"
        ]
        return rows

    async def cancel(self, verification_id: str) -> dict[str, Any]:
        body: dict[str, Any] = await self.call(
            "POST", f"/v1/verifications/{verification_id}:cancel", headers={"Content-Length": "0"}
        )
        return body

    async def report(self, verification_id: str) -> bytes:
        """The report's HTML."""
        path = f"/v1/verifications/{verification_id}/report"
        response = await self.send("GET", path, within_s=DOWNLOAD_S)
        content: bytes = response.content
        return content

    async def artefact(self, verification_id: str, name: str) -> bytes:
        """What was recorded of a verification: `trajectory`, `trajectory?images=true`,
        `trace` or `har`."""
        path = f"/v1/verifications/{verification_id}/{name}"
        response = await self.send("GET", path, within_s=DOWNLOAD_S)
        content: bytes = response.content
        return content

    async def script(self, verification_id: str) -> dict[str, Any]:
        """The verification's compiled walk, and its target's sign-in steps."""
        body: dict[str, Any] = await self.call("GET", f"/v1/verifications/{verification_id}/script")
        return body

    async def events(self, verification_id: str) -> list[dict[str, Any]]:
        headers = {"Accept": "application/json"}
        rows: list[dict[str, Any]] = (
            await self.call("GET", f"/v1/verifications/{verification_id}/events", headers=headers)
        )["events"]
        return rows

    async def targets(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = (await self.call("GET", "/v1/targets"))["targets"]
        return rows

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """The body of an answer, as JSON. Raises what the problem document says."""
        return (await self.send(method, path, **options)).json()

    async def send(
        self, method: str, path: str, *, within_s: float = REQUEST_S, **options: Any
    ) -> httpx2.Response:
        """An answer that is no error; what may be asked again is, for a while. Each
        request ends `within_s`."""
        began = time.monotonic()
        pause = 0.1
        while True:
            wait, patience = pause, PATIENCE_S
            try:
                # The client's own time-out is for each read: a byte now and then would
                # do.
                async with asyncio.timeout(within_s):
                    response = await self._http.request(method, path, **options)
                if response.status_code < 400:
                    return response
                error = _error(response)
                if not error.retryable:
                    raise error
                told = _told(error)
                if told is not None:
                    wait, patience = max(pause, told), LIMIT_PATIENCE_S
            except (httpx2.TransportError, TimeoutError) as failure:
                error = unavailable(
                    "client.unreachable",
                    f"{self._server} cannot be reached: {type(failure).__name__}",
                    hint="is the gateway running?",
                )
            if time.monotonic() + wait > began + patience:
                raise error
            await asyncio.sleep(wait)
            pause = min(pause * 2, 2.0)


def _told(error: ProofwalkError) -> float | None:
    """After how many seconds the refusal says that it may be asked again; None where it
    does not say."""
    text = error.details.get("retry_after_s", "")
    return float(text) if text.isdigit() else None


def _error(response: httpx2.Response) -> ProofwalkError:
    try:
        body = response.json()
        return ProofwalkError(
            body["code"],
            body["detail"],
            status=_STATUS.get(response.status_code, Status.INTERNAL),
            hint=body.get("hint", ""),
            retryable=bool(body.get("retryable")),
            details=body.get("details"),
        )
    except (ValueError, KeyError, TypeError):
        return ProofwalkError(
            "client.bad_answer",
            f"the server answered {response.status_code} without a problem document",
            status=Status.INTERNAL,
        )
