"""Addresses as they are acted on: places of a console, and the real form of an address
that was told masked. Pure.

An observation tells addresses without secrets. Whoever goes back to one has only that
form, so a session remembers what it told: `SeenAddresses` gives the real address for a
told one, and for nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from proofwalk.console.safety.redaction import Secrets

TOLD = 2000
"""Characters of an address that an observation tells."""
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
        """The place of an address; None for one that is no web address."""
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
    """The real form of each address that was told in another one; the newest are
    kept."""

    def __init__(self) -> None:
        self._real: dict[str, str] = {}

    def note(self, real: str, secrets: Secrets) -> None:
        """`real` is told, masked and cut as an observation tells it."""
        for told in {secrets.mask(real)[:TOLD], secrets.mask_cut(real)[:TOLD]}:
            self._real.pop(told, None)
            if told != real:
                self._real[told] = real
        while len(self._real) > _REMEMBERED:
            del self._real[next(iter(self._real))]

    def real(self, told: str) -> str:
        """The address itself."""
        return self._real.get(told, told)
