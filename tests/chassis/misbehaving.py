"""Readers that misbehave, for the tests of the readers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from proofwalk.kernel.errors import invalid


def echo(arguments: Mapping[str, Any], body: bytes) -> bytes:
    return (
        json.dumps(
            {"arguments": arguments, "pid": os.getpid(), "environment": dict(os.environ)}
        ).encode()
        + body
    )


def spin(arguments: Mapping[str, Any], body: bytes) -> bytes:
    while True:
        pass


def sleep(arguments: Mapping[str, Any], body: bytes) -> bytes:
    os.read(os.pipe()[0], 1)
    raise AssertionError


def swell(arguments: Mapping[str, Any], body: bytes) -> bytes:
    kept = []
    while True:
        kept.append(bytearray(1 << 20))


def grow(arguments: Mapping[str, Any], body: bytes) -> bytes:
    """Keeps 40 MB for good."""
    globals().setdefault("_KEPT", []).append(bytearray(40 << 20))
    return str(os.getpid()).encode()


def refuse(arguments: Mapping[str, Any], body: bytes) -> bytes:
    raise invalid("document.odd", "it is odd", hint="make it even", details={"path": "a"})


def fail(arguments: Mapping[str, Any], body: bytes) -> bytes:
    raise ZeroDivisionError(arguments["secret"])


def vanish(arguments: Mapping[str, Any], body: bytes) -> bytes:
    os._exit(0)
