"""Settings of the gateway role."""

from __future__ import annotations

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator

from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.gateway.keys import LOCAL
from proofwalk.gateway.limits import LimitSettings
from proofwalk.gateway.oidc.settings import OidcSettings, is_safe_url
from proofwalk.gateway.web.page_parts import WAIT_S

KEY_LENGTH = 24
"""Characters of an API key at least."""
KEY_CHARACTERS = 10
"""Different characters of an API key at least."""


class ConsoleSettings(SettingsSection):
    """The web console under /console."""

    public_url: str = ""
    """Where browsers find the gateway (`https://proofwalk.example.com`), which is then
    the only origin that forms are taken from; behind a proxy that ends TLS this makes
    cookies secure. Empty: whatever host a request names."""
    session_life_s: float = Field(default=43_200.0, ge=60, le=30 * 86400)
    """Seconds after which whoever signed in signs in again."""
    session_idle_s: float = Field(default=3600.0, ge=60, le=30 * 86400)
    """Seconds without a request after which a session ends."""
    patience_s: float = Field(default=WAIT_S, ge=0.1, le=30)
    """Seconds that a page waits for a role that it asks besides rollout; then it says
    that the role cannot be asked."""
    api_key_sign_in: bool = True
    """Whether one may sign in with an API key too. Off: by the provider alone."""
    oidc: OidcSettings = OidcSettings()
    """The identity provider by which people sign in."""

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.oidc.enabled and not is_safe_url(self.public_url):
            raise ValueError(
                "OIDC needs PUBLIC_URL, an https URL: the provider sends browsers back there"
            )
        if not (self.api_key_sign_in or self.oidc.enabled):
            raise ValueError("API_KEY_SIGN_IN is off and OIDC is not set: nobody could sign in")
        return self

    @property
    def origin(self) -> str:
        """`public_url` without a path, as browsers name it; empty where it is."""
        parts = urlsplit(self.public_url)
        return f"{parts.scheme}://{parts.netloc}" if self.public_url else ""


class GatewaySettings(SettingsSection):
    """`PROOFWALK_GATEWAY__…`."""

    address: str = "127.0.0.1:8480"
    """`host:port` of the REST API; port 0 takes any free one. The address in use is
    written to `home`/run/gateway.url."""
    api_keys: dict[str, SecretStr] = Field(default_factory=dict)
    """Keys by name (`PROOFWALK_GATEWAY__API_KEYS__CI_FILE=…`), drawn at random: at
    least 24 characters, 10 of them different. Besides these, a key for this machine is
    kept in `home`/gateway.key."""
    operators: list[str] = Field(default_factory=list)
    """Names of keys that see, report and cancel everybody's verifications (`["ops"]`).
    The key for this machine is one of them."""
    reviewers: list[str] = Field(default_factory=list)
    """Names of keys that may decide on findings, besides what a key without a role may
    do: submit and cancel its own verifications."""
    viewers: list[str] = Field(default_factory=list)
    """Names of keys that may look at what is their own and change nothing."""
    max_body_bytes: int = Field(default=8_000_000, ge=10_000, le=100_000_000)
    """Largest request body in bytes."""
    body_s: float = Field(default=60.0, ge=1, le=3600)
    """Seconds that a client may take to send a request's body."""
    idempotency_lock_s: float = Field(default=90.0, ge=1, le=3600)
    """Seconds after which a request that never ended may be taken up again under its
    key."""
    idempotency_keep_s: float = Field(default=7 * 86400.0, ge=86400)
    """Seconds that an idempotency key is remembered."""
    stream_life_s: float = Field(default=600.0, ge=5, le=3600)
    """Seconds after which an event stream ends with `reconnect`; the client resumes
    from its last event."""
    limits: LimitSettings = LimitSettings()
    """What each key may ask for."""
    console: ConsoleSettings = ConsoleSettings()
    """The web console."""

    @field_validator("api_keys")
    @classmethod
    def _keys_cannot_be_guessed(cls, keys: dict[str, SecretStr]) -> dict[str, SecretStr]:
        for name, secret in keys.items():
            key = secret.get_secret_value()
            if key and (len(key) < KEY_LENGTH or len(set(key)) < KEY_CHARACTERS):
                raise ValueError(
                    f"the key {name[:64]!r} can be guessed: it takes {KEY_LENGTH} characters or"
                    f" more, {KEY_CHARACTERS} of them different; draw one with: openssl rand -hex 32"
                )
        return keys

    @model_validator(mode="after")
    def _tenants_are_keys(self) -> Self:
        oidc = self.console.oidc
        named = {*oidc.tenants.values(), *oidc.subjects.values()}
        if unknown := sorted(named - self.api_keys.keys() - {LOCAL}):
            raise ValueError(
                f"CONSOLE__OIDC: TENANTS and SUBJECTS name {unknown[0]!r}, which is no API key;"
                f" known: {', '.join(sorted({*self.api_keys, LOCAL}))}"
            )
        return self
