"""Storage for copies of checkpoints: a folder, and a bucket of a real S3 server
(moto's, as `make test-s3` names it)."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyarrow import fs

from proofwalk.platform.installation import free_port
from proofwalk.rl.storage import Storage

KINDS = ["folder", pytest.param("s3", marks=pytest.mark.s3)]
SECRET = "s3-secret-that-no-log-shows"


@contextmanager
def storage(kind: str, folder: Path) -> Iterator[Storage]:
    """A place for copies, empty."""
    if kind == "folder":
        yield Storage(address=f"file://{folder}/copies")
        return
    with bucket("models", folder) as port:
        yield Storage(
            address="s3://models/team",
            endpoint=f"http://127.0.0.1:{port}",
            region="us-east-1",
            access_key="AKIATEST",
            secret_key=SECRET,
        )


@contextmanager
def bucket(name: str, folder: Path) -> Iterator[int]:
    """A server with an empty bucket, for `AKIATEST` and `SECRET`; its port on
    127.0.0.1."""
    with _server(folder) as port:
        _files(port).create_dir(name)
        yield port


@contextmanager
def _server(folder: Path) -> Iterator[int]:
    """Its port, when it listens."""
    program = os.environ.get("PROOFWALK_MOTO_SERVER")
    if not program:
        pytest.skip("PROOFWALK_MOTO_SERVER names no S3 server: `make test-s3` has one")
    port = free_port()
    told = folder / "moto.log"
    with told.open("wb") as log:
        server = subprocess.Popen(
            [program, "-H", "127.0.0.1", "-p", str(port)],
            stdout=log,
            stderr=log,
        )
    try:
        until = time.monotonic() + 60
        while not _listens(port):
            assert server.poll() is None, told.read_text(encoding="utf-8")
            assert time.monotonic() < until, "the server does not come up"
            time.sleep(0.05)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=20)


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _files(port: int) -> fs.FileSystem:
    return fs.S3FileSystem(
        access_key="AKIATEST",
        secret_key=SECRET,
        region="us-east-1",
        endpoint_override=f"127.0.0.1:{port}",
        scheme="http",
        allow_bucket_creation=True,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=2),
    )
