"""What a network does to a connection. Pure: `proxy` carries it out.

A condition holds for the connections that live and for those that are made while it is
set. Two of them leave something behind when they are lifted: `HalfOpen` (its
connections lose a direction for good), and `Reset`, `Cut` and `Refuse` (theirs are
gone). All others end with the next condition, and nothing of a stream is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Direction(StrEnum):
    """Which way bytes go, seen from whoever connected."""

    REQUESTS = "requests"
    ANSWERS = "answers"


@dataclass(frozen=True)
class Pass:
    """Every byte goes on at once."""


@dataclass(frozen=True)
class Latency:
    """What arrives goes on after `seconds`, give or take `jitter_s`. Order is kept: a
    chunk waits for the one before it."""

    seconds: float
    jitter_s: float = 0.0


@dataclass(frozen=True)
class BlackHole:
    """Connections are accepted and nothing is answered. Nothing goes on in either
    direction, until the condition is lifted: then it arrives, as what TCP sends again
    does."""


@dataclass(frozen=True)
class HalfOpen:
    """One direction is dead, for good: a router that forgot a connection does not
    remember it later. Connections made after the condition is lifted are whole."""

    dead: Direction = Direction.ANSWERS


@dataclass(frozen=True)
class Slow:
    """So many bytes go on in a second, in each of these directions of each
    connection."""

    bytes_per_s: float
    directions: frozenset[Direction] = frozenset(Direction)


@dataclass(frozen=True)
class Reset:
    """A connection is reset (RST) when its answers would pass `after_bytes`, counted
    from its beginning. One that has answered more is reset at its next answer."""

    after_bytes: int


@dataclass(frozen=True)
class Cut:
    """As `Reset`, but closed in order (FIN): whoever reads sees the end of a stream."""

    after_bytes: int


@dataclass(frozen=True)
class Refuse:
    """Nobody listens. Connections that live are reset, as those of a process that was
    killed."""


Condition = Pass | Latency | BlackHole | HalfOpen | Slow | Reset | Cut | Refuse
