"""One-time codes: RFC 6238's own examples, the ways in which consoles write a secret,
and messages that do not hold it."""

from __future__ import annotations

import base64
from datetime import UTC, datetime

import pytest

from proofwalk.cloud.one_time_codes import BadCodeSecret, one_time_code

SECRET = base64.b32encode(b"12345678901234567890").decode()


def at(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1234567890, "89005924"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    uri = f"otpauth://totp/Harbor:walker?secret={SECRET}&issuer=Harbor&digits=8&period=30"
    assert one_time_code(uri, at(seconds)) == code
    assert one_time_code(SECRET, at(seconds)) == code[-6:]


def test_a_secret_may_be_written_in_groups_and_in_small_letters() -> None:
    grouped = " ".join(SECRET[start : start + 4] for start in range(0, len(SECRET), 4)).lower()
    assert one_time_code(f"{grouped}\n", at(59)) == "287082"


@pytest.mark.parametrize(
    "secret",
    ["", "not base32: 018!", f"otpauth://hotp/a?secret={SECRET}&counter=1", "otpauth://totp/a"],
)
def test_what_makes_no_code_is_told_without_being_shown(secret: str) -> None:
    with pytest.raises(BadCodeSecret) as caught:
        one_time_code(secret, at(59))
    assert not secret or secret not in str(caught.value)
    assert SECRET not in str(caught.value)
