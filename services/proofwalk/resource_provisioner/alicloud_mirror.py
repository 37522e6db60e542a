"""A filesystem mirror from which Terraform installs the embedded provider, and the
configuration that names it.

`ensure_mirror(folder)` writes, below `folder`, the provider's start script under its
real address and version, and a `terraformrc` that knows no other source: an `init`
reaches no network, and a template that asks for any other provider fails. The script
starts this Python interpreter and this installation, so there is nothing to build;
writing is idempotent and atomic. For the real cloud leave `TF_CLI_CONFIG_FILE` unset,
and Terraform takes the registry's own provider for the same templates.
"""

from __future__ import annotations

import os
import platform
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from proofwalk.resource_provisioner.alicloud_provider import schema

SOURCE = "registry.terraform.io/aliyun/alicloud"
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """A mirror on this machine."""

    config: Path
    """For `TF_CLI_CONFIG_FILE`."""
    program: Path
    """The provider's start script."""
    version: str


def ensure_mirror(folder: Path) -> Mirror:
    """Write the mirror if it is not there as it should be."""
    folder = folder.absolute()
    version = schema.VERSION
    place = f"{platform.system().lower()}_{_MACHINES.get(platform.machine().lower(), platform.machine().lower())}"
    program = (
        folder / "providers" / SOURCE / version / place / f"terraform-provider-alicloud_v{version}"
    )
    config = folder / "terraformrc"
    _put(program, _script(), executable=True)
    providers = str(folder / "providers").replace("\\", "\\\\").replace('"', '\\"')
    text = (
        "disable_checkpoint = true\n"
        f'provider_installation {{\n  filesystem_mirror {{\n    path    = "{providers}"\n   '
        f' include = ["{SOURCE}"]\n  }}\n}}\n'
    )
    _put(config, text, executable=False)
    return Mirror(config=config, program=program, version=version)


def roots() -> list[Path]:
    """The folders in which our own packages are, for a provider that is started
    elsewhere."""
    import proofwalk.api
    import proofwalk.resource_provisioner

    packages = (proofwalk.resource_provisioner, proofwalk.api)
    return list(dict.fromkeys(Path(str(package.__file__)).parents[2] for package in packages))


def _script() -> str:
    # The roots of the namespace are told, because Terraform starts plugins with its own
    # environment and elsewhere.
    path = os.pathsep.join(map(str, roots()))
    return (
        "#!/bin/sh\n# Terraform starts this; see"
        f" proofwalk.resource_provisioner.alicloud_mirror.\nPYTHONPATH='{path}' PYTHONNOUSERSITE=1"
        f" exec '{sys.executable}' -P -m proofwalk.resource_provisioner.alicloud_provider \"$@\"\n"
    )


def _put(path: Path, text: str, *, executable: bool) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    if executable:
        partial.chmod(partial.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    partial.replace(path)
