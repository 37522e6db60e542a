"""A network namespace of the bench's own, in which the addresses of cloud metadata and
of private networks are there and answer.

Nothing outside is reached, and nothing else of the machine listens, so what the foreign
hosts hear is of the probes. Linux alone; without the right to make a namespace the
bench says so and ends.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

INSIDE = "PROOFWALK_BENCH_NAMESPACE"
"""Set in the environment of the process that is inside."""
ADDRESSES = (
    "169.254.169.254/32",
    "100.100.100.200/32",
    "10.1.2.3/32",
    "172.16.1.2/32",
    "192.168.1.2/32",
    "100.64.1.2/32",
    "169.254.1.2/32",
    "fd00::2/128",
    "fd00:ec2::254/128",
)
_NOWHERE = (
    "link add pw0 type veth peer name pw1",
    "address add 198.18.0.1/24 dev pw0",
    "link set pw0 up",
    "link set pw1 up",
    "route add default via 198.18.0.2",
)
_RESOLVER = re.compile(r"^nameserver\s+([0-9a-fA-F.:]+)", re.MULTILINE)


def enter(module: str) -> None:
    """Start this command again inside; does not return, unless this is inside. Ends the
    process with 3 where there is no namespace to be had."""
    if os.environ.get(INSIDE):
        return
    root = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    argv = ["unshare", "--net", *root, "--", sys.executable, "-m", module, *sys.argv[1:]]
    try:
        subprocess.run(["unshare", "--net", *root, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no network namespace can be made here: {error}", file=sys.stderr)
        raise SystemExit(3) from error
    os.execvpe("unshare", argv, {**os.environ, INSIDE: "1"})


def furnish() -> None:
    """Bring up the loopback with all addresses, the resolver's included, and an
    interface that leads nowhere: with the loopback alone the browser takes itself for
    offline, and opens no peer connection."""
    resolvers = _RESOLVER.findall(Path("/etc/resolv.conf").read_text(encoding="utf-8"))
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for command in _NOWHERE:
        subprocess.run(["ip", *command.split()], check=True)
    for address in (*ADDRESSES, *resolvers):
        if not address.startswith("127."):
            subprocess.run(["ip", "address", "add", address, "dev", "lo"], check=True)
