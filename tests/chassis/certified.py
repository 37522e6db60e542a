"""Certificates for tests of the transport: files of a role, made by an authority of the
test's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from proofwalk.chassis.rpc.authority import Authority
from proofwalk.chassis.rpc.mutual_tls import MutualTls
from proofwalk.chassis.settings_sections import TlsSettings
from proofwalk.kernel.clock import Clock, SystemClock

DOMAIN = "test.internal"


def authority() -> Authority:
    return Authority(DOMAIN, now=datetime.now(UTC), days=1)


def write(
    folder: Path,
    role: str,
    signer: Authority,
    *,
    trusted: Authority | None = None,
    until: datetime | None = None,
) -> TlsSettings:
    """A role's files, in a folder of its own. `trusted` are the authorities that it
    believes, the signer unless another is given."""
    issued = signer.issue(role, until=until)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tls.crt").write_bytes(issued.certificate)
    (folder / "tls.key").write_bytes(issued.key)
    (folder / "ca.crt").write_bytes((trusted or signer).certificate)
    return TlsSettings(
        cert_file=folder / "tls.crt",
        key_file=folder / "tls.key",
        ca_file=folder / "ca.crt",
        trust_domain=DOMAIN,
    )


def certified(
    folder: Path,
    role: str,
    signer: Authority,
    *,
    trusted: Authority | None = None,
    until: datetime | None = None,
    clock: Clock | None = None,
) -> MutualTls:
    settings = write(folder, role, signer, trusted=trusted, until=until)
    return MutualTls(settings, clock=clock or SystemClock())


def soon(seconds: float) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=seconds)
