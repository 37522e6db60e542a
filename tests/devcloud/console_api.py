"""Calls of the console's own API, and what the audit log shows of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from alibabacloud_actiontrail20200706 import models as a
from alibabacloud_actiontrail20200706.client import Client as ActionTrail

from tests.devcloud.conftest import REGION, Backend, Browser


def path(kind: str, resource_id: str = "", action: str = "", **query: str) -> str:
    parts = [part for part in (kind.replace(".", "/"), resource_id, action) if part]
    return f"/console/api/r/{'/'.join(parts)}?" + urlencode({"region": REGION, **query})


def make(browser: Browser, kind: str, **values: Any) -> str:
    made: str = browser.post(path(kind), values)["id"]
    return made


def events(backend: Backend, account: dict[str, str]) -> list[dict[str, Any]]:
    request = a.LookupEventsRequest(
        direction="FORWARD",
        max_results="50",
        lookup_attribute=[a.LookupEventsRequestLookupAttribute(key="EventRW", value="Write")],
    )
    found = ActionTrail(backend.config(account)).lookup_events(request).body.events
    return [event for event in found if event["eventName"] != "ConsoleSignin"]


@dataclass(frozen=True)
class Console:
    """A browser that is signed in to an account, and the account's audit log."""

    backend: Backend
    account: dict[str, str]
    browser: Browser

    def make(self, kind: str, **values: Any) -> str:
        """Create a resource, and return its id."""
        return make(self.browser, kind, **values)

    def act(self, kind: str, resource_id: str, action: str, **values: Any) -> None:
        self.browser.post(path(kind, resource_id, action), values)

    def row(self, kind: str, resource_id: str) -> dict[str, Any]:
        return dict(self.browser.get(path(kind, resource_id)))

    def rows(self, kind: str, **where: str) -> list[dict[str, Any]]:
        conditions = {f"where.{name}": value for name, value in where.items()}
        return list(self.browser.get(path(kind, **conditions))["rows"])

    def options(self, kind: str, **query: str) -> list[dict[str, str]]:
        asked = urlencode({"region": REGION, **query})
        return list(self.browser.get(f"/console/api/options/{kind}?{asked}"))

    def offered(self, kind: str, **query: str) -> list[str]:
        """Values of the options."""
        return [option["value"] for option in self.options(kind, **query)]

    def logged(self, action: str) -> dict[str, Any]:
        """Parameters of the last call of `action` that was not refused."""
        requests: dict[str, dict[str, Any]] = {
            event["eventName"]: event["requestParameters"]
            for event in events(self.backend, self.account)
            if "errorCode" not in event
        }
        return requests[action]
