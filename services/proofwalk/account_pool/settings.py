"""What can be set about the account pool."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, SecretStr

from proofwalk.chassis.settings_sections import SettingsSection


class AccountPoolSettings(SettingsSection):
    """`PROOFWALK_ACCOUNT_POOL__…`."""

    targets: Path | None = None
    """Folder of further target files (`*.yaml`)."""
    max_ttl_s: float = Field(default=3600.0, gt=0, le=86400)
    """The longest time to live that a lease may ask for, in seconds; holders renew."""
    proof_deadline_s: float = Field(default=45.0, gt=0, le=100)
    """Seconds that deletions under way are waited for at a release before the account
    is quarantined."""
    proof_poll_s: float = Field(default=1.0, gt=0, le=30)
    """Seconds between two looks at an inventory."""
    reap_s: float = Field(default=2.0, gt=0, le=60)
    """Seconds between two looks for leases whose time has passed."""
    sync_s: float = Field(default=60.0, gt=0)
    """Seconds between two reads of each target's accounts."""
    sweep_s: float = Field(default=5.0, gt=0)
    """Seconds between two looks for quarantined accounts whose next sweep is due."""
    sweep_deadline_s: float = Field(default=90.0, gt=0, le=600)
    """Seconds that one sweep of one account may take."""
    sweep_concurrency: int = Field(default=4, ge=1, le=64)
    """Accounts swept side by side."""
    max_wait_s: float = Field(default=7200.0, gt=0, le=86400)
    """The longest that a caller may wait for an account, in seconds."""
    ticket_s: float = Field(default=10.0, gt=0, le=600)
    """Seconds that a waiting caller keeps its place without asking again; callers ask
    every few seconds."""
    queue_places: int = Field(default=1000, ge=1, le=100_000)
    """Most callers that wait for a target and role at a time."""
    billing_s: float = Field(default=30.0, gt=0)
    """Seconds between two looks at the bills of leased and the balances of free
    accounts, where the target's cloud tells them."""
    max_lease_cost: float | None = Field(default=None, gt=0)
    """What a lease may cost in the account's currency before the pool ends it; a
    request may ask for less. None is without a bound."""
    min_balance: float = Field(default=0.0, ge=0)
    """What an account must have left, in its currency, to be lent. 0 keeps out only one
    that owes."""
    rotate_after_lease: bool = True
    """Whether credentials are replaced after each lease, where the cloud can; otherwise
    only when an account is restored."""
    rotate_free_after_s: float = Field(default=0.0, ge=0)
    """Age of credentials in seconds at which those of a free account are replaced, one
    account of a target at a time, where the cloud can. 0 replaces none by age."""
    rotate_look_s: float = Field(default=60.0, gt=0)
    """Seconds between two looks for such an account."""
    encryption_key: SecretStr = SecretStr("")
    """Fernet key of credentials at rest; empty makes one in the role's folder, readable
    by its owner alone. To replace it, write the new one before it, with white space
    between."""
