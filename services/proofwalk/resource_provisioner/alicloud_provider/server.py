"""The plugin process: handshake, transport, shutdown.

Terraform starts the program, reads one line from its standard output (protocol
versions, a unix socket, the server's certificate) and talks gRPC over TLS; it ends the
process through `plugin.GRPCController/Shutdown`. With `--attach FILE` the process
instead writes what `TF_REATTACH_PROVIDERS` wants to FILE and serves until it is told to
end: one warm process for many runs of one account.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from proofwalk.api.tfplugin.v6 import tfplugin6_pb2_grpc as rpc
from proofwalk.resource_provisioner.alicloud_provider.servicer import Servicer

ADDRESS = "registry.terraform.io/aliyun/alicloud"
COOKIE = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
)
"""go-plugin's handshake: it keeps people from starting a plugin by hand; it is no
secret."""
WORKERS = 16
"""More than Terraform's default parallelism of ten, so that no call waits for
another."""
SHUTDOWN_GRACE_S = 0.5
PARENT_LOOK_S = 2.0


def _credentials() -> tuple[str, grpc.ServerCredentials]:
    """A certificate for this process's life, as the handshake wants it (DER in unpadded
    base 64), and the server's credentials."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = certificate.public_bytes(serialization.Encoding.PEM)
    der = (
        base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode().rstrip("=")
    )
    # Terraform's own certificate is on a curve that gRPC's TLS does not take, so it
    # cannot be asked for; who may talk to us is decided by the socket's folder, which
    # only this user may enter.
    return der, grpc.ssl_server_credentials([(private, public)])


class _Plugin:
    """go-plugin's own two services, in raw bytes: their messages are empty."""

    def __init__(self, ended: threading.Event) -> None:
        self._ended = ended

    def handlers(self) -> list[grpc.GenericRpcHandler]:
        def shutdown(request: bytes, context: grpc.ServicerContext) -> bytes:
            self._ended.set()
            return b""

        def stream(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
            # Empty: Terraform reads our standard error directly. It must not be held
            # open, since each would keep a thread.
            return iter(())

        return [
            grpc.method_handlers_generic_handler(
                "plugin.GRPCController", {"Shutdown": grpc.unary_unary_rpc_method_handler(shutdown)}
            ),
            grpc.method_handlers_generic_handler(
                "plugin.GRPCStdio", {"StreamStdio": grpc.unary_stream_rpc_method_handler(stream)}
            ),
        ]


def serve(arguments: list[str]) -> int:
    """Run until Terraform, or whoever keeps a warm process, ends it."""
    attach = Path(arguments[1]) if arguments[:1] == ["--attach"] and len(arguments) == 2 else None
    if attach is None and os.environ.get(COOKIE[0]) != COOKIE[1]:
        print("This program is a Terraform plugin; Terraform starts it.", file=sys.stderr)
        return 1
    ended = threading.Event()
    # A signal to end reaches the whole process group; it is Terraform that decides when
    # a plugin ends, after the state is written.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN if attach is None else lambda *_: ended.set())
    server = grpc.server(
        ThreadPoolExecutor(max_workers=WORKERS),
        options=[("grpc.max_receive_message_length", 64 << 20)],
    )
    rpc.add_ProviderServicer_to_server(Servicer(), server)
    server.add_generic_rpc_handlers(_Plugin(threading.Event() if attach else ended).handlers())
    with tempfile.TemporaryDirectory(prefix="alicloud-") as folder:
        socket = f"{folder}/plugin.sock"
        if attach is not None:
            server.add_insecure_port(f"unix://{socket}")
            server.start()
            _announce(attach, socket)
        else:
            certificate, credentials = _credentials()
            server.add_secure_port(f"unix://{socket}", credentials)
            server.start()
            print(f"1|6|unix|{socket}|grpc|{certificate}", flush=True)
        starter = os.getppid()
        # A Terraform that was killed ends nobody; a warm process belongs to whoever
        # started it, just the same.
        while not ended.wait(PARENT_LOOK_S) and os.getppid() == starter:
            pass
        server.stop(SHUTDOWN_GRACE_S).wait()
    return 0


def _announce(path: Path, socket: str) -> None:
    """The value of TF_REATTACH_PROVIDERS, put in place at once so that a reader never
    sees half of it."""
    address = {"Network": "unix", "String": socket}
    entry = {
        "Protocol": "grpc",
        "ProtocolVersion": 6,
        "Pid": os.getpid(),
        "Test": True,
        "Addr": address,
    }
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({ADDRESS: entry}), encoding="utf-8")
    partial.replace(path)
