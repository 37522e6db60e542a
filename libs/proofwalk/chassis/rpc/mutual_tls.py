"""The certificate of a process, with which it serves and calls other roles over TCP.

A certificate names its role twice: for servers that look at a caller, in its one URI
`spiffe://TRUST-DOMAIN/role/ROLE`; for callers that look at a server, in the DNS name
`ROLE.TRUST-DOMAIN`, with dashes, whatever the address is. So nobody but the account
pool can answer for the account pool.

The three files are looked at every `LOOK_S` and read again when they changed. What is
read counts once it fits together: a key of another certificate, as between two writes,
leaves what was there in use. `version` tells servers and channels that something new is
to be used: a server gives it to the next connection, a channel makes a new connection
and lets calls under way finish on the old one (`rotation`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import grpc
import structlog
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from proofwalk.chassis.rpc.callers import CALLERS, AllowList
from proofwalk.chassis.rpc.identity import Guard, Identity
from proofwalk.chassis.settings_sections import TlsSettings
from proofwalk.kernel.clock import Clock, isoformat
from proofwalk.kernel.errors import ProofwalkError, invalid

LOOK_S = 10.0
_LATE = 0.2
"""The part of its life at whose beginning a certificate should have been replaced."""
_SAID_AGAIN_S = 3600.0
T = TypeVar("T")
_ROLE = re.compile(r"[a-z][a-z0-9_]*")
_log: structlog.stdlib.BoundLogger = structlog.get_logger()


@dataclass(frozen=True, kw_only=True)
class Material:
    """What the three files hold."""

    chain: bytes
    key: bytes
    authorities: bytes
    identity: Identity


def uri_of(role: str, trust_domain: str) -> str:
    """The caller's name of a role."""
    return f"spiffe://{trust_domain}/role/{role}"


def server_name(role: str, trust_domain: str) -> str:
    """The DNS name by which a role's server is known."""
    return f"{role.replace('_', '-')}.{trust_domain}"


@lru_cache(maxsize=256)
def identify(certificate: bytes, trust_domain: str) -> Identity:
    """What a certificate in PEM says; the first one of several. Kept, since a server
    asks for each call. Raises ValueError for what is no certificate."""
    read = x509.load_pem_x509_certificate(certificate)
    try:
        names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        uris = tuple(names.get_values_for_type(x509.UniformResourceIdentifier))
    except x509.ExtensionNotFound:
        uris = ()
    role = uris[0].removeprefix(uri_of("", trust_domain)) if len(uris) == 1 else ""
    return Identity(
        role=role if _ROLE.fullmatch(role) else "",
        names=uris,
        not_before=read.not_valid_before_utc,
        not_after=read.not_valid_after_utc,
    )


