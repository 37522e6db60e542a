"""Every route of collections and inspections under every key: nobody gets what is
another's."""

from __future__ import annotations

import pytest
from sqlalchemy import true

from benchmarks.holes import collection_tenancy
from docs.writers.rest import openapi
from proofwalk.inspection import repository


async def test_nobody_gets_what_is_anothers_and_everybody_what_is_its_own() -> None:
    cells = await collection_tenancy.matrix()
    assert [cell for cell in cells if cell.leak] == []
    own = [cell for cell in cells if cell.about == cell.key]
    # Its inspection has ended and its collection is paused; it is told so, and no more.
    assert {cell.status for cell in own} <= {200, 204, 409}
    asked = {tuple(cell.route.split(" ")) for cell in cells}
    assert asked == set(collection_tenancy.ROUTES)
    assert asked == {
        (method.upper(), path)
        for path, methods in openapi()["paths"].items()
        for method in methods
        if path.startswith(("/v1/collections", "/v1/inspections"))
    }


async def test_the_matrix_sees_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "visible_to", lambda caller, owner: true())
    leaks = {cell.route for cell in await collection_tenancy.matrix() if cell.leak}
    kinds = {f"{method} {path}": kind for (method, path), kind in collection_tenancy.ROUTES.items()}
    assert leaks == {route for route, kind in kinds.items() if kind in ("owned", "listing")}
