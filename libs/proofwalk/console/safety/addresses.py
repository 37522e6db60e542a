"""Addresses as actions use them: places of a console, and the real form of a masked
address. Pure.

An observation shows addresses without secrets. A policy that returns to one has only
that form, so a session remembers what it showed: `SeenAddresses` gives the real address
for a shown one, and for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from proofwalk.console.safety.redaction import Secrets

TOLD = 2000
"""Most characters of an address in an observation."""
_REMEMBERED = 200


@dataclass(frozen=True, kw_only=True)
class Place:
    """Origin, path and route (the fragment of a page that routes by it), without
    parameters."""

    origin: str
    path: str
    route: str = ""

    @classmethod
    def of(cls, url: str) -> Place | None:
        """Return the place of an address; None if it is not a web address."""
        try:
            parts = urlsplit(url)
            port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
        except ValueError:
            return None
        if port is None or not parts.hostname:
            return None
        route = (
            parts.fragment.partition("?")[0].rstrip("/")
            if parts.fragment.startswith(("/", "!"))
            else ""
        )
        return cls(
            origin=f"{parts.scheme}://{parts.hostname}:{port}",
            path=parts.path.rstrip("/"),
            route=route,
        )

    def __str__(self) -> str:
        return f"{self.origin}{self.path or '/'}{f'#{self.route}' if self.route else ''}"


class SeenAddresses:
    """Maps shown addresses to their real form, where the two differ. Keeps the
    newest."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def note(self, real: str, secrets: Secrets) -> None:
        """Record that `real` was shown, masked and cut as an observation does."""
        for told in {secrets.mask(real)[:TOLD], secrets.mask_cut(real)[:TOLD]}:
            self._real.pop(told, None)
            if told != real:
                self._real[told] = real
        while len(self._real) > _REMEMBERED:
            del self._real[next(iter(self._real))]

    def real(self, told: str) -> str:
        """Return the real address of a shown one; any other address is returned as it
        is."""
        return self._real.get(told, told)
