"""What can be set about the embedded cloud. Values that may change while it runs (lag,
speed, revision) start from here."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class DevcloudSettings(BaseModel):
    """Settings of the devcloud role."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    host: str = "127.0.0.1"
    """Address to listen on. Default 127.0.0.1: the cloud is for this machine only."""

    port: int = Field(default=0, ge=0, le=65535)
    """TCP port of the one HTTP listener. Default 0: any free port, told by
    `RunningDevcloud.url`."""

    admin_token: SecretStr = SecretStr("")
    """Bearer token of `/admin/*`. Default empty: one is made at first start and kept in
    the state folder."""

    audit_lag_s: float = Field(default=2.0, ge=0)
    """Seconds between a call and its event becoming visible to LookupEvents. Default
    2."""

    speed: float = Field(default=1.0, gt=0)
    """How many times faster than declared resources move through their states. Default
    1, a factor."""

    seed: int | None = None
    """Seed of the accounts made at first start. Default none: identifiers and secrets
    are random."""

    accounts: int = Field(default=0, ge=0, le=1000)
    """Accounts to have after start, created if fewer exist. Default 0."""

    session_ttl_s: float = Field(default=12 * 3600.0, gt=0)
    """Seconds that a console session lives after sign-in. Default 12 hours."""

    clock_skew_s: float = Field(default=900.0, gt=0)
    """Seconds that a signed request's timestamp may be away from this machine's clock.
    Default 900, as in the real service."""
