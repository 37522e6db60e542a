"""Where copies of checkpoints lie, and how it is reached (`published` does). Without a
client, so that settings can name it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from proofwalk.kernel.errors import invalid

ADDRESS = r"s3://[^/@:?#]+(/[^@?#]*)?|file:///[^?#]*"
"""What an address looks like: no user, no secret, no query."""
_ADDRESS = re.compile(ADDRESS)


@dataclass(frozen=True, kw_only=True)
class Storage:
    """Where copies lie, and how it is reached."""

    address: str
    """`s3://bucket/prefix` or `file:///folder`."""
    endpoint: str = ""
    """URL of the service; empty is AWS' own."""
    region: str = ""
    bucket_in_host: bool = False
    """Whether the service wants `https://bucket.host/` rather than `https://host/bucket`."""
    access_key: str = ""
    secret_key: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if not _ADDRESS.fullmatch(self.address):
            raise invalid(
                "rl.bad_storage",
                "the address of published checkpoints is of no known form",
                hint="s3://bucket/prefix or file:///folder, without a user or a query",
            )
