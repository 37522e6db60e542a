"""A vLLM server on this machine's CPU, for tests that are marked `vllm`.

PROOFWALK_VLLM_PYTHON names a Python that has vLLM (`make test-vllm` makes one). The
model is the tests' tiny one, with heads of a size that vLLM's CPU kernels have, and
with an output layer of its own, which full weights need.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fixtures.servers import SESSION_PIDS
from tests.inference import tiny

PYTHON = "PROOFWALK_VLLM_PYTHON"
HIDDEN = 128
"""Four heads of 32."""
_UP_S = 300.0
_LOOK_S = 0.5
_STRUCTURED = {"backend": "xgrammar", "disable_any_whitespace": True}


@dataclass(frozen=True)
class RealVllm:
    """A server that is up, and what it can be given."""

    url: str
    """Ends in /v1."""
    base: Path
    other: Path
    """Full weights of the same shape."""
    adapter: Path


@contextmanager
def real_vllm(folder: Path, *, lora: bool) -> Iterator[RealVllm]:
    """Serves `tiny` in float32 until the block ends, with adapters or without. Its log
    is in the folder.

    With adapters vLLM 0.32 ends on a CPU when prompts' log-probabilities are asked of
    two requests at once (`add_lora_logits` of its CPU kernels), so scores are asked of
    a server without. Those kernels also give a request of the base the adapter of one
    that is computed beside it, so the two are not asked at once.
    """
    base = tiny.save(folder / "base", hidden=HIDDEN, tied=False)
    other = tiny.save(folder / "other", seed=7, hidden=HIDDEN, tied=False)
    adapter = tiny.save_adapter(folder / "adapter", base=base)
    more = ["--enable-lora"] if lora else []
    with vllm_serving(base, folder, dtype="float32", context=tiny.CONTEXT, more=more) as url:
        yield RealVllm(url, base, other, adapter)


@contextmanager
def vllm_serving(
    model: Path, folder: Path, *, dtype: str, context: int, more: Sequence[str] = ()
) -> Iterator[str]:
    """Serves a model's folder as `tiny` until the block ends; the URL, which ends in
    /v1."""
    if PYTHON not in os.environ:
        raise RuntimeError(f"{PYTHON} has to name a Python with vLLM: make test-vllm sets it")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [
        *(os.environ[PYTHON], "-m", "vllm.entrypoints.openai.api_server"),
        *("--model", str(model), "--served-model-name", "tiny"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--dtype", dtype, "--enforce-eager", "--max-model-len", str(context)),
        # A random model would write white space between the parts for ever.
        *("--structured-outputs-config", json.dumps(_STRUCTURED)),
        # Else a seeded request whose prompt is read in two steps ends the CPU's worker.
        "--no-enable-chunked-prefill",
        *more,
    ]
    with (folder / "vllm.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            env={**_plain_environment(), **_SWITCHES},
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        SESSION_PIDS.add(process.pid)
        _wait(process, f"http://127.0.0.1:{port}/health", folder / "vllm.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_SWITCHES = {
    "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
    "VLLM_SERVER_DEV_MODE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "KMP_BLOCKTIME": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
}


def _plain_environment() -> dict[str, str]:
    """Without what would lead the other Python to this one's packages."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + _UP_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5):  # loopback
                return
        except OSError:
            time.sleep(_LOOK_S)
    told = log.read_text(encoding="utf-8", errors="replace")[-3000:]
    raise RuntimeError(f"the vLLM server ended, or did not come up within {_UP_S:g} s:\n{told}")
