"""What a child program may inherit of our environment, if it works on others' input: an
allow-list.

Our own environment holds keys of the vault, of databases and of models; none of them is
a child's business. What is passed on says where programs are, which language and time
zone is meant, and how the network is reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

_NAMES = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")
_SCREEN = (
    *("HOME", "TMPDIR", "XDG_RUNTIME_DIR", "FONTCONFIG_FILE", "FONTCONFIG_PATH"),
    *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY"),
)
"""Where a browser finds fonts, the certificates that its user trusts, and a display."""
_PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY")
_PROXIES = (*_PROXY_NAMES, "NO_PROXY")
_HTTPS = 443
_DEFAULT_PORTS = {"http": 80, "https": _HTTPS}
INHERITED = frozenset({*_NAMES, *_PROXIES, *(name.lower() for name in _PROXIES)})


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """The part of `environment` that a child may have."""
    return {name: value for name, value in environment.items() if name in INHERITED}


def inherited_by_browsers(environment: Mapping[str, str]) -> dict[str, str]:
    """The part that a browser may have which is told its proxy. Who takes the browser
    over reads all of it, so the proxies' passwords are not in it."""
    return {name: value for name, value in environment.items() if name in (*_NAMES, *_SCREEN)}


def connect_ports(environment: Mapping[str, str]) -> tuple[int, ...]:
    """The TCP ports that a client of a cloud needs, ascending: those of the proxies and
    endpoints (`…_PROXY`, `…_URL`) that its environment names, else HTTPS."""
    ports: set[int] = set()
    for name, value in environment.items():
        if name.upper().endswith(("_PROXY", "_URL")) and "://" in value:
            try:
                parts = urlsplit(value)
                ports.add(parts.port or _DEFAULT_PORTS.get(parts.scheme, _HTTPS))
            except ValueError:
                # A port that is none leads nowhere, and the child says so itself.
                continue
    return tuple(sorted(ports or {_HTTPS}))


def has_proxy(environment: Mapping[str, str]) -> bool:
    """Whether the network is reached through a proxy."""
    return any(environment.get(name) for name in (*_PROXY_NAMES, *map(str.lower, _PROXY_NAMES)))
