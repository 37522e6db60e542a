"""Envelopes: what was sealed opens under its name and its key alone, and a bit that
changed anywhere is noticed."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.chassis.envelopes import BadKeys, BrokenEnvelope, Ring, UnknownKey

KEYS = st.binary(min_size=32, max_size=32)


@given(data=st.binary(max_size=2000), name=st.text(max_size=70), key=KEYS)
def test_what_was_sealed_opens(data: bytes, name: str, key: bytes) -> None:
    ring = Ring([key])
    assert ring.open(ring.seal(data, name=name), name=name) == data


@given(data=st.binary(max_size=200), where=st.integers(min_value=0), bit=st.integers(0, 7))
def test_a_changed_bit_anywhere_is_noticed(data: bytes, where: int, bit: int) -> None:
    ring = Ring([bytes(32)])
    sealed = bytearray(ring.seal(data, name="a"))
    sealed[where % len(sealed)] ^= 1 << bit
    with pytest.raises((BrokenEnvelope, UnknownKey)):
        ring.open(bytes(sealed), name="a")


@given(data=st.binary(max_size=200), cut=st.integers(min_value=1))
def test_what_was_cut_off_does_not_open(data: bytes, cut: int) -> None:
    ring = Ring([bytes(32)])
    sealed = ring.seal(data, name="a")
    with pytest.raises(BrokenEnvelope):
        ring.open(sealed[: len(sealed) - 1 - cut % len(sealed)], name="a")


def test_an_envelope_opens_under_its_own_name_alone() -> None:
    ring = Ring([bytes(32)])
    with pytest.raises(BrokenEnvelope):
        ring.open(ring.seal(b"data", name="a"), name="b")


def test_the_same_bytes_are_never_sealed_alike() -> None:
    ring = Ring([bytes(32)])
    assert ring.seal(b"data", name="a") != ring.seal(b"data", name="a")


@given(earlier=KEYS, later=KEYS)
def test_a_renewed_envelope_opens_without_the_earlier_key(earlier: bytes, later: bytes) -> None:
    sealed = Ring([earlier]).seal(b"data", name="a")
    ring = Ring([later, earlier])
    renewed = ring.renew(sealed)
    if earlier == later:
        assert renewed is None
        return
    assert renewed is not None
    assert Ring([later]).open(renewed, name="a") == b"data"
    assert ring.renew(renewed) is None
    with pytest.raises(UnknownKey):
        Ring([earlier]).open(renewed, name="a")


def test_keys_are_read_from_text_between_white_space() -> None:
    one, two = (base64.urlsafe_b64encode(key).decode() for key in (b"\xff" * 32, b"b" * 32))
    sealed = Ring([b"b" * 32]).seal(b"data", name="a")
    assert Ring.of_text(f"{one}\n {two}\n").open(sealed, name="a") == b"data"
    for text in ("", one[:-4], "no key"):
        with pytest.raises(BadKeys):
            Ring.of_text(text)
