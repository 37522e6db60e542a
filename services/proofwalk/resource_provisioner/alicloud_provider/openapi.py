"""The cloud's OpenAPI through the vendor's SDK core: one generic, signed call for every
operation.

The SDK's typed clients build the same request from thousands of model classes and take
seconds to import; a provider process is started several times per run, so the core's
`call_api` is used directly. Calls that throttling, a failure of the server or the
network broke are tried again;
a write carries a client token, so a repetition is the same write. `Wait` is how
resources are waited for.
"""

from __future__ import annotations

import random
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from proofwalk.cloud.alicloud.openapi import VERSIONS, means_absent, means_conflict, public_host

T = TypeVar("T")
ATTEMPTS = 5
ABSENT_WAIT_S = 15.0
"""For so long what was just made may not be there yet: reads lag behind writes."""
STOP_GRACE_S = 5.0
"""After Terraform was interrupted a wait goes on for so long; the resource is in the
state either way."""
_PASSING = ("Throttling", "Rejected.Throttling", "ServiceUnavailable")
"""Codes that begin so mean the moment, and not the request."""


class ApiError(Exception):
    """A refusal of the cloud, or no answer."""

    def __init__(
        self, action: str, code: str, message: str, request_id: str = "", *, transient: bool = False
    ) -> None:
        super().__init__(f"{action}: {code}: {message}")
        self.action = action
        self.code = code
        self.message = message
        self.request_id = request_id
        self.transient = transient

    @property
    def not_found(self) -> bool:
        return means_absent(self.code)

    @property
    def conflict(self) -> bool:
        """Something depends on it, or it is between two states: later it may work."""
        return means_conflict(self.code)


class Gone(Exception):
    """The resource vanished while it was waited for."""


@dataclass(frozen=True, kw_only=True)
class Connection:
    """Where and as whom."""

    access_key: str
    secret_key: str = field(repr=False)
    region: str
    endpoints: Mapping[str, str]
    """Host and port by product; a product that is not named has the vendor's public
    endpoint."""
    protocol: str = "HTTPS"
    security_token: str = field(default="", repr=False)
    connect_timeout_ms: int = 5000
    read_timeout_ms: int = 20000
    absent_wait_s: float = ABSENT_WAIT_S
    conflict_wait_s: float = 30.0
    """For so long a delete that a dependent blocks is tried again."""


def endpoint_of(value: str) -> tuple[str, str | None]:
    """`http://127.0.0.1:8470` → ("127.0.0.1:8470", "HTTP"); a bare host leaves the
    protocol open."""
    if "://" not in value:
        return value, None
    parts = urlsplit(value)
    return parts.netloc, parts.scheme.upper()


