"""Sections of the settings that every process has: log, calls between roles and their
certificate, object storage (`chassis.settings` puts them together)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

TRUST_DOMAIN = "proofwalk.internal"


class SettingsSection(BaseModel):
    """Base of a role's settings: frozen, no unknown fields, the docstring under a field
    is its description."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", use_attribute_docstrings=True, validate_default=True
    )


class LogSettings(SettingsSection):
    """How a process writes its log."""

    format: Literal["console", "json"] = "console"
    """`json` writes one object a line, for machines; `console` is for people."""
    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe level that is written."""


class TlsSettings(SettingsSection):
    """The certificate by which this process's roles serve and call others over TCP;
    without one they do so in plain text, and callers are not asked who they are."""

    cert_file: Path | None = None
    """PEM file of the certificate, followed by those between it and the authority. It
    has one URI, `spiffe://TRUST-DOMAIN/role/ROLE`, and the DNS name
    `ROLE.TRUST-DOMAIN`. Read again when it changes."""
    key_file: Path | None = None
    """PEM file of the certificate's key, without a password."""
    ca_file: Path | None = None
    """PEM file of the authorities that sign the roles' certificates."""
    trust_domain: str = Field(default=TRUST_DOMAIN, pattern=r"[a-z0-9][a-z0-9.-]{0,99}")
    """The name that all roles of this installation share in their certificates."""

    @model_validator(mode="after")
    def _complete(self) -> TlsSettings:
        fields = ("cert_file", "key_file", "ca_file")
        missing = [name.upper() for name in fields if getattr(self, name) is None]
        # A trust domain alone is of somebody who believes that TLS is on.
        begun = len(missing) < len(fields) or self.trust_domain != TRUST_DOMAIN
        if missing and begun:
            raise ValueError(f"{', '.join(missing)} missing: name all three files, or none")
        return self

    @property
    def given(self) -> bool:
        """Whether there is a certificate."""
        return self.cert_file is not None

    def files(self) -> tuple[Path, Path, Path]:
        """Certificate, key and authorities. Raises ValueError where none are given."""
        if self.cert_file is None or self.key_file is None or self.ca_file is None:
            raise ValueError("no certificate is set")
        return self.cert_file, self.key_file, self.ca_file


class RpcSettings(SettingsSection):
    """How roles talk to each other."""

    tls: TlsSettings = TlsSettings()
    """The process's certificate."""
    reflection: bool = False
    """Whether servers tell their contract to tools (gRPC reflection)."""


class ObjectStorageSettings(SettingsSection):
    """How a service of objects (S3 and what speaks like it) is reached."""

    endpoint: str = Field(default="", pattern=r"^(https?://[^/@?#]+/?)?$")
    """URL of a service that is not AWS' own:
    `https://oss-cn-hangzhou.aliyuncs.com`."""
    region: str = ""
    """Region of the bucket."""
    bucket_in_host: bool = False
    """The bucket is a part of the host's name, as Alibaba Cloud's OSS wants it."""
    access_key: SecretStr = SecretStr("")
    """Id of an access key; empty: credentials as AWS' libraries find them (`AWS_…`,
    web identity, metadata)."""
    secret_key: SecretStr = SecretStr("")
    """The access key's secret."""


BUCKET = r"^(s3://[a-z0-9][a-z0-9.-]{1,62}(/[^@?#]*)?)?$"
"""A bucket's address, or none."""


class BlobStoreSettings(ObjectStorageSettings):
    """`PROOFWALK_BLOB_STORE__…`: the bucket of documents, pictures and trajectories."""

    address: str = Field(default="", pattern=BUCKET)
    """`s3://bucket/prefix`; empty keeps them in a folder. Several pods of rollout need
    a bucket or a volume that many can mount."""

    @model_validator(mode="after")
    def _complete(self) -> BlobStoreSettings:
        if bool(self.access_key.get_secret_value()) != bool(self.secret_key.get_secret_value()):
            raise ValueError("an access key and its secret come together, or neither does")
        if self.bucket_in_host and not self.endpoint:
            raise ValueError("BUCKET_IN_HOST needs the ENDPOINT whose host gets the bucket")
        begun = self.endpoint or self.region or self.access_key.get_secret_value()
        if begun and not self.address:
            raise ValueError("ADDRESS missing: s3://bucket/prefix")
        return self
