"""The checks of `proofwalk doctor`, in the order in which they are shown."""

from __future__ import annotations

from proofwalk.chassis.confinement import landlock_abi
from proofwalk.cli.doctor import Check, Probe, home, python, redis
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.platform.settings import Settings
from proofwalk.resource_provisioner.runner import find_terraform


def chromium(settings: Settings) -> Check:
    return Check(name="Chromium", ok=True, found=str(find_chromium(settings.sandbox_scheduler.chromium)))


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


PROBES: tuple[Probe, ...] = (python, home, redis, database, chromium, terraform, confinement)
