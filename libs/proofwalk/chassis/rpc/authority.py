"""An authority of one's own: certificates for roles, where no cert-manager makes them.

The authority and what it signs live for days, so a lost file is worth little for long;
whoever uses them makes new ones in time. A role's certificate serves and calls. Its
names are those that `mutual_tls` asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from proofwalk.chassis.rpc.mutual_tls import server_name, uri_of

_SKEW = timedelta(minutes=5)
"""Clocks of machines differ."""
_KEY_USES = (
    "digital_signature",
    "key_cert_sign",
    "crl_sign",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "encipher_only",
    "decipher_only",
)


@dataclass(frozen=True, kw_only=True)
class Issued:
    """A certificate and its key, in PEM."""

    certificate: bytes
    key: bytes


class Authority:
    """Signs from `now` on for `days`. Its key lives in this object alone."""

    def __init__(self, trust_domain: str, *, now: datetime, days: float) -> None:
        self._domain = trust_domain
        self._now = now
        self._until = now + timedelta(days=days)
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"{trust_domain} roles"[:64])])
        key_id = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        self._certificate = (
            self._begun(name, self._key.public_key(), issuer=name)
            .not_valid_after(self._until)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage("key_cert_sign", "crl_sign"), critical=True)
            .add_extension(key_id, critical=False)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def certificate(self) -> bytes:
        """In PEM."""
        return self._certificate.public_bytes(Encoding.PEM)

    def issue(self, role: str, *, until: datetime | None = None) -> Issued:
        """A certificate for a role, as long as the authority's unless `until` is
        sooner."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName(
            [
                x509.UniformResourceIdentifier(uri_of(role, self._domain)),
                x509.DNSName(server_name(role, self._domain)),
            ]
        )
        both = x509.ExtendedKeyUsage(
            [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        )
        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            self._begun(x509.Name([]), key.public_key(), issuer=self._certificate.subject)
            .not_valid_after(until or self._until)
            # Without a subject the names are all there is.
            .add_extension(names, critical=True)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage("digital_signature"), critical=True)
            .add_extension(both, critical=False)
            .add_extension(signer, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return Issued(
            certificate=certificate.public_bytes(Encoding.PEM),
            key=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        )

    def _begun(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, *, issuer: x509.Name
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - _SKEW)
        )


def _key_usage(*uses: str) -> x509.KeyUsage:
    return x509.KeyUsage(**{use: use in uses for use in _KEY_USES})
