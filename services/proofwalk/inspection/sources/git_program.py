"""Runs git on repositories of strangers.

Nothing of the repository runs: it is never checked out, hooks, submodules, attributes
and file system monitors are off, and the environment is made here, so that no
configuration of the machine, no proxy and no credential helper has a say. One protocol
is allowed, that of the address. A token travels in git's configuration by environment,
bound to its URL, and is in no argument, log or error.

Bounds: seconds of the clock, and by `ulimit` bytes of a file (a pack is one file) and
of memory. Programs are children under `deathwatch` (`chassis.processes`).
"""

from __future__ import annotations

import asyncio
import base64
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.chassis.processes import ChildProcess, start_child
from proofwalk.inspection.sources.errors import NO_GIT, TOO_LARGE, TOO_SLOW, UNREACHABLE, unreadable
from proofwalk.inspection.sources.git_address import GitAddress
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.procedures.guard import Address

_BOUNDED = 'ulimit -f "$1" && ulimit -v "$2" && shift 2 && exec "$@"'
_BLOCK = 512
"""Bytes of a block of `ulimit -f`."""
_SIGXFSZ = 128 + 25
_TOO_LARGE = (b"died of signal 25", b"File too large", b"out of memory", b"Out of memory")
"""How git says that it, or a program that it started, met a bound."""
_NOT_FOUND = 127
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MOST_TOLD = 300
_OLDEST = (2, 37)
"""The first that connects to addresses that it is given (`http.curloptResolve`)."""
_ALWAYS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "pack.threads": "1",
    "credential.helper": "",
    "http.followRedirects": "false",
    "http.proxy": "",
    "http.lowSpeedLimit": "1",
    "http.lowSpeedTime": "30",
    "protocol.allow": "never",
}


@dataclass(frozen=True, kw_only=True)
class GitMeans:
    """Files and bounds of the git program."""

    program: str = "git"
    ca_file: Path | None = None
    ssh_key_file: Path | None = None
    known_hosts_file: Path | None = None
    timeout_s: float = 300.0
    max_bytes: int = 1024 * 1024 * 1024
    memory_bytes: int = 2 * 1024 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Access:
    """How one repository is reached."""

    address: GitAddress
    addresses: tuple[Address, ...] = ()
    token: str = field(default="", repr=False)


