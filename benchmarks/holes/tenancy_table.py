"""The routes of the application's own table, which `tenancy` asks about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.holes import collection_tenancy, finding_tenancy
from benchmarks.holes.tenancy_routes import ROUTES
from proofwalk.chassis.tracing import Tracing
from proofwalk.gateway.http_api import build_app
from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds


def table() -> list[tuple[str, str]]:
    """Every method and path that the application answers, but for those that
    `collection_tenancy` or `finding_tenancy` asks about. Raises for one that no table
    names."""
    clock = SystemClock()
    nothing: Any = None
    app = build_app(
        rollout=nothing,
        inspections=nothing,
        findings=nothing,
        webhooks=nothing,
        neighbours=nothing,
        db=nothing,
        keys=Keyring({}, local="pw_local"),
        settings=GatewaySettings(),
        clock=clock,
        ids=RandomIds(clock),
        tracing=Tracing("holes"),
        ready=nothing,
    )
    found = [
        (method, route.path)
        for route in _leaves(app.routes)
        for method in sorted(route.methods or ())
        if (method, route.path) not in {*collection_tenancy.ROUTES, *finding_tenancy.ROUTES}
    ]
    unnamed = [pair for pair in found if pair not in ROUTES]
    if unnamed:
        raise LookupError(f"these routes are in no entry of ROUTES: {unnamed}")
    return found


def _leaves(routes: Sequence[Any]) -> list[Any]:
    """Routes, those of included routers too. One without methods (a mount, a websocket)
    has no entry, and is told as one that is not named."""
    found: list[Any] = []
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            found += _leaves(included.routes)
        elif not getattr(route, "methods", None):
            raise LookupError(f"this route has no methods that could be asked: {route!r}")
        else:
            found.append(route)
    return found
