"""The console's pages on the application, each behind the guard."""

from __future__ import annotations

from fastapi import APIRouter, Depends, FastAPI

from proofwalk.gateway.keys import Keyring
from proofwalk.gateway.web.guard import checked_visit
from proofwalk.gateway.web.pages import (
    collection,
    files,
    finding,
    findings,
    fleet,
    inspection,
    inspections,
    learning,
    oidc_sign_in,
    overview,
    preferences,
    records,
    sign_in,
    submit,
    verification,
    verifications,
    watch,
)
from proofwalk.gateway.web.rendering import Console

PAGES: tuple[APIRouter, ...] = (
    sign_in.router,
    oidc_sign_in.router,
    preferences.router,
    overview.router,
    verifications.router,
    submit.router,
    watch.router,
    verification.router,
    findings.router,
    finding.router,
    inspections.router,
    collection.router,
    inspection.router,
    records.router,
    fleet.router,
    learning.router,
)


def include(app: FastAPI, keys: Keyring) -> None:
    """Add the console to the application."""
    app.state.console = Console(keys)
    for router in PAGES:
        app.include_router(router, dependencies=[Depends(checked_visit)], include_in_schema=False)
    app.include_router(files.router, include_in_schema=False)
