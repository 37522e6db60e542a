"""The checks of `proofwalk doctor`, in the order in which they are shown."""

from __future__ import annotations

import subprocess

from proofwalk.chassis.confinement import landlock_abi
from proofwalk.cli.doctor import Check, Probe, home, python, redis
from proofwalk.console.chromium import find_chromium
from proofwalk.platform.settings import Settings
from proofwalk.resource_provisioner.runner import find_terraform

_DRIVER_S = 30.0


def chromium(settings: Settings) -> Check:
    return Check(name="Chromium", ok=True, found=str(find_chromium(settings.sandbox_scheduler.chromium)))


def driver(_: Settings) -> Check:
    """Whether Playwright's driver starts. It is a program in a wheel, and needs a library of the system that not every machine has."""
    try:
        from playwright._impl._driver import compute_driver_executable

        node, _script = compute_driver_executable()
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False, timeout=_DRIVER_S)
        found, ok = (done.stdout or done.stderr).strip()[-200:], done.returncode == 0
    except (ImportError, OSError, subprocess.TimeoutExpired) as error:
        found, ok = f"it does not start: {error}", False
    return Check(
        name="Playwright's driver",
        ok=ok,
        found=found,
        hint="if a library is missing: apt-get install libatomic1, as root; else install the package playwright again",
    )


def terraform(settings: Settings) -> Check:
    return Check(name="Terraform", ok=True, found=" ".join(find_terraform(settings.resource_provisioner.terraform)))


def confinement(settings: Settings) -> Check:
    abi = landlock_abi()
    return Check(
        name="confinement of Terraform",
        ok=abi > 0 or settings.resource_provisioner.confinement == "where_available",
        found=f"Landlock ABI {abi}, limits, no capabilities"
        if abi
        else "limits and no capabilities; this kernel has no Landlock",
        hint="use a kernel with Landlock (5.13 or later, with CONFIG_SECURITY_LANDLOCK)",
    )


def database(settings: Settings) -> Check:
    given = bool(settings.database_url.get_secret_value())
    return Check(name="database", ok=True, found="PostgreSQL by PROOFWALK_DATABASE_URL" if given else "embedded SQLite")


PROBES: tuple[Probe, ...] = (python, home, redis, database, chromium, driver, terraform, confinement)
