"""`python -m proofwalk.devcloud --port 8800 --state DIR`: the cloud alone, until
interrupted."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from pydantic import SecretStr

from proofwalk.chassis.signals import stop_event
from proofwalk.devcloud.main import run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import RandomIds


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m proofwalk.devcloud", description="The embedded cloud, by itself."
    )
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)"
    )
    parser.add_argument(
        "--port", type=int, default=8800, help="TCP port, 0 for any free one (default 8800)"
    )
    parser.add_argument(
        "--state", type=Path, default=Path(".proofwalk/devcloud"), help="state folder"
    )
    parser.add_argument(
        "--admin-token", default="", help="bearer token of /admin (default: made once and kept)"
    )
    parser.add_argument(
        "--audit-lag", type=float, default=2.0, help="seconds until an event is visible (default 2)"
    )
    parser.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="how many times faster resources change state (default 1)",
    )
    parser.add_argument(
        "--accounts", type=int, default=0, help="accounts to have after start (default 0)"
    )
    parser.add_argument("--seed", type=int, default=None, help="seed of those accounts")
    return parser.parse_args()


async def _serve(arguments: argparse.Namespace) -> None:
    settings = DevcloudSettings(
        host=arguments.host,
        port=arguments.port,
        admin_token=SecretStr(arguments.admin_token),
        audit_lag_s=arguments.audit_lag,
        speed=arguments.speed,
        accounts=arguments.accounts,
        seed=arguments.seed,
    )
    clock = SystemClock()
    with stop_event() as stop:
        async with run(
            settings, clock=clock, ids=RandomIds(clock), state_dir=arguments.state
        ) as cloud:
            print(f"devcloud {cloud.url} admin-token {cloud.admin_token}", flush=True)
            await stop.wait()


def main() -> int:
    """Run until interrupted; 1 with a reason if it cannot start."""
    try:
        asyncio.run(_serve(_arguments()))
    except ProofwalkError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
