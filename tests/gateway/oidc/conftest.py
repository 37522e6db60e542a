"""The gateway of `tests.gateway` before an identity provider, and visitors of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from pydantic import SecretStr

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.chassis.http import HttpServer
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.oidc.fetching import provider_client
from proofwalk.gateway.oidc.provider import Provider
from proofwalk.gateway.oidc.settings import OidcSettings
from proofwalk.gateway.routes.asking import Parts
from proofwalk.gateway.settings import ConsoleSettings
from proofwalk.gateway.web.visit import COME_BACK
from tests.devcloud.console.conftest import chromium
from tests.gateway.conftest import Gateway
from tests.gateway.oidc.identity_provider import CLIENT, SECRET, IdentityProvider

__all__ = ["chromium"]
BEGIN = "/console/sign-in/oidc"
PAGE = "/console/verifications"
GROUPS = {
    "readers": "viewer",
    "docs": "member",
    "critics": "reviewer",
    "platform": "operator",
}


@dataclass
class SignInPlace:
    """A gateway and its identity provider."""

    gateway: Gateway
    idp: IdentityProvider
    exits: AsyncExitStack
    browsers: list[Browser] = field(default_factory=list)

    @property
    def parts(self) -> Parts:
        parts: Parts = self.gateway.app.state.parts
        return parts

    async def configure(self, *, by_key: bool = True, **oidc: Any) -> None:
        """Give the gateway these settings of the provider, and no memory of it."""
        given = {
            "issuer": self.idp.url,
            "client_id": CLIENT,
            "client_secret": SecretStr(SECRET),
            "roles": GROUPS,
            "deadline_s": 5.0,
            **oidc,
        }
        console = ConsoleSettings(
            public_url=self.gateway.url, api_key_sign_in=by_key, oidc=OidcSettings(**given)
        )
        client = await self.exits.enter_async_context(provider_client(console.oidc))
        provider = Provider(
            console.oidc,
            redirect_url=self.gateway.url + COME_BACK,
            client=client,
            clock=self.gateway.clock,
        )
        settings = self.parts.settings.model_copy(update={"console": console})
        self.gateway.app.state.parts = replace(self.parts, settings=settings, provider=provider)

    async def visitor(self) -> Browser:
        """Somebody who has seen the sign-in page."""
        browser = Browser(self.gateway.url)
        await self.exits.enter_async_context(browser.client)
        await browser.ask("GET", "/console/sign-in")
        return browser

    async def answer(self, browser: Browser, target: str = PAGE) -> str:
        """Go to the provider and sign in there: the path it sends the browser back
        to."""
        left = await browser.ask("GET", f"{BEGIN}?next={target}")
        assert left.status_code == 303, left.text
        async with httpx2.AsyncClient(trust_env=False, verify=system_trust()) as client:
            back = await client.get(left.headers["location"])
        parts = urlsplit(back.headers["location"])
        assert f"{parts.scheme}://{parts.netloc}" == self.gateway.url
        return f"{parts.path}?{parts.query}"

    async def sign_in(self, browser: Browser, target: str = PAGE) -> httpx2.Response:
        """The whole way: the gateway's answer to the browser that comes back."""
        return await browser.ask("GET", await self.answer(browser, target))

    async def signed_in(self, **person: Any) -> Browser:
        """A browser in which this person has signed in."""
        self.idp.person = {"sub": "u-1", **person}
        browser = await self.visitor()
        entered = await self.sign_in(browser)
        assert entered.status_code == 303, entered.text
        return browser


@pytest.fixture
async def place(gateway: Gateway) -> AsyncIterator[SignInPlace]:
    idp = IdentityProvider(gateway.clock)
    async with AsyncExitStack() as exits:
        server = await exits.enter_async_context(HttpServer(idp.app, "127.0.0.1:0", grace_s=1))
        idp.url = server.url
        place = SignInPlace(gateway, idp, exits)
        await place.configure()
        yield place
        idp.gate.set()