class MutualTls:
    """Reads the files at once, and again by `refresh` or `keep`. Raises
    `rpc.bad_certificate`."""

    def __init__(self, settings: TlsSettings, *, clock: Clock) -> None:
        self._files = settings.files()
        self._domain = settings.trust_domain
        self._clock = clock
        self._stamps = self._look()
        self._warned = float("-inf")
        self.material = self._read()
        self.version = 0

    @property
    def role(self) -> str:
        """Whose certificate it is."""
        return self.material.identity.role

    def seconds_left(self) -> float:
        """Until the certificate expires; negative afterwards."""
        return (self.material.identity.not_after - self._clock.now()).total_seconds()

    def refresh(self) -> None:
        """Read the files again if they changed. What does not fit together is told in
        the log, and looked at again. Blocks."""
        try:
            stamps = self._look()
            if stamps != self._stamps:
                material = self._read()
                if material.identity.role != self.role:
                    raise invalid(
                        "rpc.bad_certificate",
                        f"the new certificate is for {material.identity.role!r}, not {self.role!r}",
                    )
                # The files may have changed while they were read: then the stamps have.
                self.material, self._stamps = material, stamps
                self.version += 1
                self._warned = float("-inf")
                expires = isoformat(material.identity.not_after)
                _log.info("certificate_replaced", role=self.role, expires_at=expires)
        except ProofwalkError as error:
            _log.warning("certificate_not_replaced", code=error.code, reason=error.message)
        self._warn()

    async def keep(self) -> None:
        """Refresh for ever."""
        while True:
            await asyncio.to_thread(self.refresh)
            await asyncio.sleep(LOOK_S)

    def guard(self, allowed: AllowList = CALLERS) -> Guard:
        """What asks a server's callers for their role."""
        return Guard(allowed, identify=lambda pem: identify(pem, self._domain), clock=self._clock)

    def server_credentials(self) -> grpc.ServerCredentials:
        """A server's: a caller without a certificate of the authorities is not
        connected."""
        used = self.version

        # None, which the stubs lack, says that nothing is new.
        def newer() -> Any:
            nonlocal used
            if self.version == used:
                return None
            used = self.version
            return _configuration(self.material)

        # Asked at each handshake, from gRPC's threads.
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self.material), newer, require_client_authentication=True
        )

    def towards(self, role: str) -> TowardsRole:
        """How to connect to a role's server."""
        return TowardsRole(self, name=server_name(role, self._domain))

    @property
    def files(self) -> Sequence[Path]:
        """Certificate, key and authorities."""
        return self._files

    def _look(self) -> list[tuple[int, int, int]]:
        stats = [self._of(path, path.stat) for path in self._files]
        return [(stat.st_mtime_ns, stat.st_size, stat.st_ino) for stat in stats]

    def _read(self) -> Material:
        chain, key, authorities = (self._of(path, path.read_bytes) for path in self._files)
        try:
            certificate = x509.load_pem_x509_certificate(chain)
            x509.load_pem_x509_certificates(authorities)
            fits = load_pem_private_key(key, None).public_key() == certificate.public_key()
            identity = identify(chain, self._domain)
        except (ValueError, TypeError) as error:
            names = ", ".join(str(path) for path in self._files)
            raise _bad(f"one of {names} is not what it should be in PEM: {error}") from None
        if not fits:
            raise _bad(f"the key in {self._files[1]} is not of the certificate in {self._files[0]}")
        if not identity.role:
            raise _bad(
                f"the certificate in {self._files[0]} is for"
                f" {', '.join(identity.names) or 'no URI'}, and not for one role of the trust"
                f" domain {self._domain}"
            )
        return Material(chain=chain, key=key, authorities=authorities, identity=identity)

    def _of(self, path: Path, act: Callable[[], T]) -> T:
        try:
            return act()
        except OSError as error:
            raise _bad(f"{path} cannot be read: {error.strerror}") from None

    def _warn(self) -> None:
        life = self.material.identity.not_after - self.material.identity.not_before
        left, now = self.seconds_left(), self._clock.monotonic()
        if left > life.total_seconds() * _LATE or now < self._warned + _SAID_AGAIN_S:
            return
        self._warned = now
        event = "certificate_expires_soon" if left > 0 else "certificate_expired"
        expires = isoformat(self.material.identity.not_after)
        _log.warning(event, role=self.role, expires_at=expires, seconds_left=round(left))


class TowardsRole:
    """How a process connects to one role's servers."""

    def __init__(self, tls: MutualTls, *, name: str) -> None:
        self.tls = tls
        self.name = name
        """What the server's certificate has to be for."""

    def connect(
        self,
        address: str,
        options: Sequence[tuple[str, str | int]],
        interceptors: Sequence[grpc.aio.ClientInterceptor],
    ) -> grpc.aio.Channel:
        """A connection with the certificate as it is now."""
        material = self.tls.material
        return grpc.aio.secure_channel(
            address,
            grpc.ssl_channel_credentials(
                root_certificates=material.authorities,
                private_key=material.key,
                certificate_chain=material.chain,
            ),
            options=[*options, ("grpc.ssl_target_name_override", self.name)],
            interceptors=interceptors,
        )


def _configuration(material: Material) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration(
        [(material.key, material.chain)], root_certificates=material.authorities
    )


def _bad(why: str) -> ProofwalkError:
    return invalid(
        "rpc.bad_certificate",
        why,
        hint="PROOFWALK_RPC__TLS__CERT_FILE, KEY_FILE and CA_FILE are PEM files; the certificate"
        " has one URI, spiffe://TRUST-DOMAIN/role/ROLE (docs/security.md)",
    )
