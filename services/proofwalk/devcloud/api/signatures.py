"""Both signature schemes of the vendor's SDKs, verified.

ACS3-HMAC-SHA256 signs method, path, query, chosen headers and the body's hash; RPC v1
(HMAC-SHA1) signs the method and all parameters. Both carry a moment, which must be near
this machine's, and a nonce, which must be fresh. A role's short-lived key needs its
token besides, and has not expired. What this returns is who holds a key that is known,
enabled and proven; what it raises has the real service's code.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import urllib.parse
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from proofwalk.devcloud.engine.calls import IdentityType
from proofwalk.devcloud.engine.state.accounts import Accounts
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.engine.state.role_sessions import RoleSessions
from proofwalk.kernel.clock import Clock

MAX_NONCES = 200_000
REQUIRED_SIGNED = frozenset({"host", "x-acs-action", "x-acs-version", "x-acs-date"})


@dataclass(frozen=True, kw_only=True)
class Request:
    """An HTTP request as the signature sees it."""

    method: str
    path: str
    query: Sequence[tuple[str, str]]
    form: Sequence[tuple[str, str]]
    headers: Mapping[str, str]
    """Lower-case names."""
    body: bytes


@dataclass(frozen=True, kw_only=True)
class Signer:
    """The holder of a key."""

    account: str
    user_name: str
    principal_id: str
    identity_type: IdentityType
    key_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Signed:
    """Who signed, and for which operation."""

    by: Signer
    action: str
    version: str


def percent(value: str) -> str:
    """RFC 3986 encoding as both schemes use it."""
    return urllib.parse.quote(value, safe="-_.~")


class Verifier:
    """Checks requests against the keys of accounts and of role sessions."""

    def __init__(
        self, accounts: Accounts, sessions: RoleSessions, clock: Clock, *, skew: float
    ) -> None:
        self._accounts = accounts
        self._sessions = sessions
        self._clock = clock
        self._skew = skew
        self._nonces: OrderedDict[str, float] = OrderedDict()

    def verify(self, request: Request) -> Signed:
        """Who is behind the request, or the reason why not."""
        if request.headers.get("authorization", "").startswith("ACS3-HMAC-SHA256"):
            return self._acs3(request)
        return self._rpc1(request)

    def _acs3(self, request: Request) -> Signed:
        headers = request.headers
        parts = dict(
            part.strip().split("=", 1)
            for part in headers["authorization"].split(" ", 1)[-1].split(",")
            if "=" in part
        )
        names = parts.get("SignedHeaders", "").split(";")
        if (
            "Credential" not in parts
            or "Signature" not in parts
            or not set(names) >= REQUIRED_SIGNED
        ):
            raise CloudError(
                "IncompleteSignature", "The request signature does not conform to Aliyun standards."
            )
        payload = hashlib.sha256(request.body).hexdigest()
        canonical_query = "&".join(f"{percent(k)}={percent(v)}" for k, v in sorted(request.query))
        canonical_headers = "".join(f"{name}:{headers.get(name, '').strip()}\n" for name in names)
        canonical = "\n".join(
            [
                request.method,
                request.path or "/",
                canonical_query,
                canonical_headers,
                parts["SignedHeaders"],
                payload,
            ]
        )
        text = "ACS3-HMAC-SHA256\n" + hashlib.sha256(canonical.encode()).hexdigest()
        signer = self._signer(parts["Credential"], headers.get("x-acs-security-token", ""))
        made = hmac.new(signer.secret.encode(), text.encode(), hashlib.sha256).hexdigest()
        self._compare(made, parts["Signature"], text)
        nonce = headers.get("x-acs-signature-nonce")
        self._fresh(headers.get("x-acs-date", ""), signer.key_id, nonce)
        return Signed(
            by=signer,
            action=headers["x-acs-action"],
            version=headers["x-acs-version"],
        )

    def _rpc1(self, request: Request) -> Signed:
        params = dict([*request.query, *request.form])
        for name in ("AccessKeyId", "Signature", "Action", "Version", "Timestamp"):
            if not params.get(name):
                code = "MissingAccessKeyId" if name == "AccessKeyId" else f"Missing{name}"
                raise CloudError(code, f"{name} is mandatory for this action.")
        signature = params.pop("Signature")
        if params.get("SignatureMethod", "HMAC-SHA1") != "HMAC-SHA1":
            raise CloudError(
                "UnsupportedSignatureMethod", "The specified SignatureMethod is not supported."
            )
        joined = "&".join(f"{percent(k)}={percent(v)}" for k, v in sorted(params.items()))
        text = f"{request.method}&%2F&{percent(joined)}"
        signer = self._signer(params["AccessKeyId"], params.get("SecurityToken", ""))
        made = base64.b64encode(
            hmac.new(f"{signer.secret}&".encode(), text.encode(), hashlib.sha1).digest()
        ).decode()
        self._compare(made, signature, text)
        self._fresh(params["Timestamp"], signer.key_id, params.get("SignatureNonce"))
        return Signed(by=signer, action=params["Action"], version=params["Version"])

    def _signer(self, key_id: str, token: str) -> Signer:
        session = self._sessions.find(key_id)
        if session is not None:
            if not token:
                raise CloudError(
                    "MissingSecurityToken", "SecurityToken is mandatory for this action."
                )
            if not session.bears(token):
                raise CloudError(
                    "InvalidSecurityToken.MismatchWithAccessKey",
                    "Specified SecurityToken mismatch with the AccessKey.",
                )
            if session.expires <= self._clock.now().timestamp():
                raise CloudError(
                    "InvalidSecurityToken.Expired", "Specified SecurityToken is expired."
                )
            return Signer(
                account=session.account,
                user_name=session.user_name,
                principal_id=session.principal_id,
                identity_type="assumed-role",
                key_id=session.key_id,
                secret=session.secret,
            )
        return self._user_of(key_id)

    def _user_of(self, key_id: str) -> Signer:
        held = self._accounts.key(key_id)
        if held is None:
            raise CloudError(
                "InvalidAccessKeyId.NotFound", "Specified access key is not found.", 404
            )
        if not held[1].enabled:
            raise CloudError(
                "InvalidAccessKeyId.Inactive", "Specified access key is disabled.", 403
            )
        account, key = held
        user = account.user(key.user)
        return Signer(
            account=account.id,
            user_name=key.user,
            principal_id=user.principal_id if user is not None else "",
            identity_type="ram-user",
            key_id=key.id,
            secret=key.secret,
        )

    def _compare(self, made: str, given: str, text: str) -> None:
        if not hmac.compare_digest(made.encode(), given.encode()):
            raise CloudError(
                "SignatureDoesNotMatch",
                "Specified signature is not matched with our calculation. server string to sign"
                f" is:{text}",
            )

    def _fresh(self, stamp: str, key_id: str, nonce: str | None) -> None:
        now = self._clock.now()
        try:
            moment = datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        except ValueError:
            message = "Specified time stamp or date value is not well formatted."
            raise CloudError("InvalidTimeStamp.Format", message) from None
        if abs((now - moment).total_seconds()) > self._skew:
            raise CloudError(
                "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired."
            )
        if not nonce:
            raise CloudError(
                "MissingSignatureNonce", "SignatureNonce is mandatory for this action."
            )
        at = now.timestamp()
        while self._nonces and (
            len(self._nonces) > MAX_NONCES
            or next(iter(self._nonces.values())) < at - 2 * self._skew
        ):
            self._nonces.popitem(last=False)
        if f"{key_id}/{nonce}" in self._nonces:
            raise CloudError("SignatureNonceUsed", "Specified signature nonce was used already.")
        self._nonces[f"{key_id}/{nonce}"] = at
