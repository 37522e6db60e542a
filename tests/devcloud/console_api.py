"""Calls of the console's own API, and what the audit log shows of them."""

from __future__ import annotations

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
