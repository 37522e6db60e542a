"""What a run of Terraform that failed means: whether the record is to blame, the
account, or what passes. Pure."""

from __future__ import annotations

from proofwalk.kernel.errors import ProofwalkError, Status, conflict, exhausted
from proofwalk.kernel.outcomes import EnvCause
from proofwalk.resource_provisioner import workspace
from proofwalk.resource_provisioner.runner import TerraformFailed
from proofwalk.resource_provisioner.terraform_json import Written


def error_of(failed: TerraformFailed, written: Written) -> ProofwalkError:
    """The error with the lines of the template: `provision.quota`,
    `provision.no_stock`, `provision.create_failed`; `provision.interrupted` where
    nothing says that the template would fail again."""
    located = failed.located(workspace.MAIN, written.line_of)
    if failed.is_quota:
        return exhausted(
            "provision.quota",
            f"the cloud refused: {located}",
            hint="free some quota, or use another account",
            cause=EnvCause.QUOTA,
        )
    if failed.is_no_stock:
        return exhausted(
            "provision.no_stock",
            f"the cloud has none of it now: {located}",
            hint="name another zone or specification in the META record's create",
            cause=EnvCause.QUOTA,
        )
    if failed.blames_the_template:
        return conflict(
            "provision.create_failed",
            f"terraform could not create the resources: {located}",
            hint="mend the META record's create",
        )
    return ProofwalkError(
        "provision.interrupted",
        f"terraform did not come to an end, for no fault of the template: {located}",
        status=Status.UNAVAILABLE,
        hint="try again; where it stays so, see what the cloud or Terraform says",
        cause=EnvCause.PROVISION,
    )
