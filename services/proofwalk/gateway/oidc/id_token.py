"""What makes an ID token good: its signature, and what it says of itself.

The signature is held against a key that the caller has looked up for the header's key
name; the algorithm has to be one of the key's. Claims are held against what was asked
for: issuer, audience, nonce, and times by the caller's clock. Each refusal has a code
of its own, and none repeats what the token holds.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import jwt
from jwt.types import Options

from proofwalk.gateway.oidc.key_set import SIGNING, SigningKey
from proofwalk.kernel.errors import ProofwalkError, Status

_LONGEST_TOKEN = 32_768
_CLAIMS_ARE_OURS = Options(
    verify_exp=False,
    verify_nbf=False,
    verify_iat=False,
    verify_aud=False,
    verify_iss=False,
    verify_sub=False,
    verify_jti=False,
)
"""PyJWT would ask the machine's clock."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What a token has to say."""

    issuer: str
    client_id: str
    audiences: frozenset[str]
    """What it may be for besides the client."""
    nonce: str
    now: datetime
    skew_s: float


@dataclass(frozen=True, kw_only=True)
class Header:
    """How a token says that it is signed."""

    algorithm: str
    kid: str


def header_of(token: str) -> Header:
    """Raises `auth.oidc_bad_token`, and `auth.oidc_algorithm` for one that is signed
    with nothing, or with a secret."""
    try:
        if len(token) > _LONGEST_TOKEN:
            raise _bad("it is longer than any token of a person")
        given = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise _bad("it cannot be read") from None
    algorithm, kid = given.get("alg"), given.get("kid", "")
    if not isinstance(algorithm, str) or algorithm not in SIGNING:
        raise _refused(
            "auth.oidc_algorithm",
            "the identity provider's token is not signed by an algorithm that is taken here",
            f"have the provider sign with one of {', '.join(sorted(SIGNING))}",
        )
    return Header(algorithm=algorithm, kid=kid if isinstance(kid, str) else "")


def verified_claims(
    token: str, header: Header, key: SigningKey, expected: Expected
) -> Mapping[str, object]:
    """The claims of a token that is good. Raises `auth.oidc_bad_signature`,
    `auth.oidc_issuer`, `auth.oidc_audience`, `auth.oidc_expired`, `auth.oidc_nonce`,
    `auth.oidc_bad_token`."""
    try:
        claims: Mapping[str, object] = jwt.decode(
            token,
            key.made_for(header.algorithm),
            algorithms=[header.algorithm],
            options=_CLAIMS_ARE_OURS,
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise _refused(
            "auth.oidc_bad_signature",
            "the identity provider's token is not signed with the provider's key",
            "sign in again; if it stays so, compare the issuer's settings",
        ) from None
    if claims.get("iss") != expected.issuer:
        raise _refused(
            "auth.oidc_issuer",
            "the token is of another issuer than the one that is asked here",
            "PROOFWALK_GATEWAY__CONSOLE__OIDC__ISSUER has to be as the provider writes it",
        )
    _check_audience(claims, expected)
    _check_times(claims, expected)
    nonce = claims.get("nonce")
    if not isinstance(nonce, str) or not hmac.compare_digest(
        nonce.encode(errors="surrogatepass"), expected.nonce.encode()
    ):
        raise _refused(
            "auth.oidc_nonce",
            "the token was made for another sign-in than this one",
            "sign in again, from this console's page",
        )
    return claims


def _check_audience(claims: Mapping[str, object], expected: Expected) -> None:
    given = claims.get("aud")
    named = given if isinstance(given, list) else [given]
    texts = {one for one in named if isinstance(one, str)}
    is_ours = expected.client_id in texts and texts <= expected.audiences | {expected.client_id}
    if (
        not is_ours
        or len(texts) < len(named)
        or claims.get("azp", expected.client_id) != (expected.client_id)
    ):
        raise _refused(
            "auth.oidc_audience",
            "the token was made for another application than this one",
            "the client's id, and other audiences that the token may name, are settings:"
            " CLIENT_ID, AUDIENCES",
        )


def _check_times(claims: Mapping[str, object], expected: Expected) -> None:
    now = expected.now.timestamp()
    ends, begins, made = _moment(claims, "exp"), _moment(claims, "nbf"), _moment(claims, "iat")
    if ends is None or made is None:
        raise _bad("it does not say from when until when it is good")
    if now >= ends + expected.skew_s:
        raise _refused("auth.oidc_expired", "the token has expired", "sign in again")
    if max(made, begins or made) > now + expected.skew_s:
        raise _refused(
            "auth.oidc_clock",
            "the token is of a time that has not come yet",
            "set the clocks of this machine and of the provider; CLOCK_SKEW_S is what they"
            " may differ by",
        )


def _moment(claims: Mapping[str, object], name: str) -> float | None:
    """Seconds since 1970; None where the claim is missing. Raises
    `auth.oidc_bad_token`."""
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e12:
        raise _bad("it tells a time that is none")
    return float(value)


def _bad(why: str) -> ProofwalkError:
    return _refused(
        "auth.oidc_bad_token",
        f"the identity provider's token cannot be used: {why}",
        "sign in again; if it stays so, ask whoever runs the provider",
    )


def _refused(code: str, message: str, hint: str) -> ProofwalkError:
    return ProofwalkError(code, message, status=Status.PERMISSION_DENIED, hint=hint)
