"""What a repository holds at a ref, as a folder of this machine.

A ref is resolved at the repository, and its commit fetched without its history, unless
it is here already. The files that documentation is read from are then written below a
folder that is named by the digest of their list, so what does not change is neither
fetched nor written again. Each file is known by its path and its blob's digest. Links,
submodules and files that no page is made of stay out.

Repositories and folders are a cache: whoever loses them fetches again. One repository
is fetched by one reader at a time; folders appear whole or not at all.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp

from proofwalk.inspection.sources.errors import (
    FOLDER_NOT_FOUND,
    REF_NOT_FOUND,
    TOO_LARGE,
    UNREACHABLE,
    from_fetch,
    unreadable,
)
from proofwalk.inspection.sources.git_address import (
    COMMIT,
    GitAddress,
    git_address,
    pinned,
    token_file,
)
from proofwalk.inspection.sources.git_program import Access, GitMeans, GitProgram, check_version
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.collection import Source
from proofwalk.procedures.guard import Resolver, system_resolver
from proofwalk.procedures.loading import MAX_BYTES
from proofwalk.procedures.tree.tree import MAX_FILES, MAX_TREE_BYTES, READ_SUFFIXES

_LARGER = 64 * 1024 * 1024
"""Most bytes of a file of JSON: a map of the console is one."""
_KEPT_TREES = 8
"""Folders of a repository that stay beside the newest: other collections read other
folders of it, or other refs."""
_LONGEST_PATH = 1000
_DEEPEST = 40
_REGULAR = (b"100644", b"100755")


@dataclass(frozen=True, kw_only=True)
class GitSettings:
    """What repositories may be read, and with which means."""

    protocols: frozenset[str]
    roots: Sequence[Path]
    tokens: Mapping[str, Path]
    """Files of tokens, by the beginning of the URLs that they are for."""
    allow_hosts: frozenset[str]
    means: GitMeans


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """The files of a commit."""

    folder: Path
    commit: str
    within: str
    """The folder of the repository that `folder` is."""
    blobs: Mapping[str, str]
    """Git's digests by path below `folder`."""


@dataclass(frozen=True, kw_only=True)
class _Entry:
    path: str
    blob: str
    size: int


