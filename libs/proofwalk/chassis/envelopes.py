"""Bytes at rest in envelopes: each is sealed with a key of its own, which lies before
it, wrapped with a key of the installation.

    magic | id of the wrapping key | wrapped data key | nonce | ciphertext and tag

The data key is drawn for each envelope (AES-256-GCM) and wrapped by AES key wrap (RFC
3394), so that replacing the installation's key changes 52 bytes of a file and not its
content (`Ring.renew`). The first key of a ring seals, all of them open. An envelope
says what it holds (`name`, as additional data): one that was put in another's place
does not open. Text in rows is sealed by `chassis.sealing`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.keywrap import (
    InvalidUnwrap,
    aes_key_unwrap,
    aes_key_wrap,
)

KEY_BYTES = 32
_MAGIC = b"PWE1"
_ID, _WRAPPED, _NONCE = 8, KEY_BYTES + 8, 12
_HEAD = len(_MAGIC) + _ID + _WRAPPED


class BadKeys(ValueError):
    """The text is no ring of keys."""


class UnknownKey(ValueError):
    """The envelope was sealed with a key that is not on the ring."""


class BrokenEnvelope(ValueError):
    """The bytes are no envelope of this name, or not as they were sealed."""


@dataclass(frozen=True)
class _Key:
    secret: bytes

    @property
    def id(self) -> bytes:
        return hashlib.sha256(b"proofwalk envelope key" + self.secret).digest()[:_ID]


class Ring:
    """The installation's keys."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """`keys`: of 32 bytes, the one that seals first. Raises `BadKeys`."""
        if not keys:
            raise BadKeys("there is no key")
        for number, key in enumerate(keys, start=1):
            if len(key) != KEY_BYTES:
                raise BadKeys(f"key {number} has {len(key)} bytes, not {KEY_BYTES}")
        self._sealing = _Key(keys[0])
        self._by_id = {key.id: key for key in map(_Key, keys)}

    @classmethod
    def of_text(cls, text: str) -> Ring:
        """Keys in URL-safe Base64, between white space. Raises `BadKeys`."""
        keys = []
        for number, word in enumerate(text.split(), start=1):
            try:
                keys.append(base64.b64decode(word, altchars=b"-_", validate=True))
            except (binascii.Error, ValueError):
                raise BadKeys(f"key {number} is not Base64") from None
        return cls(keys)

    def seal(self, data: bytes, *, name: str) -> bytes:
        """`data` in an envelope that opens under this name alone."""
        own, nonce = os.urandom(KEY_BYTES), os.urandom(_NONCE)
        ciphertext = AESGCM(own).encrypt(nonce, data, name.encode())
        return self._head(own) + nonce + ciphertext

    def open(self, sealed: bytes, *, name: str) -> bytes:
        """Inverse of `seal`. Raises `UnknownKey`, `BrokenEnvelope`."""
        own = self._own_key(sealed)
        nonce, ciphertext = sealed[_HEAD : _HEAD + _NONCE], sealed[_HEAD + _NONCE :]
        try:
            return AESGCM(own).decrypt(nonce, ciphertext, name.encode())
        except (InvalidTag, ValueError):
            raise BrokenEnvelope("the envelope was altered, or holds something else") from None

    def renew(self, sealed: bytes) -> bytes | None:
        """The same envelope under the ring's first key; None where it is already.
        Raises `UnknownKey`, `BrokenEnvelope`."""
        own = self._own_key(sealed)
        if sealed[len(_MAGIC) :].startswith(self._sealing.id):
            return None
        return self._head(own) + sealed[_HEAD:]

    def _head(self, own: bytes) -> bytes:
        return _MAGIC + self._sealing.id + aes_key_wrap(self._sealing.secret, own)

    def _own_key(self, sealed: bytes) -> bytes:
        if len(sealed) < _HEAD + _NONCE or not sealed.startswith(_MAGIC):
            raise BrokenEnvelope("the bytes are no envelope")
        key = self._by_id.get(sealed[len(_MAGIC) : len(_MAGIC) + _ID])
        if key is None:
            raise UnknownKey("the envelope was sealed with a key that is not among those given")
        try:
            return aes_key_unwrap(key.secret, sealed[_HEAD - _WRAPPED : _HEAD])
        except InvalidUnwrap:
            raise BrokenEnvelope("the envelope's key was altered") from None