class CloudApi:
    """One account in one region."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.region = connection.region
        self.stopping = threading.Event()
        self._clients: dict[str, Any] = {}
        self._making = threading.Lock()

    def read(self, product: str, action: str, /, **params: Any) -> dict[str, Any]:
        """A call that changes nothing."""
        return self._call(product, action, params)

    def find(self, product: str, action: str, /, **params: Any) -> dict[str, Any] | None:
        """A read of what may be gone: None when it is."""
        try:
            return self.read(product, action, **params)
        except ApiError as error:
            if error.not_found:
                return None
            raise

    def write(self, product: str, action: str, /, **params: Any) -> dict[str, Any]:
        """A call that changes something; safe to repeat by its client token."""
        return self._call(product, action, {"ClientToken": uuid.uuid4().hex, **params})

    def _call(self, product: str, action: str, params: Mapping[str, Any]) -> dict[str, Any]:
        given = {
            "RegionId": self.region,
            **{name: value for name, value in params.items() if value is not None},
        }
        for attempt in range(ATTEMPTS):
            try:
                return self._once(product, action, given)
            except ApiError as error:
                if not error.transient or attempt == ATTEMPTS - 1:
                    raise
            time.sleep(min(0.2 * 2**attempt, 3.0) * random.uniform(0.5, 1.0))  # noqa: S311 -- jitter
        raise AssertionError("unreachable")

    def _once(self, product: str, action: str, params: Mapping[str, Any]) -> dict[str, Any]:
        # Imported at the first call: reading a schema or validating a template needs no
        # SDK.
        from alibabacloud_tea_openapi.exceptions import AlibabaCloudException
        from alibabacloud_tea_openapi.models import OpenApiRequest, Params
        from alibabacloud_tea_openapi.utils import Utils
        from darabonba.runtime import RuntimeOptions

        request = OpenApiRequest(query=Utils.query(dict(params)))
        call = Params(
            action=action,
            version=VERSIONS[product],
            protocol=self.connection.protocol,
            pathname="/",
            method="POST",
            auth_type="AK",
            style="RPC",
            req_body_type="formData",
            body_type="json",
        )
        try:
            answer = self._client(product).call_api(call, request, RuntimeOptions(autoretry=False))
        except AlibabaCloudException as error:
            code, status = str(error.code or "Unknown"), error.status_code or 0
            passing = status == 429 or (status >= 500 and status != 501)
            transient = passing or code.startswith(_PASSING)
            request_id = str((getattr(error, "data", None) or {}).get("RequestId") or "")
            raise ApiError(
                action, code, str(error.message or ""), request_id, transient=transient
            ) from None
        except Exception as error:
            # The SDK's runtime raises half a dozen unrelated types when the network
            # fails.
            raise ApiError(
                action, "NoAnswer", f"{type(error).__name__}: {error}", transient=True
            ) from error
        body = answer.get("body")
        return body if isinstance(body, dict) else {}

    def _client(self, product: str) -> Any:
        from alibabacloud_tea_openapi.client import Client
        from alibabacloud_tea_openapi.models import Config

        with self._making:
            if product not in self._clients:
                here = self.connection
                public = public_host(product, here.region)
                self._clients[product] = Client(
                    Config(
                        access_key_id=here.access_key,
                        access_key_secret=here.secret_key,
                        security_token=here.security_token or None,
                        endpoint=here.endpoints.get(product) or public,
                        protocol=here.protocol,
                        region_id=here.region,
                        connect_timeout=here.connect_timeout_ms,
                        read_timeout=here.read_timeout_ms,
                        user_agent="proofwalk-terraform-provider",
                    )
                )
            return self._clients[product]

    def wait(
        self,
        what: str,
        look: Callable[[], T | None],
        ready: Callable[[T], bool],
        *,
        timeout_s: float,
        absent_s: float | None = None,
    ) -> T:
        """Look until ready. Raises `Gone` when there is nothing to look at, though what
        was just made may be absent for `absent_s` (by default the connection's), and
        `ApiError` when the time has passed."""
        began = time.monotonic()
        end = began + timeout_s
        absent_end = began + (self.connection.absent_wait_s if absent_s is None else absent_s)
        pause, stopped_at = 0.15, 0.0
        while True:
            found = look()
            now = time.monotonic()
            if found is None and now >= min(absent_end, end):
                raise Gone(what)
            if found is not None:
                if ready(found):
                    return found
                absent_end = began
            if self.stopping.is_set():
                stopped_at = stopped_at or now
                if now - stopped_at > STOP_GRACE_S:
                    raise ApiError(
                        "Wait",
                        "Interrupted",
                        f"{what} was not ready yet when Terraform was interrupted",
                    )
            if now >= end:
                raise ApiError("Wait", "Timeout", f"{what} was not ready after {timeout_s:g} s")
            time.sleep(min(pause, max(end - now, 0.01)))
            pause = min(pause * 1.4, 5.0)

    def until_gone(self, what: str, look: Callable[[], object | None], *, timeout_s: float) -> None:
        """Look until there is nothing."""
        try:
            self.wait(what, look, lambda _: False, timeout_s=timeout_s, absent_s=0.0)
        except Gone:
            return

    def remove(self, product: str, action: str, /, **params: Any) -> None:
        """A delete: gone already is success, and a conflict is tried again for a
        while."""
        end = time.monotonic() + self.connection.conflict_wait_s
        pause = 0.2
        while True:
            try:
                self.write(product, action, **params)
                return
            except ApiError as error:
                if error.not_found:
                    return
                if not error.conflict or time.monotonic() + pause > end or self.stopping.is_set():
                    raise
            time.sleep(pause)
            pause = min(pause * 1.5, 3.0)
