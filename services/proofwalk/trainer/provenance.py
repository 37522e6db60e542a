"""What a run was made with: commit, packages, machine, and digests of what it read.
Written once, by its first process; blocks."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import structlog

from proofwalk.trainer.configuration import RunConfig
from proofwalk.trainer.folder import RunFolder, write_json

_PACKAGES = (
    "proofwalk",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "peft",
    "accelerate",
    "numpy",
    "pyarrow",
)
log = structlog.get_logger()


def note_provenance(folder: RunFolder, config: RunConfig) -> None:
    """Write it, or, when the run goes on under other conditions than it began with, say
    so in the log."""
    found = provenance(config)
    if not folder.provenance.is_file():
        write_json(folder.provenance, found)
        return
    before: dict[str, Any] = json.loads(folder.provenance.read_text(encoding="utf-8"))
    differing = sorted(name for name in found if found[name] != before.get(name))
    if differing:
        log.warning(
            "conditions_differ",
            names=differing,
            before={name: before.get(name) for name in differing},
        )


def provenance(config: RunConfig) -> dict[str, Any]:
    """Everything but the configuration that the run's outcome follows from."""
    suites = {config.rollouts.suite: None} if config.rollouts is not None else {}
    if config.validation is not None and config.validation.suite is not None:
        suites[config.validation.suite] = None
    return {
        "commit": _commit(),
        "packages": {name: told for name in _PACKAGES if (told := _version(name))},
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cpus": os.cpu_count(),
        },
        "seed": config.learning.seed,
        "model": {"path": str(config.model), "files": _digests(config.model)},
        "data": {
            str(path): _sha256(path) for path in (config.data, config.held_out) if path is not None
        },
        "successes_of": [str(path) for path in (config.successes.runs if config.successes else ())],
        "suites": {str(path): _sha256(path / "suite.yaml") for path in suites},
    }


def _commit() -> str:
    """Of the code that runs; `-dirty` when it differs from the commit, `unknown`
    outside of a repository."""
    root = Path(__file__).parent
    try:
        head = _git(root, "rev-parse", "HEAD")
        changed = _git(
            root, "status", "--porcelain", "--untracked-files=no", "--", ":/libs", ":/services"
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return f"{head}-dirty" if changed else head


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=True, timeout=30
    )
    return done.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): _sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
