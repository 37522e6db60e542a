"""Which repositories may be asked, and how an address is connected to.

An address is `https://…`, `ssh://…`, or a path of this machine (`file`), as far as the
settings let it; other forms, and credentials in an address, are refused. A path has to
lie under a root, as a folder of documents has. The host of a URL is judged by the guard
of document fetching, and git is then told to connect to exactly the addresses that were
judged. A token belongs to the beginning of a URL and goes to no other repository, since
everybody who has a key may name any repository.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from proofwalk.inspection.roots import allowed_folder
from proofwalk.inspection.sources.errors import bad_address
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.collection import Source
from proofwalk.procedures.addresses import Location, parse
from proofwalk.procedures.guard import Address, Resolver, judged

_REF = re.compile(
    r"(?!/|-)(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|\Z)))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])"
)
_SSH = re.compile(
    r"ssh://(?:(?P<user>[\w.-]+)@)?(?P<host>[^/@:]+|\[[^\]/]+\])(?::(?P<port>\d{1,5}))?(?P<path>/.*)"
)
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SSH_PORT = 22


@dataclass(frozen=True, kw_only=True)
class GitAddress:
    """A repository that may be asked. `url` is what git is given."""

    protocol: str
    url: str
    location: Location | None = None
    """Host and port of a URL; None of a path."""
    folder: str = ""
    """Within the repository, without `/` at its ends."""
    ref: str = ""
    """A branch, a tag or a commit; empty is what the repository's `HEAD` names."""


def git_address(source: Source, *, protocols: Collection[str], roots: Sequence[Path]) -> GitAddress:
    """Raises `collection.bad_source`, `collection.outside_roots`."""
    folder = _folder(source.subfolder)
    ref = _checked_ref(source.branch)
    scheme = urlsplit(source.address).scheme.lower() if "://" in source.address else "file"
    if scheme not in protocols:
        raise bad_address(
            f"repositories over {scheme!r} are not read by this installation",
            hint=f"it reads: {', '.join(sorted(protocols)) or 'none'};"
            " PROOFWALK_INSPECTION__GIT__PROTOCOLS says so",
        )
    if scheme == "file":
        path = source.address.removeprefix("file://")
        place = allowed_folder(source.model_copy(update={"address": path}), roots)
        return GitAddress(protocol=scheme, url=f"file://{place}", folder=folder, ref=ref)
    location = _location(source.address, scheme)
    return GitAddress(
        protocol=scheme,
        url=source.address,
        location=location,
        folder=folder,
        ref=ref,
    )


async def pinned(
    address: GitAddress, allow_hosts: Collection[str], resolver: Resolver
) -> tuple[Address, ...]:
    """The addresses that git may connect to; none for a path. Raises `fetch.*`."""
    if address.location is None:
        return ()
    return await judged(address.location, allow_hosts, resolver)


def token_file(url: str, tokens: Mapping[str, Path]) -> Path | None:
    """The file of the token for a repository: that of the longest beginning of its URL,
    in whole parts of the path."""
    fitting = [
        prefix
        for prefix in tokens
        if url == prefix or url.startswith(prefix if prefix.endswith("/") else f"{prefix}/")
    ]
    return tokens[max(fitting, key=len)] if fitting else None


def _location(url: str, scheme: str) -> Location:
    hint = "give https://HOST/PATH or ssh://USER@HOST/PATH, without a password or a query"
    shown = url
    if scheme == "ssh":
        parts = _SSH.fullmatch(url)
        if parts is None:
            raise bad_address("the address is no repository's", hint=hint)
        shown = f"https://{parts['host']}:{parts['port'] or _SSH_PORT}{parts['path']}"
    try:
        location = parse(shown)
    except ProofwalkError as error:
        raise bad_address(error.message, hint=hint) from None
    if urlsplit(url).query or urlsplit(url).fragment:
        raise bad_address("the address has a query or a fragment", hint=hint)
    return location


def _folder(given: str) -> str:
    parts = [part for part in given.split("/") if part not in ("", ".")]
    if ".." in parts or any(ord(letter) < 32 for letter in given):
        raise bad_address(
            "the folder leads out of the repository", hint="give it from the repository's root"
        )
    return "/".join(parts)


def _checked_ref(ref: str) -> str:
    if ref and not _REF.fullmatch(ref):
        raise bad_address(
            f"{ref[:80]!r} is no name of a branch, a tag or a commit",
            hint="name it as `git branch -a` and `git tag` show it, without `origin/`",
        )
    return ref
