"""The form of requirements.lock: a package, its version, and its files' digests, as pip
and uv read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

LOCK = Path(__file__).resolve().parents[1] / "requirements.lock"
_DIGEST = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


@dataclass(frozen=True)
class Pin:
    """One package as it is locked. Its text is a requirement as pip reads it."""

    name: str
    version: str
    digests: tuple[str, ...] = ()
    """Of each of its files, sorted: `sha256:…`. None where it
    is open which files are taken."""

    def __str__(self) -> str:
        return " \\\n    ".join(
            [f"{self.name}=={self.version}", *(f"--hash={digest}" for digest in self.digests)]
        )


def read(text: str) -> Mapping[str, Pin]:
    """The pins of a lock's text by their canonical names (PEP 503). Lines of comment
    are passed over."""
    pins: dict[str, Pin] = {}
    for line in text.replace("\\\n", " ").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        name, _, version = words[0].partition("==")
        name = re.sub(r"[-_.]+", "-", name).lower()
        pins[name] = Pin(name, version, tuple(sorted(_DIGEST.findall(line))))
    return pins


def versions(text: str) -> str:
    """A lock's text without its digests."""
    return "".join(f"{pin.name}=={pin.version}\n" for pin in read(text).values())
