"""The identity provider: where it is asked for what, and asking it.

Its discovery document is read at the first sign-in and again after `_METADATA_LIFE_S`;
a provider that is away keeps nobody from the rest of the gateway. Every address that
the document names has to be https, as the issuer has; only an issuer on this machine's
loopback may name such addresses over http. The access token that comes with an ID token
is not read.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote_plus, urlencode

import httpx2

from proofwalk.gateway.oidc.fetching import Answer, bad_answer, fetch
from proofwalk.gateway.oidc.id_token import Expected, header_of, verified_claims
from proofwalk.gateway.oidc.key_set import KeySet
from proofwalk.gateway.oidc.settings import OidcSettings, is_loopback, is_safe_url
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status

WELL_KNOWN = "/.well-known/openid-configuration"
_METADATA_LIFE_S = 3600.0
_MOST_METADATA = 128 * 1024
_MOST_KEY_SET = 256 * 1024
_MOST_TOKENS = 128 * 1024
_BASIC, _POST = "client_secret_basic", "client_secret_post"


@dataclass(frozen=True, kw_only=True)
class Metadata:
    """What the provider says of itself."""

    authorization_url: str
    token_url: str
    keys_url: str
    end_session_url: str
    """Where one signs out of the provider; empty where it does not offer that."""
    token_auth: str
    names_issuer: bool
    """Whether every answer to a browser names the issuer (RFC 9207)."""


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What ties one sign-in together. Secrets, but for `state`."""

    state: str
    nonce: str
    verifier: str


class Provider:
    """One provider."""

    def __init__(
        self, settings: OidcSettings, *, redirect_url: str, client: httpx2.AsyncClient, clock: Clock
    ) -> None:
        self.settings = settings
        self._redirect_url = redirect_url
        self._client = client
        self._clock = clock
        self._keys = KeySet(self._key_set, clock=clock)
        self._metadata: Metadata | None = None
        self._read_at = float("-inf")

    async def authorization_url(self, attempt: Attempt) -> str:
        """Where a browser goes to sign in. Raises what asking the provider raises."""
        metadata = await self.metadata()
        challenge = hashlib.sha256(attempt.verifier.encode()).digest()
        return _with_query(
            metadata.authorization_url,
            response_type="code",
            client_id=self.settings.client_id,
            redirect_uri=self._redirect_url,
            scope=" ".join(self.settings.scopes),
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=base64.urlsafe_b64encode(challenge).rstrip(b"=").decode(),
            code_challenge_method="S256",
        )

    async def end_session_url(self, back: str) -> str:
        """Where a browser goes to sign out of the provider and then `back`; empty where
        the provider does not offer it. It carries no token: the provider knows the
        client by its id, and may ask the person."""
        metadata = await self.metadata()
        if not metadata.end_session_url:
            return ""
        return _with_query(
            metadata.end_session_url,
            client_id=self.settings.client_id,
            post_logout_redirect_uri=back,
        )

    async def check_issuer(self, named: str) -> None:
        """Hold the issuer that an answer to a browser names against the own. Raises
        `auth.oidc_issuer`."""
        metadata = await self.metadata()
        if named != self.settings.issuer and (named or metadata.names_issuer):
            raise ProofwalkError(
                "auth.oidc_issuer",
                "the answer is of another issuer than the one that was asked",
                status=Status.PERMISSION_DENIED,
                hint="sign in again, from this console's page",
            )

    async def redeem(self, code: str, attempt: Attempt) -> Mapping[str, object]:
        """The verified claims of the ID token that a code is good for. Raises
        `auth.oidc_code_refused`, `auth.oidc_client_refused`, what asking the provider
        raises, and what `id_token` refuses."""
        metadata = await self.metadata()
        answer = await self._ask(self._token_request(metadata, code, attempt), _MOST_TOKENS)
        if answer.status != 200:
            raise _not_redeemed(answer)
        token = answer.content.get("id_token")
        if not isinstance(token, str):
            raise bad_answer("there is no ID token in it; is `openid` among its scopes?")
        header = header_of(token)
        key = await self._keys.find(header.kid, header.algorithm)
        expected = Expected(
            issuer=self.settings.issuer,
            client_id=self.settings.client_id,
            audiences=frozenset(self.settings.audiences),
            nonce=attempt.nonce,
            now=self._clock.now(),
            skew_s=self.settings.clock_skew_s,
        )
        return verified_claims(token, header, key, expected)

    async def metadata(self) -> Metadata:
        """The provider's discovery document. Raises what asking it raises."""
        now = self._clock.monotonic()
        if self._metadata is None or now - self._read_at >= _METADATA_LIFE_S:
            address = self.settings.issuer.rstrip("/") + WELL_KNOWN
            answer = await self._get(address, _MOST_METADATA)
            self._metadata, self._read_at = _read_metadata(answer, self.settings.issuer), now
        return self._metadata

    async def _key_set(self) -> Mapping[str, object]:
        return await self._get((await self.metadata()).keys_url, _MOST_KEY_SET)

    async def _get(self, url: str, most: int) -> Mapping[str, object]:
        answer = await self._ask(self._client.build_request("GET", url), most)
        if answer.status != 200:
            raise bad_answer(f"HTTP {answer.status} where it publishes what it is")
        return answer.content

    async def _ask(self, request: httpx2.Request, most: int) -> Answer:
        deadline_s = self.settings.deadline_s
        return await fetch(self._client, request, deadline_s=deadline_s, most=most)

    def _token_request(self, metadata: Metadata, code: str, attempt: Attempt) -> httpx2.Request:
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_url,
            "code_verifier": attempt.verifier,
        }
        client_id = self.settings.client_id
        secret = self.settings.client_secret.get_secret_value()
        headers = {}
        if metadata.token_auth == _POST:
            fields |= {"client_id": client_id, "client_secret": secret}
        else:
            # Both are form-encoded before they are joined (RFC 6749, 2.3.1).
            pair = f"{quote_plus(client_id)}:{quote_plus(secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        return self._client.build_request("POST", metadata.token_url, data=fields, headers=headers)


