"""The provider's public keys, and which one a token is signed with.

Keys are kept for `KEYS_LIFE_S`. A token that names a key which is not among them has
the set read again, as providers change keys without notice, but at most once in
`_AGAIN_AFTER_S`: tokens with made-up names do not become requests to the provider. Keys
that cannot verify, are too small or too large, or are for something else are left out.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import jwt

from proofwalk.gateway.oidc.fetching import bad_answer
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.errors import ProofwalkError, Status

ALGORITHMS: Mapping[str, frozenset[str]] = {
    "RSA": frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}),
    "EC": frozenset({"ES256", "ES384", "ES512"}),
    "OKP": frozenset({"EdDSA"}),
}
"""Algorithms that a token may be signed by, by the type of the key. None of them takes
a secret: `none` and HMAC are refused before a key is looked at."""
SIGNING = frozenset().union(*ALGORITHMS.values())
KEYS_LIFE_S = 3600.0
_AGAIN_AFTER_S = 30.0
_MOST_KEYS = 50
_CURVES: Mapping[str, str] = {
    "P-256": "ES256",
    "P-384": "ES384",
    "P-521": "ES512",
    "Ed25519": "EdDSA",
}
"""The one algorithm of each curve."""
_MODULUS = range(340, 1400)
"""Length of an RSA modulus in base64: from 2048 to 8192 bits."""
_LONGEST_EXPONENT = 8


@dataclass(frozen=True, kw_only=True)
class SigningKey:
    """A public key of the provider."""

    kid: str
    kind: str
    algorithm: str
    """The one algorithm that the key is for; empty where the provider does not say."""
    jwk: Mapping[str, object]

    def takes(self, algorithm: str) -> bool:
        """Whether a token signed by `algorithm` may be signed with this key."""
        return algorithm in ALGORITHMS[self.kind] and self.algorithm in ("", algorithm)

    def made_for(self, algorithm: str) -> jwt.PyJWK:
        """The key as it verifies. Raises `jwt.PyJWTError`."""
        return jwt.PyJWK(dict(self.jwk), algorithm)


class KeySet:
    """The keys of one provider. Sign-ins that need them at the same moment may each
    read them: none waits for another's request to a provider that is slow."""

    def __init__(
        self, fetch: Callable[[], Awaitable[Mapping[str, object]]], *, clock: Clock
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: Sequence[SigningKey] = ()
        self._read_at = float("-inf")

    async def find(self, kid: str, algorithm: str) -> SigningKey:
        """The key of a token. Raises `auth.oidc_unknown_key`, and what reading the keys
        raises."""
        if self._age() >= KEYS_LIFE_S:
            await self._read()
        found = self._matching(kid, algorithm)
        if found is None and self._age() >= _AGAIN_AFTER_S:
            await self._read()
            found = self._matching(kid, algorithm)
        if found is None:
            raise ProofwalkError(
                "auth.oidc_unknown_key",
                "the identity provider's token is signed with a key that it does not publish",
                status=Status.PERMISSION_DENIED,
                hint="sign in again in a minute; the provider may be changing its keys",
            )
        return found

    def _age(self) -> float:
        return self._clock.monotonic() - self._read_at

    async def _read(self) -> None:
        keys = usable_keys(await self._fetch())
        self._keys, self._read_at = keys, self._clock.monotonic()

    def _matching(self, kid: str, algorithm: str) -> SigningKey | None:
        taking = [key for key in self._keys if key.takes(algorithm)]
        if kid:
            return next((key for key in taking if key.kid == kid), None)
        # A token that names no key is believed only if there is nothing to choose.
        return taking[0] if len(taking) == 1 else None


def usable_keys(key_set: Mapping[str, object]) -> Sequence[SigningKey]:
    """The keys of a JWK set that tokens may be signed with. Raises
    `auth.oidc_bad_answer`."""
    given = key_set.get("keys")
    if not isinstance(given, list) or len(given) > _MOST_KEYS:
        raise bad_answer(f"its key set has no list of at most {_MOST_KEYS} keys")
    return [key for one in given if (key := _usable(one)) is not None]


def _usable(jwk: object) -> SigningKey | None:
    if not isinstance(jwk, dict):
        return None
    kind, kid, algorithm = (jwk.get(name, "") for name in ("kty", "kid", "alg"))
    if not (isinstance(kind, str) and isinstance(kid, str) and isinstance(algorithm, str)):
        return None
    if kind not in ALGORITHMS or jwk.get("use", "sig") != "sig":
        return None
    if kind != "RSA":
        of_curve = _CURVES.get(str(jwk.get("crv")), "")
        algorithm = of_curve if algorithm in ("", of_curve) else ""
    is_sound = _is_sound_rsa(jwk) if kind == "RSA" else bool(algorithm)
    return SigningKey(kid=kid, kind=kind, algorithm=algorithm, jwk=jwk) if is_sound else None


def _is_sound_rsa(jwk: Mapping[str, object]) -> bool:
    modulus, exponent = jwk.get("n"), jwk.get("e")
    return (
        isinstance(modulus, str)
        and isinstance(exponent, str)
        and len(modulus) in _MODULUS
        and len(exponent) <= _LONGEST_EXPONENT
    )
