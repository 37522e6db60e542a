"""The folder of one provisioning: what Terraform reads there, and its state.

`main.tf.json` is written from the judged tree (`terraform_json`), with the run's tag in
every resource that may have tags and sets none itself; the template's own text is in no
file. `runner.tf.json` declares the provider and the two variables `name_prefix` and
`region`; it works with the cloud's own provider as well. The folder is made again, file
by file, at every attempt, and holds no other configuration; the state is never touched.
To destroy, only the provider is declared: what there is to destroy stands in the state.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from proofwalk.cloud.ports import Provisioning
from proofwalk.cloud.sweeping import RUN_TAG
from proofwalk.hcl.tree import Text
from proofwalk.resource_provisioner import terraform_json
from proofwalk.resource_provisioner.key_attributes import variables_of
from proofwalk.resource_provisioner.meta import Meta
from proofwalk.resource_provisioner.runner import RUNNER
from proofwalk.resource_provisioner.terraform_json import Written

MAIN = "main.tf.json"
_READ_BY_TERRAFORM = (
    "*.tf",
    "*.tf.json",
    "*.tofu",
    "*.tofu.json",
    "*.tfvars",
    "*.tfvars.json",
    "*.tfquery.hcl",
    "*.tfquery.json",
)


class Named(Protocol):
    """What a template's resources are called, and where they are made: a
    provisioning's row, or a plan's."""

    @property
    def id(self) -> str: ...

    @property
    def region(self) -> str: ...

    @property
    def name_prefix(self) -> str: ...


async def prepare(folder: Path, row: Named, meta: Meta, provisioning: Provisioning) -> Written:
    """Write the configuration that makes what the record says; returns it with its
    lines' origins."""
    written = terraform_json.written(
        meta.template, tags={RUN_TAG: row.id}, variables=variables_of(meta.resources)
    )
    await asyncio.to_thread(
        _write,
        folder,
        {MAIN: written.text, RUNNER: json.dumps(_runner(row, provisioning), indent=2)},
    )
    return written


async def prepare_destruction(folder: Path, row: Named, provisioning: Provisioning) -> None:
    """Write the configuration with which all that the state holds is destroyed."""
    await asyncio.to_thread(
        _write, folder, {RUNNER: json.dumps(_runner(row, provisioning), indent=2)}
    )


def _runner(row: Named, provisioning: Provisioning) -> Mapping[str, object]:
    name = provisioning.provider_source.rpartition("/")[2]
    return {
        "terraform": {
            "required_providers": {
                name: {
                    "source": provisioning.provider_source,
                    "version": provisioning.provider_version,
                }
            }
        },
        # A string here is a template to Terraform, and the region is the caller's.
        "provider": {name: {"region": terraform_json.expression_value(Text((row.region,)))}},
        "variable": {
            "name_prefix": {"type": "string", "default": row.name_prefix},
            "region": {"type": "string", "default": row.region},
        },
    }


def _write(folder: Path, files: Mapping[str, str]) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for pattern in _READ_BY_TERRAFORM:
        for path in folder.glob(pattern):
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


async def remove(folder: Path) -> None:
    """Drop the folder of a provisioning that left nothing."""
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
