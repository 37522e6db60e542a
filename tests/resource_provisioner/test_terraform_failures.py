"""What a failed run of Terraform means: the template, the account, or what passes."""

from __future__ import annotations

from typing import Any

import pytest

from proofwalk.kernel.staleness import blames_the_record
from proofwalk.resource_provisioner.runner import Diagnostic, PlanRefused, TerraformFailed
from proofwalk.resource_provisioner.terraform_failures import error_of
from proofwalk.resource_provisioner.terraform_json import Written


def _failed(*summaries: str, **members: Any) -> TerraformFailed:
    place = {"address": "alicloud_instance.web", "line": 9, "file": "main.tf.json", **members}
    return TerraformFailed("apply", [Diagnostic(summary=one, **place) for one in summaries])


@pytest.mark.parametrize(
    ("failed", "code"),
    [
        (_failed("RunInstances failed: InvalidInstanceType.ValueNotSupported"), "create_failed"),
        (_failed("RunInstances failed: OperationDenied.NoStock"), "no_stock"),
        (_failed("CreateVpc failed: QuotaExceeded.Vpc"), "quota"),
        (_failed("RunInstances failed: Throttling.User"), "interrupted"),
        (_failed("RunInstances failed: ServiceUnavailable"), "interrupted"),
        (_failed("RunInstances failed: InternalError"), "interrupted"),
        (_failed("Wait failed: Timeout"), "interrupted"),
        (_failed("RunInstances failed: NoAnswer"), "interrupted"),
        (_failed("RunInstances failed: Forbidden.RAM"), "interrupted"),
        (_failed("Plugin did not respond"), "interrupted"),
        (_failed("the key is wrong", address="", file="runner.tf.json"), "interrupted"),
        (_failed("exit status -9", address="", line=0, file=""), "interrupted"),
        (_failed("Throttling.User", "CreateVpc failed: InvalidCidrBlock"), "create_failed"),
        (_failed("Invalid index", address=""), "create_failed"),
        (PlanRefused("the plan would delete a.b"), "create_failed"),
    ],
)
def test_a_failure_blames_the_template_alone_where_that_would_fail_again(
    failed: TerraformFailed, code: str
) -> None:
    error = error_of(failed, Written(text="{}", lines=()))
    assert error.code == f"provision.{code}"
    assert blames_the_record(error) is (code in ("create_failed", "no_stock"))
