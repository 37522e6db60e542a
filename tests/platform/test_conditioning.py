"""States that Terraform has no word for, brought about in the embedded cloud with real
Terraform and its API, over gRPC: made, proven, taken back, and what fails on the
way."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proofwalk.chassis.settings import ProcessSettings
from proofwalk.experiments.meta_proof import MetaProver
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds
from proofwalk.platform.laboratory import TARGET
from tests.resource_provisioner.test_role import Site
from tests.terraform.world import world as one_cloud

pytestmark = [pytest.mark.terraform, pytest.mark.timeout(300)]
RECORD = """
id: rds-restore
description: A MySQL instance that has a backup and may not be released
create: |
  resource "alicloud_vpc" "main" {
    vpc_name   = "${var.name_prefix}-vpc"
    cidr_block = "10.0.0.0/8"
  }
  resource "alicloud_vswitch" "main" {
    vswitch_name = "${var.name_prefix}-vsw"
    vpc_id       = alicloud_vpc.main.id
    cidr_block   = "10.0.1.0/24"
    zone_id      = "${var.region}-h"
  }
  resource "alicloud_db_instance" "db" {
    engine           = "MySQL"
    engine_version   = "8.0"
    instance_type    = "mysql.n2.medium.2c"
    instance_storage = 20
    vswitch_id       = alicloud_vswitch.main.id
    instance_name    = "${var.name_prefix}-db"
  }
  output "db" { value = alicloud_db_instance.db.id }
steps:
  - do: {api: rds, operation: CreateBackup, parameters: {DBInstanceId: "${output.db}"}}
    verify:
      api: rds
      operation: DescribeBackups
      parameters: {DBInstanceId: "${output.db}", BackupId: "${output.backup}"}
      has: {Items.Backup.0.BackupStatus: Success}
    within_s: 60
    undo:
      api: rds
      operation: DeleteBackup
      parameters: {DBInstanceId: "${output.db}", BackupId: "${output.backup}"}
    outputs: {backup: BackupJobId}
  - do:
      api: rds
      operation: ModifyDBInstanceDeletionProtection
      parameters: {DBInstanceId: "${output.db}", DeletionProtection: true}
    undo:
      api: rds
      operation: ModifyDBInstanceDeletionProtection
      parameters: {DBInstanceId: "${output.db}", DeletionProtection: false}
verify:
  - {product: rds, type: instance, id: "${output.db}", state: Running}
binds: {the backup: "${output.backup}"}
"""


@pytest.fixture
async def site(process_settings: ProcessSettings, tmp_path: Path) -> AsyncIterator[Site]:
    async with one_cloud(tmp_path) as cloud:
        made = Site(process_settings, cloud, tmp_path)
        async with made.process:
            yield made


@pytest.fixture
def prover(site: Site) -> MetaProver:
    return MetaProver(site.process, target=TARGET, ids=RandomIds(SystemClock()))


async def test_a_backup_is_made_waited_for_proven_and_taken_back(
    site: Site, prover: MetaProver
) -> None:
    proof = await prover.prove(RECORD)
    assert proof.error is None
    assert "rds/instance" in proof.resources
    assert proof.outputs.keys() == {"db", "backup"}
    assert list(await site.cloud.inventory()) == []


async def test_what_the_api_refuses_leaves_nothing(site: Site, prover: MetaProver) -> None:
    wrong = RECORD.replace('{DBInstanceId: "${output.db}", DeletionProtection: true}', "{}")
    proof = await prover.prove(wrong)
    assert proof.error is not None
    assert proof.error.code == "provision.step_failed"
    assert "steps.1: rds ModifyDBInstanceDeletionProtection: HTTP 400" in proof.error.message
    assert list(await site.cloud.inventory()) == []


async def test_what_cannot_be_had_makes_nothing(site: Site, prover: MetaProver) -> None:
    proof = await prover.prove("id: gone\ndescription: One\nunattainable: it has expired\n")
    assert proof.error is not None
    assert proof.error.code == "provision.cannot_be_had"
    assert list(await site.cloud.inventory()) == []
