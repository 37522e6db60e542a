"""Calls of the vendor's official clients, for adapters: their deadline, their retries,
their refusals as ours.

The SDKs are synchronous at heart (their async calls ignore `no_proxy`), so calls run in
a small pool of threads with the SDK's own time-outs below the deadline. Throttling and
server errors are retried with growing pauses until the deadline; then they raise
`cloud.unavailable`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
from alibabacloud_tea_openapi.models import Config
from alibabacloud_tea_openapi.utils_models import Params

from proofwalk.cloud.ports import AccessKey, CloudAccount
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status, unavailable

T = TypeVar("T")
REFUSED_WITH = "cloud_code"
"""Key of an error's details: the code with which the cloud refused the call."""
UNREACHABLE_TRIES = 3
"""How often a refused connection is tried. Throttling and server errors are retried
until the deadline."""
_DENIED = (
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "Forbidden",
    "NoPermission",
    "InvalidSecurityToken",
    "Unauthorized",
    "MissingSecurityToken",
)


def denied(message: str, *, hint: str = "") -> ProofwalkError:
    """Return the error for a key that the cloud refuses."""
    return ProofwalkError("cloud.denied", message, status=Status.PERMISSION_DENIED, hint=hint)


def bad_answer(action: str, *, code: str = "") -> ProofwalkError:
    """Return the error for an answer that is not what the operation answers; `code` is
    what the answer itself says went wrong."""
    told = f"refused the call: {code}" if code else "gave an answer of another form"
    return ProofwalkError(
        "cloud.bad_answer",
        f"{action} {told}",
        status=Status.INTERNAL,
        details={REFUSED_WITH: code} if code else {},
    )


def means_denied(code: str) -> bool:
    """Whether the cloud refuses the key, or what the key may do."""
    return code.startswith(_DENIED)


def rpc_params(action: str, version: str) -> Params:
    """How the clients' general call sends an operation."""
    return Params(
        action=action,
        version=version,
        protocol="HTTPS",
        pathname="/",
        method="POST",
        auth_type="AK",
        style="RPC",
        req_body_type="formData",
        body_type="json",
    )


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Where a service answers."""

    address: str
    """Host, and port if it is not the protocol's."""
    protocol: str
    """HTTP or HTTPS."""
    region: str


class SdkCalls:
    """Calls of one service at one endpoint. `close()` ends its threads."""

    def __init__(
        self,
        *,
        service: str,
        action: str,
        endpoint: Endpoint,
        clock: Clock,
        deadline_s: float = 20.0,
        threads: int = 4,
    ) -> None:
        self._service = service
        self._action = action
        self._endpoint = endpoint
        self._clock = clock
        self._deadline_s = deadline_s
        self._threads = ThreadPoolExecutor(max_workers=threads, thread_name_prefix=service.lower())

    def close(self) -> None:
        """Take no more calls. Those in flight end by the SDK's own time-outs."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def deadline(self) -> float:
        """The monotonic time at which what begins now is given up."""
        return self._clock.monotonic() + self._deadline_s

    def config(self, account: CloudAccount) -> Config:
        """What a client needs to speak for the account. Raises `cloud.denied` if it has
        no key."""
        key: AccessKey | None = account.access_key
        if key is None:
            raise denied(
                f"account {account.external_id!r} has no access key, and {self._service} asks for"
                " one",
                hint="give it one in the pool",
            )
        return Config(
            access_key_id=key.key_id,
            access_key_secret=key.secret.get_secret_value(),
            security_token=key.security_token and key.security_token.get_secret_value(),
            endpoint=self._endpoint.address,
            protocol=self._endpoint.protocol,
            region_id=self._endpoint.region,
            connect_timeout=3000,
            read_timeout=int(self._deadline_s * 500),
        )

    async def call(self, work: Callable[[], T], give_up: float) -> T:
        """Return what `work` returns. Raises `cloud.*`."""
        loop = asyncio.get_running_loop()
        attempt = 0
        while True:
            left = give_up - self._clock.monotonic()
            try:
                async with asyncio.timeout(max(left, 0.001)):
                    return await loop.run_in_executor(self._threads, work)
            except TimeoutError:
                raise unavailable(
                    "cloud.unavailable",
                    f"{self._service} gave no answer within {self._deadline_s:g} s",
                ) from None
            except Exception as error:
                failure = self._sorted(error)
                pause = min(0.2 * 2**attempt, 5.0) * random.uniform(0.5, 1.0)  # noqa: S311 -- jitter
                attempt += 1
                gone = not isinstance(error, AlibabaCloudException) and attempt >= UNREACHABLE_TRIES
                if not failure.retryable or gone or pause >= give_up - self._clock.monotonic():
                    raise failure from error
                await asyncio.sleep(pause)

    def _sorted(self, error: Exception) -> ProofwalkError:
        """Convert an SDK failure into one of ours, retryable if another try may
        help."""
        if isinstance(error, AlibabaCloudException):
            code = str(error.code or "")
            if means_denied(code) or error.status_code in (401, 403):
                refusal = denied(
                    f"{self._service} refused the key: {code}",
                    hint=f"rotate the account's credentials or grant {self._action}",
                )
                refusal.details[REFUSED_WITH] = code
                return refusal
            if code.startswith("Throttling") or (error.status_code or 500) >= 500:
                return unavailable("cloud.unavailable", f"{self._service} answered {code}")
            return ProofwalkError(
                "cloud.bad_answer",
                f"{self._service} refused the call: {code}",
                status=Status.INTERNAL,
                details={REFUSED_WITH: code},
            )
        return unavailable(
            "cloud.unavailable", f"{self._service} cannot be reached: {type(error).__name__}"
        )
