"""What makes an ID token good, without a server: algorithms, keys, and the edges of
times."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from jwt.algorithms import ECAlgorithm, OKPAlgorithm

from proofwalk.gateway.oidc.id_token import Expected, header_of, verified_claims
from proofwalk.gateway.oidc.key_set import usable_keys
from proofwalk.kernel.errors import ProofwalkError
from tests.gateway.oidc.identity_provider import jwk, private_key, signed

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EXPECTED = Expected(
    issuer="https://login.example.com",
    client_id="proofwalk",
    audiences=frozenset({"portal"}),
    nonce="n",
    now=NOW,
    skew_s=60,
)
CURVE, EDWARDS = ec.generate_private_key(ec.SECP256R1()), ed25519.Ed25519PrivateKey.generate()
KEYS = {
    "one": jwk("one"),
    "ec": {**ECAlgorithm.to_jwk(CURVE.public_key(), as_dict=True), "kid": "ec"},
    "ed": {**OKPAlgorithm.to_jwk(EDWARDS.public_key(), as_dict=True), "kid": "ed"},
}


def _claims(**changed: Any) -> dict[str, Any]:
    at = int(NOW.timestamp())
    claims = {"iss": EXPECTED.issuer, "aud": "proofwalk", "iat": at, "exp": at + 60, "nonce": "n"}
    return {**claims, "sub": "u", **changed}


def _read(token: str, kid: str, expected: Expected = EXPECTED) -> Any:
    (key,) = usable_keys({"keys": [{**KEYS[kid], "alg": ""}]})
    return verified_claims(token, header_of(token), key, expected)


def _code(token: str, kid: str = "one", expected: Expected = EXPECTED) -> str:
    with pytest.raises(ProofwalkError) as refused:
        _read(token, kid, expected)
    return refused.value.code


def test_each_kind_of_key_signs_a_good_token() -> None:
    for kid, algorithm, key in (
        ("one", "PS256", private_key("one")),
        ("ec", "ES256", CURVE),
        ("ed", "EdDSA", EDWARDS),
    ):
        token = jwt.encode(_claims(), key, algorithm=algorithm, headers={"kid": kid})
        assert _read(token, kid)["sub"] == "u"
        assert header_of(token).kid == kid


def test_a_key_of_another_kind_verifies_nothing() -> None:
    token = jwt.encode(_claims(), CURVE, algorithm="ES256")
    assert _code(token, "one") == "auth.oidc_bad_signature"
    assert _code(token, "ed") == "auth.oidc_bad_signature"
    other = jwt.encode(_claims(), ec.generate_private_key(ec.SECP256R1()), algorithm="ES256")
    assert _code(other, "ec") == "auth.oidc_bad_signature"


def test_times_are_held_against_the_given_clock_with_its_skew() -> None:
    at = int(NOW.timestamp())
    for changed, skew_s, code in (
        ({"exp": at - 59}, 60, ""),
        ({"exp": at - 60}, 60, "auth.oidc_expired"),
        ({"exp": at}, 0, "auth.oidc_expired"),
        ({"iat": at + 60}, 60, ""),
        ({"iat": at + 61}, 60, "auth.oidc_clock"),
        ({"nbf": at + 1}, 0, "auth.oidc_clock"),
        ({"iat": True}, 60, "auth.oidc_bad_token"),
        ({"exp": float("inf")}, 60, "auth.oidc_bad_token"),
    ):
        token, expected = signed(_claims(**changed)), replace(EXPECTED, skew_s=skew_s)
        if code:
            assert _code(token, expected=expected) == code, changed
        else:
            _read(token, "one", expected)


def test_further_audiences_are_those_of_the_settings() -> None:
    for audience in ("proofwalk", ["proofwalk"], ["portal", "proofwalk"]):
        _read(signed(_claims(aud=audience, azp="proofwalk")), "one")
    others: list[Any] = ["portal", ["portal"], ["proofwalk", "x"], ["proofwalk", 7], [], {"a": 1}]
    for other in others:
        assert _code(signed(_claims(aud=other))) == "auth.oidc_audience"


def test_a_token_that_wants_more_than_is_understood_is_refused() -> None:
    token = jwt.encode(
        _claims(), private_key("one"), algorithm="RS256", headers={"crit": ["exp"], "exp": 1}
    )
    with pytest.raises(ProofwalkError):
        _read(token, "one")
    for algorithm in ("none", "HS256", "HS512", "", "RS256 ", "rs256"):
        head = jwt.utils.base64url_encode(f'{{"alg": "{algorithm}"}}'.encode()).decode()
        with pytest.raises(ProofwalkError) as refused:
            header_of(f"{head}.e30.")
        assert refused.value.code == "auth.oidc_algorithm"
    assert _code(signed(_claims(nonce="\ud800"))) == "auth.oidc_nonce"
