"""The devcloud role, wired: `run` starts the cloud on one port and stops it cleanly.

State lies in `state_dir/devcloud.sqlite`; nothing else is kept. Serving is
`chassis.http.HttpServer`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proofwalk.chassis.http import HttpServer, join_address
from proofwalk.devcloud.api.admin_api import AdminApi
from proofwalk.devcloud.api.openapi import OpenApi
from proofwalk.devcloud.api.signatures import Verifier
from proofwalk.devcloud.app import Bundle, build_app
from proofwalk.devcloud.console.console_api import ConsoleApi
from proofwalk.devcloud.console.console_schema import ConsoleSchema
from proofwalk.devcloud.console.console_sessions import ConsoleSessions
from proofwalk.devcloud.console.scenarios import Scenarios
from proofwalk.devcloud.console.translations import Translations
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.platform import Platform
from proofwalk.devcloud.engine.state.accounts import Accounts
from proofwalk.devcloud.engine.state.directory import Directory
from proofwalk.devcloud.engine.state.role_sessions import RoleSessions
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.products.indexing import load
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import Clock
from proofwalk.kernel.ids import IdSource, SeededIds

HERE = Path(__file__).parent
PRODUCTS = HERE / "products"
TRANSLATIONS = HERE / "console" / "translations"
BUNDLE = HERE / "console" / "bundle"


@dataclass(frozen=True, kw_only=True)
class RunningDevcloud:
    """A started cloud."""

    url: str
    admin_token: str = field(repr=False)


@asynccontextmanager
async def run(
    settings: DevcloudSettings,
    *,
    clock: Clock,
    ids: IdSource,
    state_dir: Path,
    products: Path = PRODUCTS,
    bundle: Path = BUNDLE,
) -> AsyncIterator[RunningDevcloud]:
    """Serve the cloud until the context is left."""
    catalogue = load(products)
    store = Store(state_dir / "devcloud.sqlite")
    try:
        tuning = store.get_meta("tuning") or {}
        cloud = Cloud(
            catalogue,
            store,
            clock=clock,
            ids=ids,
            audit_lag=tuning.get("audit_lag", settings.audit_lag_s),
            speed=tuning.get("speed", settings.speed),
        )
        accounts = Accounts(store, clock=clock, ids=ids, session_ttl=settings.session_ttl_s)
        token = _admin_token(settings, store, ids)
        _ensure_accounts(settings, accounts)
        schema = ConsoleSchema(catalogue, store, Translations(TRANSLATIONS))
        scenarios = Scenarios(store)
        roles = RoleSessions(store, clock=clock, ids=ids)
        directory = Directory(store)
        verifier = Verifier(accounts, roles, clock, skew=settings.clock_skew_s)
        app = build_app(
            OpenApi(cloud, Platform(cloud, accounts, roles, directory), verifier),
            ConsoleApi(cloud, ConsoleSessions(cloud, accounts, schema, scenarios)),
            AdminApi(cloud, accounts, schema, scenarios, directory, token=token),
            Bundle(bundle),
        )
        async with HttpServer(app, join_address(settings.host, settings.port)) as server:
            yield RunningDevcloud(url=server.url, admin_token=token)
    finally:
        store.close()


def _admin_token(settings: DevcloudSettings, store: Store, ids: IdSource) -> str:
    given = settings.admin_token.get_secret_value()
    if given:
        return given
    kept = store.get_meta("admin_token")
    if kept is None:
        kept = "".join(ids.new("t")[-10:] for _ in range(3))
        with store.transaction():
            store.set_meta("admin_token", kept)
    return str(kept)


def _ensure_accounts(settings: DevcloudSettings, accounts: Accounts) -> None:
    missing = settings.accounts - len(accounts.all())
    source = SeededIds(settings.seed) if settings.seed is not None else None
    for _ in range(missing):
        accounts.create(source)
