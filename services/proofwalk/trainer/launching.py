"""How a run's processes are started: one, or several ranks by torch's launcher, on one
machine or on each of several (`Meeting`).

The launcher ends a machine's ranks when one of them dies, and is never asked to start
them again: whoever started it decides that. Machines find each other at the first one,
which keeps the rendezvous; ranks of the machine with number 0 come first, so rank 0,
which writes and asks for rollouts, is there. torch's static rendezvous is used because
it numbers machines as told; the dynamic one numbers them by their addresses.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proofwalk.chassis.processes import BOUNDED, SHARED
from proofwalk.chassis.settings import TLS_PREFIX
from proofwalk.kernel.errors import invalid

_SECRETS = "PROOFWALK_"
"""Our settings are not the process's business, and some of them are keys."""


@dataclass(frozen=True, kw_only=True)
class Meeting:
    """Where and as which one of them a machine joins the others of a run. Raises
    `trainer.bad_rendezvous`."""

    run_id: str
    nodes: int
    number: int
    """Of this machine, from 0."""
    rendezvous: str
    """`host:port` on the machine 0, as every machine reaches it."""
    patience_s: int
    """How long it waits for the others."""

    def __post_init__(self) -> None:
        host, _, port = self.rendezvous.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise invalid(
                "trainer.bad_rendezvous",
                f"{self.rendezvous!r} is not host:port",
                hint="name a port of node 0 that all nodes reach: node-0.example:29500",
            )
        if not 0 <= self.number < self.nodes:
            raise invalid(
                "trainer.bad_rendezvous",
                f"node {self.number} is none of {self.nodes} nodes",
                hint="nodes are numbered from 0",
            )


def ranked(program: Sequence[str], ranks: int, meeting: Meeting | None = None) -> list[str]:
    """The program as so many ranks of one run on this machine, by torch's launcher:
    when one of them dies it ends the others."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--max-restarts", "0"]
    if meeting is None:
        launcher += ["--standalone", "--local-addr", "127.0.0.1"]
    else:
        launcher += ["--nnodes", str(meeting.nodes), "--node-rank", str(meeting.number)]
        launcher += ["--rdzv-backend", "static", "--rdzv-endpoint", meeting.rendezvous]
        launcher += ["--rdzv-id", meeting.run_id]
        launcher += ["--rdzv-conf", f"timeout={meeting.patience_s}"]
    return [*launcher, "--nproc-per-node", str(ranks), "--no-python", *program]


def arguments(folder: Path, addresses: Mapping[str, str], *, threads: int) -> list[str]:
    """What `child` is told. `addresses` are those of `rollout` and `inference`."""
    return [
        str(folder),
        *("--rollout", addresses["rollout"]),
        *("--inference", addresses["inference"]),
        *("--threads", str(threads)),
    ]


def environment(*, threads: int) -> dict[str, str]:
    """The whole environment of a run's process: ours without our settings but for where
    the certificate is."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(TLS_PREFIX) or not name.startswith(_SECRETS)
    }
    return {
        **SHARED,
        **BOUNDED,
        **ours,
        "OMP_NUM_THREADS": str(threads),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
    }
