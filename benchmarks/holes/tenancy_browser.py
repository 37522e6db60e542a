"""A browser in the web console, as far as keys and owners go: cookies, and forms."""

from __future__ import annotations

import re
from collections.abc import Mapping

import httpx2

from proofwalk.chassis.trust import system_trust
from proofwalk.gateway.web.errors import SIGN_IN
from proofwalk.gateway.web.sessions import form_token

COOKIE = "proofwalk-session"
_NAMED = re.compile(r"\b(?:ver|fnd|col|insp)_(web|ci|nobody)_(?:done|live)\b")
_CHANGING = re.compile(r"\b[0-9a-f]{32,64}\b")


class Browser:
    """One visitor with cookies of its own."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.client = httpx2.AsyncClient(
            base_url=url, timeout=30, trust_env=False, verify=system_trust()
        )

    @property
    def token(self) -> str:
        """What the forms of its pages carry."""
        return form_token(self.client.cookies.get(COOKIE) or "")

    async def sign_in(self, authorization: str | None) -> None:
        """Sign in with the key of an Authorization header. For what is no good key, the
        browser then has a cookie without a session."""
        key = (authorization or "").partition(" ")[2]
        await self.ask("GET", SIGN_IN)
        await self.ask("POST", SIGN_IN, fields={"key": key})

    async def ask(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        fields: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """A request; a POST as a form of the console's own pages."""
        if method != "POST":
            return await self.client.request(method, path, headers=headers)
        form = {"csrf": self.token, **(fields or {})}
        return await self.client.post(
            path, data=form, headers={"Origin": self._url, **(headers or {})}
        )


def is_sent_to_sign_in(answer: httpx2.Response) -> bool:
    """Whether the console took somebody for nobody."""
    return answer.status_code == 303 and answer.headers["location"].startswith(SIGN_IN)


def owners_named(page: str) -> set[str]:
    """Whose verifications, findings, collections and inspections a page names."""
    return {owner.replace("nobody", "") for owner in _NAMED.findall(page)}


def lasting(page: str) -> str:
    """A page without tokens and trace ids."""
    return _CHANGING.sub("", page)
