"""Every page of the web console, by address, out of the gateway's own table of routes.

A page without a parameter is visited as it is. Parameters are filled from what an
installation has (`Things`), once for each thing. What answers with no page stands in
`NOT_PAGES` with its reason; a route with a parameter that nothing here can fill raises
`NotCovered`, so that no page is left out in silence.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.routing import APIRoute

from proofwalk.gateway.web.routes import PAGES

NOT_PAGES: Mapping[str, str] = {
    "/console/verifications/{verification_id}/events": "a stream",
    "/console/verifications/{verification_id}/pictures/{address}": "a picture",
    "/console/verifications/{verification_id}/json": "JSON",
    "/console/verifications/{verification_id}/trajectory": "a file",
    "/console/verifications/{verification_id}/trace": "a file",
    "/console/verifications/{verification_id}/har": "a file",
    "/console/sign-in/oidc": "the way to the identity provider",
    "/console/sign-in/oidc/callback": "the way back from it",
}
SIGN_IN = "/console/sign-in"
"""Seen by whoever is not signed in; others are led away from it."""
_PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
_MORE: Mapping[str, Sequence[str]] = {
    "/console/verifications": ("?status=doc_defect&target=devcloud", "?status=queued"),
    "/console/verifications/{verification_id}/walk": ("?step=1",),
    "/console/verifications/{verification_id}/compare": ("?with={verification_id}",),
}
"""Further forms of a page."""
NOWHERE = "/console/verifications/ver_that_is_not_there"
"""Leads to the page that says what is wrong."""


class NotCovered(Exception):
    """A route of the console that would not be looked at."""


@dataclass(frozen=True, kw_only=True)
class Address:
    """A page to be looked at."""

    route: str
    path: str


Things = Mapping[str, Sequence[str]]
"""Ids that an installation has, by the name of the parameter that takes them."""
PARAMETERS = (
    "verification_id",
    "finding_id",
    "inspection_id",
    "collection_id",
    "run_id",
    "record_id",
)


def addresses(things: Things, *, routers: Sequence[APIRouter] = PAGES) -> Sequence[Address]:
    """Every page that an installation with these things has. Raises `NotCovered`."""
    return [
        address
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
        for address in _addresses_of(route.path, things)
    ]


def _addresses_of(route: str, things: Things) -> Iterator[Address]:
    if route in NOT_PAGES:
        return
    names = _PARAMETER.findall(route)
    unknown = [name for name in names if name not in PARAMETERS]
    if unknown:
        raise NotCovered(
            f"{route} takes {unknown[0]!r}, which nothing here fills: add it to PARAMETERS and"
            " to what `things_of` asks for, or the route to NOT_PAGES"
        )
    for values in itertools.product(*(things.get(name, ()) for name in names)):
        filled = dict(zip(names, values, strict=True))
        for form in ("", *_MORE.get(route, ())):
            yield Address(route=route, path=_filled(route + form, filled))


def _filled(path: str, values: Mapping[str, str]) -> str:
    return _PARAMETER.sub(lambda match: values[match[1]], path)
