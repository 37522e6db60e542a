"""`proofwalk certificates`: an authority and certificates of one's own for roles that
call each other over TCP, where no cert-manager makes them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from proofwalk.chassis.private_files import private_folder
from proofwalk.chassis.rpc.authority import Authority
from proofwalk.chassis.rpc.callers import DEVTOOLS_GATEWAY, OPERATOR
from proofwalk.chassis.rpc.mutual_tls import LOOK_S
from proofwalk.chassis.settings_sections import TRUST_DOMAIN
from proofwalk.cli import output
from proofwalk.kernel.clock import Clock, SystemClock
from proofwalk.platform.roles import NAMES

app = typer.Typer(help="Certificates of roles.", no_args_is_help=True)
CERTIFICATE, KEY, AUTHORITIES = "tls.crt", "tls.key", "ca.crt"
OWNERS = (*(name for name in NAMES if name != "devcloud"), DEVTOOLS_GATEWAY, OPERATOR)
"""Whoever serves or calls gRPC."""


@app.command("make")
def make_command(
    folder: Annotated[Path, typer.Argument(help="Where they go, a folder for each role.")],
    days: Annotated[float, typer.Option(min=0.01, max=825, help="How long they are good.")] = 30,
    trust_domain: Annotated[
        str, typer.Option(help="As in PROOFWALK_RPC__TLS__TRUST_DOMAIN.")
    ] = TRUST_DOMAIN,
    readable: Annotated[
        bool,
        typer.Option(
            "--readable",
            help="Keys that every user may read, for containers of other users; the folder itself"
            " is closed to others.",
        ),
    ] = False,
) -> None:
    """Make an authority and a certificate for each role.

    Made again in the same folder, they replace the ones before; roles that run read the
    new ones by themselves.
    """

    def wait(seconds: float) -> None:
        output.say(f"waiting {seconds:g} s, until roles that run believe the new authority")
        time.sleep(seconds)

    made = make(
        Making(folder=folder, trust_domain=trust_domain, days=days, readable=readable),
        clock=SystemClock(),
        wait=wait,
    )
    output.say(f"{len(made)} certificates in {folder}, good for {days:g} days")


@dataclass(frozen=True, kw_only=True)
class Making:
    """What is to be made."""

    folder: Path
    trust_domain: str
    days: float
    readable: bool = False


def make(making: Making, *, clock: Clock, wait: Callable[[float], None]) -> list[Path]:
    """Write the files; gives each role's folder. The authority's key is kept nowhere,
    so a certificate more means a new authority. Blocks.

    Where there is an authority already, both are believed first, and after a while the
    certificates change: roles look at their files at different moments, and none is
    refused meanwhile."""
    authority = Authority(making.trust_domain, now=clock.now(), days=making.days)
    private_folder(making.folder)
    before = _still_good(making.folder / AUTHORITIES, clock)
    folders = {owner: making.folder / owner.replace("_", "-") for owner in OWNERS}
    for own in folders.values():
        own.mkdir(mode=0o755 if making.readable else 0o700, exist_ok=True)
    for place in (making.folder, *folders.values()):
        _write(place / AUTHORITIES, authority.certificate + before, 0o644)
    if before:
        wait(2 * LOOK_S)
    for owner, own in folders.items():
        issued = authority.issue(owner)
        _write(own / KEY, issued.key, 0o644 if making.readable else 0o600)
        _write(own / CERTIFICATE, issued.certificate, 0o644)
    return list(folders.values())


def _still_good(path: Path, clock: Clock) -> bytes:
    """The newest of the authorities before; empty where there is none that counts."""
    if not path.exists():
        return b""
    newest = x509.load_pem_x509_certificates(path.read_bytes())[0]
    if newest.not_valid_after_utc <= clock.now():
        return b""
    return newest.public_bytes(Encoding.PEM)


def _write(path: Path, content: bytes, mode: int) -> None:
    """In one step: a role never reads half of a file."""
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    draft.touch(mode=mode)
    draft.chmod(mode)
    draft.write_bytes(content)
    draft.replace(path)
