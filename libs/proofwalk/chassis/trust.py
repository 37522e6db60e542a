"""The certificate authorities that this machine trusts, read once a process.

A client of its own reads them anew, some 40 ms of a processor each time, also where it
will only speak plain HTTP. Clients share one context instead; sessions and connections
stay each client's own.
"""

from __future__ import annotations

import functools
import ssl

import httpx2


@functools.cache
def system_trust(*, by_environment: bool = False) -> ssl.SSLContext:
    """What to verify servers with. `by_environment` heeds `SSL_CERT_FILE` and
    `SSL_CERT_DIR`, as the environment's proxies are heeded."""
    return httpx2.create_ssl_context(trust_env=by_environment)
