"""Settings of the sign-in by an identity provider."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator

from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.gateway.roles import KeyRole

_REQUIRED = ("issuer", "client_id", "client_secret")
_VISIBLE = re.compile(r"[!-~]+")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_DECIDING = {
    "issuer",
    "client_id",
    "subject_claim",
    "groups_claim",
    "roles",
    "default_role",
    "tenants",
    "subjects",
}
"""Of the fields, those that say who somebody is."""


class OidcSettings(SettingsSection):
    """An OpenID Connect provider by which people sign in to the console."""

    issuer: str = Field(default="", max_length=500)
    """The provider's issuer, as its tokens name it (`https://login.example.com/realm`).
    Empty: nobody signs in by a provider."""
    client_id: str = Field(default="", max_length=500)
    """Under what the provider knows this gateway."""
    client_secret: SecretStr = SecretStr("")
    """The client's secret (`…__CLIENT_SECRET_FILE` names a file)."""
    scopes: list[str] = Field(default=["openid", "profile", "email"], max_length=20)
    """What is asked for; `openid` is among them. Some providers tell groups for a scope
    of its own."""
    audiences: list[str] = Field(default_factory=list, max_length=20)
    """What a token may be made for besides `client_id`, which it always has to name."""
    subject_claim: str = Field(default="sub", min_length=1, max_length=200)
    """The claim that names a person. Providers promise for `sub` alone that it never
    becomes somebody else's. `email` counts only where the token says
    `email_verified`."""
    groups_claim: str = Field(default="groups", min_length=1, max_length=200)
    """The claim of the ID token with a person's groups, a text or a list of texts; a
    claim within others is named with dots (`realm_access.roles`). `email` makes each
    verified address a group of its own."""
    roles: dict[str, KeyRole] = Field(default_factory=dict)
    """Role of each group (`viewer`, `member`, `reviewer`, `operator`), as JSON
    (`{"docs-team": "reviewer"}`). Of several groups the role that may most counts.
    Nobody is an operator but by an entry here."""
    default_role: Literal["viewer", "member", "reviewer", "refused"] = "viewer"
    """Role of whoever is in no group of `roles`; `refused` lets nobody else in."""
    tenants: dict[str, str] = Field(default_factory=dict)
    """Name of the API key whose verifications a group sees and adds to, as JSON
    (`{"docs-team": "docs"}`). Whoever is in no such group has verifications of its own,
    as `oidc:` and the subject."""
    subjects: dict[str, str] = Field(default_factory=dict)
    """The same by subject, as JSON; it goes before `tenants`."""
    button: str = Field(default="", max_length=60)
    """What the sign-in page calls the provider; empty is the issuer's host."""
    ca_file: Path | None = None
    """PEM file of the authorities that the provider's certificate is held against,
    instead of the system's."""
    clock_skew_s: float = Field(default=60.0, ge=0, le=300)
    """Seconds by which the provider's clock may differ from this machine's."""
    deadline_s: float = Field(default=10.0, ge=0.1, le=60)
    """Seconds that one request to the provider may take."""

    @model_validator(mode="after")
    def _complete(self) -> OidcSettings:
        missing = [name.upper() for name in _REQUIRED if not self._has(name)]
        # Anything set at all is of somebody who believes that the provider is asked.
        if missing and self.model_fields_set:
            raise ValueError(f"{', '.join(missing)} missing: set {', '.join(_REQUIRED).upper()}")
        if self.enabled and not is_safe_url(self.issuer):
            raise ValueError("ISSUER has to be an https URL without query or user")
        if "openid" not in self.scopes:
            raise ValueError("SCOPES has to have `openid`")
        if self.enabled and self.default_role == "refused" and not self.roles:
            raise ValueError("DEFAULT_ROLE is `refused` and ROLES is empty: nobody could sign in")
        return self

    def _has(self, name: str) -> bool:
        value = getattr(self, name)
        return bool(value.get_secret_value() if isinstance(value, SecretStr) else value)

    @property
    def enabled(self) -> bool:
        """Whether people sign in by a provider."""
        return bool(self.issuer)

    @property
    def shown_as(self) -> str:
        """What the sign-in page calls the provider."""
        return self.button or urlsplit(self.issuer).netloc

    def ground(self) -> bytes:
        """A digest of what says who is who: a session stands as long as it does."""
        return hashlib.sha256(self.model_dump_json(include=_DECIDING).encode()).digest()


def is_safe_url(url: str, *, query: bool = False) -> bool:
    """Whether a provider's URL is https, or on this machine's loopback; it has no user
    and no fragment, and a query only where one is allowed."""
    if not _VISIBLE.fullmatch(url):
        return False  # urlsplit would leave line breaks out
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return False
    is_plain = parts.username is None and not parts.fragment and (query or not parts.query)
    return bool(host) and is_plain and (parts.scheme == "https" or is_loopback(url))


def is_loopback(url: str) -> bool:
    """Whether a URL is http or https to this machine itself."""
    parts = urlsplit(url)
    return parts.scheme in ("http", "https") and parts.hostname in _LOOPBACK
