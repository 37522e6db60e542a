"""That no page of the web console is left out when its pages are looked at."""

from __future__ import annotations

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute

from benchmarks.console_ui.pages import NOT_PAGES, PARAMETERS, NotCovered, addresses
from proofwalk.gateway.web.routes import PAGES

_ONE_OF_EACH = {name: [f"a-{name}"] for name in PARAMETERS}


def _gets() -> set[str]:
    return {
        route.path
        for router in PAGES
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
    }


def test_every_page_of_the_route_table_is_visited() -> None:
    visited = {one.route for one in addresses(_ONE_OF_EACH)}
    assert visited == _gets() - set(NOT_PAGES)
    assert set(NOT_PAGES) <= _gets()
    assert all("{" not in one.path for one in addresses(_ONE_OF_EACH))


def test_an_empty_installation_has_the_pages_without_a_parameter() -> None:
    assert {one.route for one in addresses({})} == {
        path for path in _gets() - set(NOT_PAGES) if "{" not in path
    }


def test_a_page_of_something_unknown_is_no_page_that_may_be_left_out() -> None:
    router = APIRouter()

    @router.get("/console/parcels/{parcel_id}")
    async def parcel(parcel_id: str) -> str:
        return parcel_id

    with pytest.raises(NotCovered, match="parcel_id"):
        addresses(_ONE_OF_EACH, routers=[router])