class Repositories:
    """Copies of repositories below a folder of the role's own."""

    def __init__(
        self, folder: Path, settings: GitSettings, *, resolver: Resolver = system_resolver
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._resolver = resolver
        self._is_checked = False
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def check(self, source: Source) -> GitAddress:
        """The address of a source. Raises `collection.bad_source`,
        `collection.outside_roots`."""
        settings = self._settings
        return git_address(source, protocols=settings.protocols, roots=settings.roots)

    async def checkout(self, source: Source) -> Checkout:
        """The files that a source names now. Raises `source.*`, and as `check`."""
        address = await asyncio.to_thread(self.check, source)
        name = hashlib.sha256(address.url.encode()).hexdigest()[:32]
        async with self._turns[name]:
            place = self._folder / name
            await asyncio.to_thread(place.mkdir, parents=True, exist_ok=True)
            if not self._is_checked:
                await check_version(self._settings.means, place)
                self._is_checked = True
            access = await self._access(address)
            git = await self._repository(access, place / "repository")
            commit = await self._commit(git, address)
            return await self._files(git, address, commit, place / "files")

    async def _access(self, address: GitAddress) -> Access:
        try:
            addresses = await pinned(address, self._settings.allow_hosts, self._resolver)
        except ProofwalkError as error:
            raise from_fetch(error) from None
        path = token_file(address.url, self._settings.tokens)
        token = await asyncio.to_thread(_token, path) if path is not None else ""
        return Access(address=address, addresses=addresses, token=token)

    async def _repository(self, access: Access, place: Path) -> GitProgram:
        """A bare repository to fetch into; one that has grown is begun anew."""
        means = self._settings.means
        await asyncio.to_thread(_ready, place, means.max_bytes)
        git = GitProgram(means, access, place)
        if not (place / "HEAD").exists():
            await git.run("init", "--quiet", "--bare", "--template=", str(place))
        return git

    async def _commit(self, git: GitProgram, address: GitAddress) -> str:
        """The commit of the ref, here. Raises `source.ref_not_found`."""
        if COMMIT.fullmatch(address.ref):
            commit = address.ref
        else:
            commit = _resolved(
                address.ref, await git.run("ls-remote", "--quiet", "--", address.url)
            )
        if not await _has(git, commit):
            await git.run(
                *("fetch", "--quiet", "--depth=1", "--no-tags", "--no-write-fetch-head"),
                *("--no-recurse-submodules", "--", address.url, commit),
            )
        return commit

    async def _files(
        self, git: GitProgram, address: GitAddress, commit: str, place: Path
    ) -> Checkout:
        tree = f"{commit}:{address.folder}"
        try:
            listing = await git.run("ls-tree", "-r", "-l", "-z", tree)
        except ProofwalkError as error:
            if error.code != UNREACHABLE:
                raise
            raise unreadable(
                FOLDER_NOT_FOUND,
                f"the repository has no folder {address.folder!r} at {commit[:12]}",
                hint="give the folder from the repository's root",
            ) from None
        entries = _entries(listing)
        folder = place / hashlib.sha256(listing).hexdigest()[:40]
        if not await asyncio.to_thread(folder.is_dir):
            await self._write(git, entries, folder)
        return Checkout(
            folder=folder,
            commit=commit,
            within=address.folder,
            blobs={entry.path: entry.blob for entry in entries},
        )

    async def _write(self, git: GitProgram, entries: Sequence[_Entry], folder: Path) -> None:
        """Write the files beside, then put the folder in its place and the ones before
        away."""
        await asyncio.to_thread(folder.parent.mkdir, parents=True, exist_ok=True)
        draft = Path(await asyncio.to_thread(mkdtemp, dir=folder.parent, prefix="draft-"))
        try:
            remaining = iter(entries)
            async with aclosing(git.blobs([entry.blob for entry in entries])) as contents:
                async for content in contents:
                    await asyncio.to_thread(_put, draft / next(remaining).path, content)
            await asyncio.to_thread(_instead, draft, folder)
        finally:
            await asyncio.to_thread(shutil.rmtree, draft, ignore_errors=True)


def _resolved(ref: str, listing: bytes) -> str:
    """The commit that `ls-remote` tells for a ref: a branch, else a tag, peeled."""
    commits: dict[str, str] = {}
    for line in listing.decode("utf-8", "replace").splitlines():
        commit, _, name = line.partition("\t")
        commits[name] = commit
    if not ref:
        names: tuple[str, ...] = ("HEAD",)
    elif ref.startswith("refs/"):
        names = (f"{ref}^{{}}", ref)
    else:
        names = (f"refs/heads/{ref}", f"refs/tags/{ref}^{{}}", f"refs/tags/{ref}")
    commit = next((commits[name] for name in names if name in commits), "")
    if not COMMIT.fullmatch(commit):
        raise unreadable(
            REF_NOT_FOUND,
            f"the repository has no branch and no tag {ref!r}" if ref else "it has no HEAD",
            hint="`git ls-remote ADDRESS` lists what it has",
        )
    return commit


async def _has(git: GitProgram, commit: str) -> bool:
    try:
        await git.run("cat-file", "-e", f"{commit}^{{commit}}")
    except ProofwalkError as error:
        if error.code != UNREACHABLE:
            raise
        return False
    return True


def _entries(listing: bytes) -> list[_Entry]:
    """The regular files of `ls-tree -r -l -z` that documentation is read from. Raises
    `source.too_large`."""
    entries: list[_Entry] = []
    size = 0
    for line in listing.split(b"\0"):
        head, _, name = line.partition(b"\t")
        parts = head.split()
        if len(parts) != 4 or parts[0] not in _REGULAR or not _readable(name):
            continue
        path, length = name.decode(), int(parts[3])
        if length > (_LARGER if path.endswith(".json") else MAX_BYTES):
            continue
        size += length
        entries.append(_Entry(path=path, blob=parts[2].decode(), size=length))
        if len(entries) > MAX_FILES or size > MAX_TREE_BYTES:
            raise unreadable(
                TOO_LARGE,
                f"the folder has more than {MAX_FILES} files or {MAX_TREE_BYTES >> 20} MiB of text",
                hint="name a folder further down",
            )
    return entries


def _readable(name: bytes) -> bool:
    """Whether a path of a repository is one of a file to write: nothing that leads out
    or hides."""
    try:
        path = PurePosixPath(name.decode())
    except UnicodeDecodeError:
        return False
    parts = name.decode().split("/")
    plain = all(part and not part.startswith(".") and len(part.encode()) < 250 for part in parts)
    fits = len(name) <= _LONGEST_PATH and len(parts) <= _DEEPEST
    return plain and fits and path.suffix.lower() in READ_SUFFIXES


def _token(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise unreadable(
            UNREACHABLE,
            "the token of this repository cannot be read",
            hint="the operator gives it by PROOFWALK_INSPECTION__GIT__TOKENS",
        ) from None


def _ready(place: Path, max_bytes: int) -> None:
    if place.is_dir():
        size = sum(file.lstat().st_size for file in place.rglob("*"))
        if size > max_bytes:
            shutil.rmtree(place)
    place.mkdir(parents=True, exist_ok=True)


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(content)


def _instead(draft: Path, folder: Path) -> None:
    if not folder.exists():
        draft.rename(folder)
    others = [one for one in folder.parent.iterdir() if one not in (folder, draft)]
    for one in sorted(others, key=lambda one: one.stat().st_mtime)[:-_KEPT_TREES]:
        shutil.rmtree(one, ignore_errors=True)
