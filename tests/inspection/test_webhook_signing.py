"""Signatures that receivers check with their own libraries."""

from __future__ import annotations

import base64

import pytest

from proofwalk.inspection.webhook_signing import headers, key_of, secret_of, signature

# The example that the libraries of the specification test themselves with.
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
MESSAGE_ID = "msg_p5jXN8AQM9LWM0D4loKWxJek"
TIMESTAMP = 1614265330
BODY = b'{"test": 2432232314}'
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_the_published_example() -> None:
    made = signature(SECRET, message_id=MESSAGE_ID, timestamp=TIMESTAMP, body=BODY)
    assert made == SIGNATURE


def test_the_three_headers() -> None:
    assert headers(SECRET, message_id=MESSAGE_ID, timestamp=TIMESTAMP, body=BODY) == {
        "webhook-id": MESSAGE_ID,
        "webhook-timestamp": "1614265330",
        "webhook-signature": SIGNATURE,
    }


@pytest.mark.parametrize("length", [24, 32, 64])
def test_a_secret_spells_its_key(length: int) -> None:
    key = bytes(range(length))
    secret = secret_of(key)
    assert (secret, key_of(secret)) == ("whsec_" + base64.b64encode(key).decode(), key)


@pytest.mark.parametrize("length", [0, 23, 65])
def test_a_key_has_a_sound_length(length: int) -> None:
    with pytest.raises(ValueError, match="24 to 64"):
        secret_of(b"x" * length)


def test_what_is_no_secret_is_refused() -> None:
    with pytest.raises(ValueError, match="base64"):
        key_of("whsec_***")