def _read_metadata(given: Mapping[str, object], issuer: str) -> Metadata:
    if given.get("issuer") != issuer:
        raise bad_answer(f"its discovery document is of another issuer than {issuer!r}")
    methods = given.get("token_endpoint_auth_methods_supported", [_BASIC])
    offered = [one for one in (_BASIC, _POST) if isinstance(methods, list) and one in methods]
    if not offered:
        raise bad_answer(f"it takes neither {_BASIC} nor {_POST} at its token endpoint")
    return Metadata(
        authorization_url=_address(given, "authorization_endpoint", issuer),
        token_url=_address(given, "token_endpoint", issuer),
        keys_url=_address(given, "jwks_uri", issuer),
        end_session_url=(
            _address(given, "end_session_endpoint", issuer)
            if given.get("end_session_endpoint")
            else ""
        ),
        token_auth=offered[0],
        names_issuer=given.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(given: Mapping[str, object], name: str, issuer: str) -> str:
    url = given.get(name)
    if (
        not isinstance(url, str)
        or not is_safe_url(url, query=True)
        # A provider elsewhere has no business on this machine's loopback.
        or (is_loopback(url) and not is_loopback(issuer))
    ):
        raise bad_answer(f"its {name} is no https URL")
    return url


def _not_redeemed(answer: Answer) -> ProofwalkError:
    # What else the answer says may repeat the code.
    if answer.content.get("error") in ("invalid_client", "unauthorized_client"):
        return ProofwalkError(
            "auth.oidc_client_refused",
            "the identity provider does not take this gateway's client id and secret",
            status=Status.UNAVAILABLE,
            hint="compare CLIENT_ID and CLIENT_SECRET with the client at the provider",
        )
    return ProofwalkError(
        "auth.oidc_code_refused",
        "the identity provider did not take the code of this sign-in",
        status=Status.PERMISSION_DENIED,
        hint="sign in again; a code is good once, and for a short time",
    )


def _with_query(url: str, **fields: str) -> str:
    return f"{url}{'&' if '?' in url else '?'}{urlencode(fields)}"
