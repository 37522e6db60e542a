"""The Docker engine that DOCKER_HOST names, through the docker program: DOCKER's, or
the one on PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


class EngineMissing(RuntimeError):
    """There is no engine to work with; the text says what to do."""


class EngineFailed(RuntimeError):
    """The engine refused, or a program in it failed; the text is what was said."""


@dataclass(frozen=True, kw_only=True)
class Engine:
    """A docker program whose engine answers."""

    program: str
    version: str
    """Of the engine."""

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        quiet: bool = True,
    ) -> str:
        """Standard output of a docker command. Without `quiet`, what it says on
        standard error is shown while it runs. Raises `EngineFailed`."""
        done = subprocess.run(
            [self.program, *arguments],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if quiet else None,
            text=True,
            check=False,
        )
        if done.returncode:
            raise EngineFailed(
                f"docker {' '.join(arguments[:3])} … ended with {done.returncode}:"
                f" {(done.stderr or '').strip()}"
            )
        return done.stdout.strip()


def find_engine() -> Engine:
    """The engine, after a look at whether it answers. Raises `EngineMissing`."""
    named = os.environ.get("DOCKER") or "docker"
    program = shutil.which(named)
    if program is None:
        raise EngineMissing(
            f"there is no program {named}: install Docker, or set DOCKER to its command line's"
            " program"
        )
    done = subprocess.run(
        [program, "version", "--format", "{{.Server.Version}}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        where = os.environ.get("DOCKER_HOST") or "its usual socket"
        said = next(iter(done.stderr.strip().splitlines()), "it said nothing")
        raise EngineMissing(
            f"no Docker engine answers at {where} ({said}): start one, or set DOCKER_HOST to one"
            " that runs"
        )
    return Engine(program=program, version=done.stdout.strip())
