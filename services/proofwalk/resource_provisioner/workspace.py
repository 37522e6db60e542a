"""The folder of one provisioning: the template, what the runner adds to it, and Terraform's state.

What is added works with the cloud's own provider as well: `runner.tf.json` declares the provider and the two variables
`name_prefix` and `region`; `tags_override.tf.json` is an override file, by which Terraform merges the run's tag into every resource that has tags
and sets none itself. The folder is made again, file by file, at every attempt; the state is never touched.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

from proofwalk.cloud.ports import Provisioning
from proofwalk.resource_provisioner import guard
from proofwalk.resource_provisioner.domain import RUN_TAG
from proofwalk.resource_provisioner.meta import Meta
from proofwalk.resource_provisioner.repository import ProvisioningRow


async def prepare(folder: Path, row: ProvisioningRow, meta: Meta, provisioning: Provisioning) -> None:
    """Write the configuration."""
    await asyncio.to_thread(_write, folder, row, meta, provisioning)


def _write(folder: Path, row: ProvisioningRow, meta: Meta, provisioning: Provisioning) -> None:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = provisioning.provider_source.rpartition("/")[2]
    runner = {
        "terraform": {
            "required_providers": {name: {"source": provisioning.provider_source, "version": provisioning.provider_version}}
        },
        "provider": {name: {"region": row.region}},
        "variable": {
            "name_prefix": {"type": "string", "default": row.name_prefix},
            "region": {"type": "string", "default": row.region},
        },
    }
    (folder / "main.tf").write_text(meta.create, encoding="utf-8")
    (folder / "runner.tf.json").write_text(json.dumps(runner, indent=2), encoding="utf-8")
    overrides = tag_overrides(meta.create, row.id)
    if overrides:
        (folder / "tags_override.tf.json").write_text(json.dumps({"resource": overrides}, indent=2), encoding="utf-8")


def tag_overrides(create: str, provisioning_id: str) -> dict[str, dict[str, object]]:
    """For each taggable resource without tags of its own: the run's tag."""
    overrides: dict[str, dict[str, object]] = {}
    for declared in guard.inspect(create).resources:
        if declared.taggable and not declared.tags:
            overrides.setdefault(declared.type, {})[declared.name] = {"tags": {RUN_TAG: provisioning_id}}
    return overrides


async def remove(folder: Path) -> None:
    """Drop the folder of a provisioning that left nothing."""
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
