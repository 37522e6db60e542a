"""Which keys of a provider count, and for which tokens."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.gateway.oidc.key_set import KeySet, usable_keys
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError

RSA = {"kty": "RSA", "kid": "r", "n": "x" * 342, "e": "AQAB"}
EC = {"kty": "EC", "kid": "e", "crv": "P-256", "x": "x", "y": "y"}
OKP = {"kty": "OKP", "kid": "o", "crv": "Ed25519", "x": "x"}


def test_only_sound_public_keys_for_signing_count() -> None:
    wrong: list[Any] = [
        {"kty": "oct", "kid": "s", "k": "c2VjcmV0"},
        {**RSA, "use": "enc"},
        {**RSA, "n": "x" * 171},
        {**RSA, "n": "x" * 5000},
        {**RSA, "e": "x" * 300},
        {**RSA, "n": 7},
        {**RSA, "kid": 7},
        {**EC, "crv": "secp256k1"},
        {**EC, "alg": "ES384"},
        {**OKP, "crv": "X25519"},
        "text",
        None,
    ]
    keys = usable_keys({"keys": [*wrong, RSA, EC, OKP]})
    assert [key.kid for key in keys] == ["r", "e", "o"]
    no_lists: list[dict[str, object]] = [{}, {"keys": {}}, {"keys": [RSA] * 51}]
    for given in no_lists:
        with pytest.raises(ProofwalkError) as refused:
            usable_keys(given)
        assert refused.value.code == "auth.oidc_bad_answer"


def test_a_key_takes_the_algorithms_of_its_kind_alone() -> None:
    rsa, ec, okp = usable_keys({"keys": [RSA, EC, OKP]})
    (named,) = usable_keys({"keys": [{**RSA, "alg": "RS256"}]})
    assert [rsa.takes(one) for one in ("RS256", "PS512", "ES256", "HS256", "none")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [ec.takes(one) for one in ("ES256", "ES384", "RS256")] == [True, False, False]
    assert okp.takes("EdDSA")
    assert not named.takes("PS256")


async def test_a_token_without_a_key_name_is_for_the_only_key_there_is() -> None:
    keys: list[dict[str, Any]] = [RSA]

    async def fetch() -> dict[str, object]:
        return {"keys": keys}

    clock = ManualClock()
    key_set = KeySet(fetch, clock=clock)
    assert (await key_set.find("", "RS256")).kid == "r"
    keys.append({**RSA, "kid": "other"})
    clock.advance(3600)
    with pytest.raises(ProofwalkError) as refused:
        await key_set.find("", "RS256")
    assert refused.value.code == "auth.oidc_unknown_key"
    assert (await key_set.find("other", "RS256")).kid == "other"