class GitProgram:
    """Git, for one repository, with `folder` as its bare repository."""

    def __init__(self, means: GitMeans, access: Access, folder: Path) -> None:
        self._means = means
        self._access = access
        self._folder = folder
        self._environment = environment(means, access, home=folder)

    async def run(self, *arguments: str) -> bytes:
        """What git prints. Raises `source.*`."""
        async with self._started(arguments, stdin=asyncio.subprocess.DEVNULL) as child:
            stdout, stderr = await child.communicate()
        self._check(child.returncode, stderr)
        return stdout

    async def blobs(self, identifiers: Sequence[str]) -> AsyncGenerator[bytes]:
        """The contents of these blobs, one after the other. Raises `source.*`."""
        arguments = ("cat-file", "--batch")
        async with self._started(arguments, stdin=asyncio.subprocess.PIPE) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            assert child.stderr is not None
            for identifier in identifiers:
                child.stdin.write(f"{identifier}\n".encode())
                await child.stdin.drain()
                try:
                    head = (await child.stdout.readuntil(b"\n")).split()
                    if len(head) != 3:
                        raise _failed("an object is missing in what the repository sent")
                    content = await child.stdout.readexactly(int(head[2]) + 1)
                except asyncio.IncompleteReadError:
                    raise _failed(_words(await child.stderr.read())) from None
                yield content[:-1]

    @asynccontextmanager
    async def _started(
        self, arguments: Sequence[str], *, stdin: int
    ) -> AsyncIterator[ChildProcess]:
        means = self._means
        bounds = (str(means.max_bytes // _BLOCK), str(means.memory_bytes // 1024))
        child = await start_child(
            ("/bin/sh", "-c", _BOUNDED, "sh", *bounds, means.program, *arguments),
            name="git",
            env=self._environment,
            cwd=self._folder,
            stdin=stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(means.timeout_s) as limit:
                yield child
        except TimeoutError:
            if not limit.expired():
                raise
            raise unreadable(
                TOO_SLOW,
                f"the repository was not read within {means.timeout_s:g} seconds",
                hint="PROOFWALK_INSPECTION__GIT__TIMEOUT_S gives it more",
            ) from None
        finally:
            await asyncio.shield(child.kill())

    def _check(self, code: int | None, stderr: bytes) -> None:
        if code == 0:
            return
        words = _words(stderr)
        if code == _NOT_FOUND:
            raise unreadable(NO_GIT, "git is not installed here", hint="install git, 2.37 or newer")
        if code == _SIGXFSZ or any(sign in stderr for sign in _TOO_LARGE):
            raise unreadable(
                TOO_LARGE,
                f"the repository sends more than {self._means.max_bytes} bytes",
                hint="PROOFWALK_INSPECTION__GIT__MAX_BYTES lets it be larger",
            )
        raise _failed(words)


async def check_version(means: GitMeans, folder: Path) -> None:
    """Raises `source.no_git` if git is missing, or older than what pins addresses."""
    nowhere = Access(address=GitAddress(protocol="file", url=""))
    text = (await GitProgram(means, nowhere, folder).run("version")).decode("ascii", "replace")
    numbers = re.search(r"(\d+)\.(\d+)", text)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < _OLDEST:
        raise unreadable(NO_GIT, f"{text.strip()[:80]} is too old", hint="install 2.37 or newer")


def environment(means: GitMeans, access: Access, *, home: Path) -> Mapping[str, str]:
    """The whole environment of git for one repository."""
    address = access.address
    configured = dict(_ALWAYS)
    configured[f"protocol.{address.protocol}.allow"] = "always"
    location = address.location
    if means.ca_file is not None:
        configured["http.sslCAInfo"] = str(means.ca_file)
    if access.token and address.protocol == "https":
        words = base64.b64encode(f"x-access-token:{access.token}".encode()).decode()
        configured[f"http.{address.url}.extraHeader"] = f"Authorization: Basic {words}"
    if location is not None and location.literal is None and access.addresses:
        places = ",".join(f"[{one}]" if one.version == 6 else str(one) for one in access.addresses)
        configured["http.curloptResolve"] = f"{location.host}:{location.port}:{places}"
    variables = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "HOME": str(home),
        "GIT_DIR": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_ALLOW_PROTOCOL": address.protocol,
        "GIT_SSH_COMMAND": _ssh(means, access),
        "GIT_SSH_VARIANT": "ssh",
        "GIT_CONFIG_COUNT": str(len(configured)),
    }
    for number, (key, setting) in enumerate(configured.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = setting
    return variables


def _ssh(means: GitMeans, access: Access) -> str:
    """The ssh command: without a configuration, a terminal or an agent, to the address
    that was judged, whose key has to be known under the host's name."""
    options = [
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "ForwardAgent=no",
        "IdentitiesOnly=yes",
    ]
    location = access.address.location
    if location is not None and access.addresses:
        options += [f"HostName={access.addresses[0]}", f"HostKeyAlias={location.host}"]
    known_hosts = means.known_hosts_file or "/dev/null"
    options.append(f"UserKnownHostsFile={_quoted(str(known_hosts))}")
    key = f" -i {_quoted(str(means.ssh_key_file))}" if means.ssh_key_file is not None else ""
    return f"ssh -F /dev/null{key}" + "".join(f" -o {option}" for option in options)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _words(stderr: bytes) -> str:
    """The last line in which git itself says what is wrong; what the other side says
    (`remote: …`) is not passed on."""
    lines = [
        line
        for line in stderr.decode("utf-8", "replace").splitlines()
        if line.startswith(("fatal:", "error:"))
    ]
    words = _CONTROL.sub(" ", lines[-1].partition(":")[2].strip()) if lines else ""
    return words[:_MOST_TOLD] or "git ended without saying why"


def _failed(words: str) -> ProofwalkError:
    return unreadable(
        UNREACHABLE,
        f"the repository cannot be read: {words}",
        hint="check that `git ls-remote ADDRESS` answers without asking for a password",
    )
