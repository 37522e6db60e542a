"""Which addresses an episode may reach: exact host and port, http and websocket schemes
only.

No wildcard, no prefix match, no user information in an address; `data:`, `blob:` and
`file:` documents are never allowed. The same list guards the browser context here and
the egress proxy of the sandbox, which is the wall that counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def _host(name: str) -> str:
    name = name.strip().rstrip(".").lower()
    try:
        return name.encode("idna").decode() if name and not name.isascii() else name
    except UnicodeError:
        return ""


@dataclass(frozen=True, kw_only=True)
class AllowedHosts:
    """An allow-list of `host:port`; an entry without a port stands for 80 and 443."""

    entries: frozenset[tuple[str, int]]

    @classmethod
    def parse(cls, entries: Iterable[str]) -> AllowedHosts:
        """Read `host`, `host:port` or a whole origin. Raises ValueError for anything
        else."""
        pairs: set[tuple[str, int]] = set()
        for entry in entries:
            text = entry.strip()
            scheme = ""
            if "://" in text:
                scheme = text.split("://", 1)[0].lower()
                text = text.split("://", 1)[1].split("/", 1)[0]
            parts = urlsplit(f"//{text}")
            host = _host(parts.hostname or "")
            if (
                not host
                or "*" in host
                or parts.username is not None
                or parts.path
                or (scheme and scheme not in _PORTS)
            ):
                raise ValueError(f"not a host or host:port: {entry!r}")
            ports = (
                [parts.port]
                if parts.port is not None
                else [_PORTS[scheme]]
                if scheme
                else [80, 443]
            )
            pairs.update((host, port) for port in ports)
        return cls(entries=frozenset(pairs))

    def reaches(self, host: str, port: int) -> bool:
        """Return True if this host and port are on the list."""
        return (_host(host), port) in self.entries

    def others(self) -> re.Pattern[str]:
        """Return a pattern for Python and JavaScript that matches every address not
        plainly on the list. Addresses that do not match are allowed; those that match
        may be too."""
        plain = [
            f"{scheme}://{re.escape(f'[{host}]' if ':' in host else host)}"
            + ("" if port == default else f":{port}")
            for host, port in sorted(self.entries)
            for scheme, default in _PORTS.items()
        ]
        return re.compile(f"^(?!(?:{'|'.join(plain)})(?:[/?#]|$))" if plain else "^")

    def allows(self, url: str) -> bool:
        """Return True if this address may be opened or fetched."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            return False
        if (
            parts.scheme not in _PORTS
            or parts.username is not None
            or parts.password is not None
            or "\\" in parts.netloc
        ):
            return False
        return self.reaches(
            parts.hostname or "", port if port is not None else _PORTS[parts.scheme]
        )
