"""Why no call gets through to a server over TCP, where the cause is TLS.

gRPC waits for a connection until a call's deadline and then says only that it passed.
So whoever failed to connect looks once more, by a handshake of its own: what the server
speaks, whether it is who it should be, and whether it takes our certificate.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from proofwalk.kernel.errors import ProofwalkError, Status

if TYPE_CHECKING:
    from proofwalk.chassis.rpc.mutual_tls import TowardsRole

LOOK_S = 0.8
TLS_FAULTS = frozenset(
    {
        "rpc.tls_required",
        "rpc.tls_not_spoken",
        "rpc.server_not_trusted",
        "rpc.certificate_refused",
    }
)
"""Codes of what is told."""
_SPEAKS_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNEXPECTED_EOF_WHILE_READING")


async def tls_fault(address: str, tls: TowardsRole | None) -> ProofwalkError | None:
    """What is wrong, if it is the certificates; within `LOOK_S`."""
    try:
        async with asyncio.timeout(LOOK_S):
            return await (
                _fault_in_plain_text(address) if tls is None else _fault_over_tls(address, tls)
            )
    except (OSError, TimeoutError):
        return None


async def _fault_in_plain_text(address: str) -> ProofwalkError | None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing is sent: it is asked only whether TLS is spoken.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    async with _connected(address, context, ""):
        pass
    return _fault(
        "rpc.tls_required",
        f"{address} takes calls over TLS alone, and this process has no certificate",
        hint="set PROOFWALK_RPC__TLS__CERT_FILE, KEY_FILE and CA_FILE (docs/security.md)",
    )


async def _fault_over_tls(address: str, tls: TowardsRole) -> ProofwalkError | None:
    certificate, key, authorities = tls.tls.files
    context = ssl.create_default_context(cafile=str(authorities))
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    try:
        async with _connected(address, context, tls.name) as reader:
            # With TLS 1.3 a certificate is refused after the handshake, in place of the
            # server's first bytes.
            if not await reader.read(1):
                raise ConnectionResetError
    except ssl.SSLCertVerificationError as error:
        return _fault(
            "rpc.server_not_trusted",
            f"{address} is not {tls.name}: {error.verify_message}",
            hint="its certificate and the authorities of this process are of two installations,"
            " or the address is another role's",
        )
    except ssl.SSLError as error:
        if error.reason in _SPEAKS_NO_TLS:
            return _fault(
                "rpc.tls_not_spoken",
                f"{address} speaks no TLS, and this process calls roles with a certificate",
                hint="give every role a certificate, or none",
            )
        return _refused(address, error.reason or "no reason told")
    except ConnectionError as error:
        return _refused(address, error.strerror or "it closed the connection")
    return None


@asynccontextmanager
async def _connected(
    address: str, context: ssl.SSLContext, name: str
) -> AsyncIterator[asyncio.StreamReader]:
    """Shake hands. Raises `ssl.SSLError`, ConnectionError where that fails."""
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    reader, writer = await asyncio.open_connection(
        host, int(port), ssl=context, server_hostname=name or host
    )
    try:
        yield reader
    finally:
        writer.transport.abort()


def _refused(address: str, why: str) -> ProofwalkError:
    return _fault(
        "rpc.certificate_refused",
        f"{address} does not take this process's certificate: {why}",
        hint="it has expired, or is of an authority that the server does not know",
    )


def _fault(code: str, message: str, *, hint: str) -> ProofwalkError:
    # Files are replaced while roles run, so the next try may succeed.
    return ProofwalkError(code, message, status=Status.UNAVAILABLE, retryable=True, hint=hint)
