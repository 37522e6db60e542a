"""A devcloud in this process with a clock that stands still, and the official clients
against it."""

from __future__ import annotations

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from proofwalk.devcloud.engine.calls import Caller
from proofwalk.devcloud.engine.operations import Cloud
from proofwalk.devcloud.engine.state.store import Store
from proofwalk.devcloud.main import PRODUCTS, RunningDevcloud, run
from proofwalk.devcloud.products.indexing import load
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.ids import SeededIds

TOKEN = "admin-token-of-the-tests"
REGION = "cn-hangzhou"
IMAGE = "aliyun_3_x64_20G_alibase_20250629.vhd"
DEADLINE_S = 20.0


class HttpFailure(Exception):
    """A reply with an error status."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body


class Browser:
    """Keeps the session cookie and speaks JSON."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.cookie = ""

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        data = json.dumps(body).encode() if body is not None else None
        sent = {
            "content-type": "application/json",
            **({"cookie": self.cookie} if self.cookie else {}),
            **(headers or {}),
        }
        request = urllib.request.Request(self._url + path, method=method, data=data, headers=sent)
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
                set_cookie = reply.headers.get("set-cookie")
                if set_cookie:
                    self.cookie = set_cookie.split(";")[0]
                return json.loads(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                raw = error.read()
            try:
                parsed = json.loads(raw)
            except ValueError:
                parsed = raw.decode()
            raise HttpFailure(error.code, parsed) from None

    def get(self, path: str, **headers: str) -> Any:
        return self.call("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})

    def post(self, path: str, body: Any = None) -> Any:
        return self.call("POST", path, body if body is not None else {})


@dataclass
class Backend:
    """A running devcloud and its clock."""

    url: str
    clock: ManualClock
    admin_browser: Browser = field(init=False)

    def __post_init__(self) -> None:
        self.admin_browser = Browser(self.url)

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    def admin(self, method: str, path: str, body: Any = None, token: str = TOKEN) -> Any:
        return self.admin_browser.call(
            method, f"/admin{path}", body, {"authorization": f"Bearer {token}"}
        )

    def account(self) -> dict[str, str]:
        made: dict[str, str] = self.admin("POST", "/accounts", {"count": 1})["accounts"][0]
        return made

    def inventory(self, account: dict[str, str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.admin(
            "GET", f"/accounts/{account['account_id']}/inventory"
        )["resources"]
        return found

    def config(self, account: dict[str, str], **more: Any) -> Any:
        from alibabacloud_tea_openapi.utils_models import Config

        return Config(
            access_key_id=account["access_key_id"],
            access_key_secret=more.pop("secret", account["access_key_secret"]),
            endpoint=self.host,
            protocol="http",
            region_id=REGION,
            **more,
        )

    def browser(self, account: dict[str, str]) -> Browser:
        browser = Browser(self.url)
        body = {
            "account": account["account_id"],
            "user": account["user_name"],
            "password": account["password"],
        }
        browser.post("/console/api/sign-in", body)
        return browser


def start_backend(
    state: Path, clock: ManualClock, *, products: Path = PRODUCTS, **settings: Any
) -> tuple[Backend, Callable[[], None]]:
    """A devcloud on a thread of its own, and what stops it."""
    started: Future[RunningDevcloud] = Future()
    stop: Future[Callable[[], None]] = Future()

    async def serve() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        chosen = DevcloudSettings(admin_token=SecretStr(TOKEN), **settings)
        async with run(
            chosen, clock=clock, ids=SeededIds(7), state_dir=state, products=products
        ) as running:

            def end() -> None:
                loop.call_soon_threadsafe(ended.set)

            stop.set_result(end)
            started.set_result(running)
            await ended.wait()

    def body() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            if started.done():
                raise
            started.set_exception(error)

    thread = threading.Thread(target=body, name="devcloud")
    thread.start()
    url = started.result(DEADLINE_S).url

    def end() -> None:
        stop.result(DEADLINE_S)()
        thread.join(DEADLINE_S)
        assert not thread.is_alive()

    return Backend(url=url, clock=clock), end


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    clock = ManualClock(datetime.now(UTC))
    found, end = start_backend(tmp_path_factory.mktemp("devcloud"), clock, audit_lag_s=0)
    yield found
    end()


@pytest.fixture
def account(backend: Backend) -> dict[str, str]:
    return backend.account()


@dataclass
class Bench:
    """A cloud without a network, for callers made up on the spot."""

    cloud: Cloud
    clock: ManualClock
    versions: dict[str, str]

    def call(self, account: str, product: str, action: str, **params: Any) -> dict[str, Any]:
        caller = Caller(
            account=account,
            user_name="agent",
            principal_id="1",
            event_type="ApiCall",
            access_key_id="k",
        )
        flat = {name.replace("__", "."): str(value) for name, value in params.items()}
        return self.cloud.call(
            caller, self.versions[product], action, {"RegionId": REGION, **flat}
        ).answer

    def events(self, account: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.cloud.audit.lookup(
            account, {"MaxResults": "50", "Direction": "FORWARD"}, self.clock.now()
        )["Events"]
        return found


def make_bench(
    state: Path, products: Path = PRODUCTS, *, lag: float = 0.0, speed: float = 1.0
) -> Bench:
    clock = ManualClock()
    store = Store(state / "bench.sqlite")
    catalogue = load(products)
    cloud = Cloud(catalogue, store, clock=clock, ids=SeededIds(3), audit_lag=lag, speed=speed)
    return Bench(
        cloud=cloud,
        clock=clock,
        versions={p.id: p.api.version for p in catalogue.products.values()},
    )


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = make_bench(tmp_path)
    yield made
    made.cloud.store.close()
