"""Whatever a page, a request or a recording does to a secret's spelling, the masked
text does not hold it."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofwalk.console.safety.redaction import Secrets

CANARY = "S3cr3t-\"Pa55\\w/ö?&+ !'"
VALUES = st.text(
    st.characters(codec="utf-8", exclude_characters="<>\0"), min_size=6, max_size=24
).filter(lambda value: value not in "<secret:console_password>")
AROUND = st.text(st.characters(codec="utf-8"), max_size=12)


def _component(value: str) -> str:
    return quote(value, safe="!'()*~")


def _entities(value: str) -> str:
    return "".join(
        f"&#{ord(character)};" if index % 2 else f"&#x{ord(character):X};"
        for index, character in enumerate(value)
    )


def _scripted(value: str) -> str:
    units = value.encode("utf-16-be")
    return "".join(
        f"\\u{units[start : start + 2].hex().upper()}" for start in range(0, len(units), 2)
    )


ENCODINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "json": lambda value: json.dumps({"password": value}),
    "json of json": lambda value: json.dumps(json.dumps({"password": value})),
    "json with its letters": lambda value: json.dumps({"password": value}, ensure_ascii=False),
    "json with escaped slashes": lambda value: json.dumps(value).replace("/", "\\/"),
    "percent": lambda value: quote(value, safe=""),
    "percent, lower case": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "percent, path": quote,
    "percent, component": _component,
    "percent, twice": lambda value: quote(quote(value, safe=""), safe=""),
    "form": lambda value: urlencode({"password": value, "next": "/"}),
    "html": html.escape,
    "html, apostrophes left": lambda value: html.escape(value, quote=False),
    "html, entities": _entities,
    "script": _scripted,
    "hexadecimal": lambda value: value.encode().hex(),
    "HEXADECIMAL": lambda value: value.encode().hex().upper(),
    "base64 of json": lambda value: base64.b64encode(json.dumps({"p": value}).encode()).decode(),
    "base64 of a form": lambda value: base64.b64encode(f"p={quote_plus(value)}".encode()).decode(),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=12, deadline=None)
@given(value=VALUES, before=AROUND, after=AROUND)
def test_no_spelling_of_a_secret_survives(
    encoding: str, value: str, before: str, after: str
) -> None:
    written = ENCODINGS[encoding](value)
    secrets = Secrets({"console_password": value})
    masked = secrets.mask(f"{before}{written}{after}")
    assert "<secret:console_password>" in masked
    assert written not in masked
    assert not secrets.shows(masked)
    if len(written) > len(value):
        assert secrets.shows(f"{before}{written}{after}")


@settings(max_examples=40, deadline=None)
@given(
    value=VALUES, before=st.binary(max_size=7), after=st.binary(max_size=7), urlsafe=st.booleans()
)
def test_base64_hides_nothing_at_any_offset(
    value: str, before: bytes, after: bytes, urlsafe: bool
) -> None:
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    masked = Secrets({"console_password": value}).mask(
        f"Authorization: Basic {encode(before + value.encode() + after).decode()}"
    )
    assert "<secret:console_password>" in masked
    for part in masked.split("<secret:console_password>"):
        assert encode(value.encode())[4:-4].decode() not in part or len(value.encode()) < 9


@settings(max_examples=40, deadline=None)
@given(
    value=VALUES,
    before=st.binary(max_size=9),
    encoding=st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-16"]),
)
def test_bytes_hold_no_secret_either(value: str, before: bytes, encoding: str) -> None:
    held = value.encode(encoding)
    masked = Secrets({"console_password": value}).mask_bytes(before * 2 + held + b"\xff\xfe\0")
    assert b"<secret:console_password>" in masked
    assert value.encode("utf-16-le" if encoding == "utf-16" else encoding) not in masked


def test_several_secrets_are_told_apart_and_a_reference_is_not_masked_again() -> None:
    secrets = Secrets({"password": "walker-77/long", "user": "walker-77", "empty": ""})
    assert secrets.mask("walker-77 typed walker-77/long") == "<secret:user> typed <secret:password>"
    assert secrets.mask("<secret:user>") == "<secret:user>"
    assert secrets.mask("nothing here & %20 \\u0041") == "nothing here & %20 \\u0041"
    assert Secrets({}).mask("anything") == "anything"
    assert Secrets({}).mask_bytes(b"\0anything") == b"\0anything"


def test_fixed_texts_for_the_log_cover_the_common_spellings() -> None:
    spellings = set(Secrets({"console_password": CANARY}).spellings())
    assert {
        CANARY,
        quote(CANARY, safe=""),
        quote_plus(CANARY),
        json.dumps(CANARY)[1:-1],
    } <= spellings
    basic = base64.b64encode(f"walker:{CANARY}".encode()).decode()
    assert any(spelling in basic for spelling in spellings)


def test_a_megabyte_that_resembles_encoded_secrets_is_left_as_it_is() -> None:
    secrets = Secrets({"console_password": CANARY, "user": "walker-77", "key": "AKIA" + "x" * 36})
    text = (
        "The quick brown fox & 100 % of S3 buckets, see https://a.example/?a=%20b \\u00e4 " * 13_000
    )[:1_000_000]
    assert secrets.mask(text) == text
