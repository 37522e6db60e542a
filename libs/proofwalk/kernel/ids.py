"""Identifiers: a short prefix that says what the thing is, then 20 sortable characters.

`ver_` verification (job), `ep_` episode, `lease_`, `acc_` account, `sbx_` sandbox,
`prov_` provisioning, `meta_`, `evt_`. The body is 48 bits of milliseconds and 52 bits
of randomness in Crockford base 32, so ids sort by creation and rows land at the end of
an index. `IdSource` is an argument wherever ids are made; `SeededIds` gives tests and
seeded worlds a fixed sequence.
"""

from __future__ import annotations

import random
import secrets
from datetime import UTC, datetime, timedelta
from typing import Protocol

from proofwalk.kernel.clock import Clock

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_BODY = 20
_RANDOM_BITS = 52
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_S = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()


class IdSource(Protocol):
    """Makes ids."""

    def new(self, prefix: str) -> str:
        """A fresh `<prefix>_<20 characters>`."""
        ...


def _encode(value: int, length: int) -> str:
    digits = []
    for _ in range(length):
        digits.append(_ALPHABET[value & 31])
        value >>= 5
    return "".join(reversed(digits))


def created_at(identifier: str) -> datetime | None:
    """When `RandomIds` made an id; None for a text that is no such id."""
    body = identifier.rpartition("_")[2]
    if len(body) != _BODY or not set(body) <= set(_ALPHABET):
        return None
    number = 0
    for character in body:
        number = number << 5 | _ALPHABET.index(character)
    seconds = (number >> _RANDOM_BITS) / 1000
    return _EPOCH + timedelta(seconds=seconds) if seconds < _LATEST_S else None


class RandomIds:
    """Ids from the clock and the operating system's randomness."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def new(self, prefix: str) -> str:
        millis = int(self._clock.now().timestamp() * 1000) & (2**48 - 1)
        return f"{prefix}_{_encode(millis << _RANDOM_BITS | secrets.randbits(_RANDOM_BITS), _BODY)}"


class SeededIds:
    """A fixed sequence of ids for a seed: the same world twice gives the same ids."""

    def __init__(self, seed: int = 0) -> None:
        # Reproducible on purpose; nothing secret is made from it.
        self._random = random.Random(seed)  # noqa: S311 - a fixed sequence is what is asked for; nothing secret is made from it  # noqa: S311
        self._count = 0

    def new(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{_encode(self._count << _RANDOM_BITS | self._random.getrandbits(_RANDOM_BITS), _BODY)}"
