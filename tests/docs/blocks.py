"""Code blocks of documents, and how they are run: one after the other, in a folder that
looks like the repository.

A `sh` block is given to bash; a `text` block behind it is what it prints, with `...`
for what differs. Lines of a table's border and runs of spaces do not count. A block
that starts a server (`proofwalk serve`) runs beside those after it. Ports of the
documents are replaced by free ones, so that several of these run on one machine.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2

from benchmarks.record import ROOT
from proofwalk.platform.installation import free_port

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BORDER = re.compile(r"^[┏┓┗┛┡┩┃━┳╇┻┼└┘┴─├┤\s]*$")
_GATEWAY = "127.0.0.1:8480"
_CONTROLLER = "127.0.0.1:5000"
_WITHIN_S = 300


@dataclass(frozen=True, kw_only=True)
class Block:
    """A command of a document, and what it prints."""

    document: str
    command: str
    prints: str = ""

    @property
    def first(self) -> str:
        """The line that it is found by."""
        return self.command.splitlines()[0]


def blocks(document: str) -> list[Block]:
    """The commands of a document, in order."""
    found: list[Block] = []
    for language, text in _FENCE.findall((ROOT / document).read_text(encoding="utf-8")):
        if language == "sh":
            found.append(Block(document=document, command=text))
        elif language == "text" and found and not found[-1].prints:
            found[-1] = Block(document=document, command=found[-1].command, prints=text)
    return found


def plain(text: str) -> str:
    """Without borders of tables and runs of spaces."""
    return " ".join(" ".join(line.split()) for line in text.splitlines() if not _BORDER.match(line))


def says(output: str, prints: str) -> bool:
    """Whether an output has what a document says it prints."""
    form = re.escape(plain(prints)).replace(re.escape("..."), ".*?")
    return re.search(form, plain(output), re.DOTALL) is not None


class Folder:
    """A folder to run blocks in, with a server where a block has started one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._gateway = f"127.0.0.1:{free_port()}"
        self._controller = f"127.0.0.1:{free_port()}"
        self._servers: list[subprocess.Popen[bytes]] = []
        for name in ("examples", "deploy", "suites"):
            (path / name).symlink_to(ROOT / name)

    def run(self, block: Block) -> str:
        """What the block prints, errors and all. Raises `AssertionError` when it
        fails."""
        command = block.command.replace(_GATEWAY, self._gateway)
        command = command.replace(_CONTROLLER, self._controller)
        if block.first.startswith("proofwalk serve"):
            self._serve(command, f"http://{self._gateway}/readyz")
            return ""
        if block.first.startswith("proofwalk gym serve"):
            self._serve(command, f"http://{self._controller}/api/list_workers")
            return ""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self._path,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{block.first}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def close(self) -> None:
        """End what was started."""
        for server in self._servers:
            server.terminate()
            server.wait(_WITHIN_S)

    def _serve(self, command: str, ready: str) -> None:
        """Start a server, and wait until it answers at `ready`."""
        with (self._path / "serve.log").open("wb") as log:
            server = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self._path,
                env=self._environment(),
                stdout=log,
                stderr=log,
            )
        self._servers.append(server)
        until = time.monotonic() + _WITHIN_S
        while time.monotonic() < until and server.poll() is None:
            with contextlib.suppress(httpx2.HTTPError):
                if httpx2.get(ready, trust_env=False).status_code == 200:
                    return
            time.sleep(0.5)
        raise AssertionError(
            f"{command}: not ready\n{(self._path / 'serve.log').read_text()[-2000:]}"
        )

    def _environment(self) -> Mapping[str, str]:
        return {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith("PROOFWALK_")
            },
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "80",
            "PROOFWALK_GATEWAY__ADDRESS": self._gateway,
            "PROOFWALK_DEVCLOUD__PORT": str(free_port()),
            "PROOFWALK_DEVCLOUD__ACCOUNTS": "4",
            "PROOFWALK_DEVCLOUD__SPEED": "5",
            "PROOFWALK_DEVCLOUD__AUDIT_LAG_S": "0.5",
            "PROOFWALK_ACCOUNT_POOL__PROOF_POLL_S": "0.2",
            "PROOFWALK_SANDBOX_SCHEDULER__WARM": "0",
            "PROOFWALK_ROLLOUT__RECONCILE_S": "0.3",
        }


@contextlib.contextmanager
def folder(path: Path) -> Iterator[Folder]:
    """A folder whose servers end with the block."""
    made = Folder(path)
    try:
        yield made
    finally:
        made.close()
