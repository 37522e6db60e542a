"""`make bench-devcloud`: how quick the embedded cloud is with 200 resources a table, by
its API and in the browser.

The cloud runs as a process of its own, with its product files less their quotas. API
calls are signed beforehand and sent one after the other over one connection, so a
figure is the server's time and the loopback's; `server_cpu` is the processor time that
the server spent on each, which a loaded machine disturbs less. Beside them stands
`health`, an answer that costs nothing, and `busy`, the same calls while four accounts
send theirs. In Chromium a list page counts as interactive when the first row's link is
what a click at its middle would hit; `cold` has an empty cache, `warm` a filled one.
The peer in the same run is a static page with the same 200 rows.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import sys
import tempfile
import threading
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import yaml
from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from pydantic import SecretStr

from benchmarks import record
from benchmarks.record import Load, spread
from proofwalk.console.browser.chromium import find_chromium
from proofwalk.devcloud.main import PRODUCTS, run
from proofwalk.devcloud.settings import DevcloudSettings
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.ids import RandomIds

ROWS = 200
CALLS = 200
PAGES = 6
OTHERS = 4
TOKEN = "admin-of-the-benchmark"
REGION = "cn-hangzhou"
DEADLINE_S = 30.0
LIMIT_S = 600.0
IMAGE = "aliyun_3_x64_20G_alibase_20250629.vhd"
ECS, VPC = "2014-05-26", "2016-04-28"
SECRET_WORD = "Passw0rd-1"
INTERACTIVE = """() => {
  const link = document.querySelector("table tbody a");
  if (!link) return 0;
  const box = link.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return hit && (link === hit || link.contains(hit)) ? performance.now() : 0;
}"""


def without_quotas(folder: Path) -> None:
    """The shipped product files, in which a table may have any number of rows."""

    def strip(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: strip(value) for key, value in node.items() if key != "quota"}
        return [strip(entry) for entry in node] if isinstance(node, list) else node

    for path in PRODUCTS.glob("*.yaml"):
        (folder / path.name).write_text(
            yaml.safe_dump(
                strip(yaml.safe_load(path.read_text(encoding="utf-8"))), sort_keys=False
            ),
            encoding="utf-8",
        )


async def serve(state: Path, products: Path) -> None:
    """The cloud's process: prints its address, and ends with its standard input."""
    clock = SystemClock()
    settings = DevcloudSettings(admin_token=SecretStr(TOKEN), speed=1000)
    async with run(
        settings, clock=clock, ids=RandomIds(clock), state_dir=state, products=products
    ) as cloud:
        print(cloud.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


@dataclass
class Caller:
    """One account's signed calls over one connection."""

    host: str
    key: str
    secret: str = field(repr=False)
    server: psutil.Process
    _connection: http.client.HTTPConnection = field(init=False)
    _count: int = 0

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection(self.host, timeout=DEADLINE_S)

    def signed(
        self, version: str, action: str, params: dict[str, Any]
    ) -> tuple[str, dict[str, str]]:
        """Path and headers of a call (ACS3-HMAC-SHA256)."""
        self._count += 1
        query = "&".join(
            f"{urllib.parse.quote(k, safe='')}={urllib.parse.quote(str(v), safe='')}"
            for k, v in sorted({"RegionId": REGION, **params}.items())
        )
        payload = hashlib.sha256(b"").hexdigest()
        headers = {
            "host": self.host,
            "x-acs-action": action,
            "x-acs-content-sha256": payload,
            "x-acs-date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "x-acs-signature-nonce": f"{id(self)}-{self._count}",
            "x-acs-version": version,
        }
        names = ";".join(sorted(headers))
        canonical = "\n".join(
            [
                "POST",
                "/",
                query,
                "".join(f"{n}:{headers[n]}\n" for n in sorted(headers)),
                names,
                payload,
            ]
        )
        text = "ACS3-HMAC-SHA256\n" + hashlib.sha256(canonical.encode()).hexdigest()
        made = hmac.new(self.secret.encode(), text.encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = (
            f"ACS3-HMAC-SHA256 Credential={self.key},SignedHeaders={names},Signature={made}"
        )
        return f"/?{query}", headers

    def send(self, path: str, headers: dict[str, str]) -> tuple[float, dict[str, Any]]:
        """Milliseconds until the answer is there, and the answer."""
        began = time.perf_counter()
        self._connection.request("POST", path, headers=headers)
        raw = self._connection.getresponse()
        body = raw.read()
        took = (time.perf_counter() - began) * 1000
        answer: dict[str, Any] = json.loads(body)
        if raw.status != 200:
            raise RuntimeError(f"{headers['x-acs-action']}: {answer}")
        return took, answer

    def call(self, version: str, action: str, **params: Any) -> dict[str, Any]:
        """Sign, send, answer."""
        return self.send(
            *self.signed(
                version, action, {name.replace("__", "."): value for name, value in params.items()}
            )
        )[1]

    def cpu(self) -> float:
        """Seconds of processor time that the server has used."""
        times = self.server.cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        self._connection.close()


@dataclass(frozen=True, kw_only=True)
class Cloud:
    """The running cloud, from the host's side."""

    url: str
    pid: int

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")

    def admin(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(self.host, timeout=DEADLINE_S)
        try:
            headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
            connection.request(
                method, f"/admin{path}", body=json.dumps(body or {}), headers=headers
            )
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def accounts(self, count: int) -> list[dict[str, str]]:
        made: list[dict[str, str]] = self.admin("POST", "/accounts", {"count": count})["accounts"]
        return made

    def caller(self, account: dict[str, str]) -> Caller:
        return Caller(
            host=self.host,
            key=account["access_key_id"],
            secret=account["access_key_secret"],
            server=psutil.Process(self.pid),
        )


def fill(caller: Caller) -> dict[str, str]:
    """200 instances with their disks, and 200 security groups."""
    vpc = caller.call(VPC, "CreateVpc", CidrBlock="10.0.0.0/8", VpcName="bench")["VpcId"]
    time.sleep(0.2)  # creation takes its milliseconds
    switch = caller.call(
        VPC,
        "CreateVSwitch",
        VpcId=vpc,
        ZoneId=f"{REGION}-h",
        CidrBlock="10.1.0.0/16",
        VSwitchName="bench",
    )
    groups = [
        caller.call(ECS, "CreateSecurityGroup", VpcId=vpc, SecurityGroupName=f"group-{n}")[
            "SecurityGroupId"
        ]
        for n in range(ROWS)
    ]
    time.sleep(0.2)
    made = [
        caller.call(
            ECS,
            "RunInstances",
            VSwitchId=switch["VSwitchId"],
            SecurityGroupId=groups[0],
            ImageId=IMAGE,
            InstanceType="ecs.g7.large",
            InstanceName=f"web-{n}",
            Password=SECRET_WORD,
        )["InstanceIdSets"]["InstanceIdSet"][0]
        for n in range(ROWS)
    ]
    return {"vpc": vpc, "group": groups[0], "instance": made[ROWS // 2]}


def timed(
    caller: Caller,
    version: str,
    action: str,
    params: Callable[[int], dict[str, Any]],
    calls: int = CALLS,
) -> dict[str, float]:
    """Milliseconds of many calls: median, p95 and the rest."""
    requests = [caller.signed(version, action, params(n)) for n in range(calls)]
    # an idle connection is closed by the server: begin with a fresh one, and do not
    # count its opening
    caller.close()
    caller.call(VPC, "DescribeVpcs")
    spent = caller.cpu()
    samples = [caller.send(*request)[0] for request in requests]
    return {**_latencies(samples), "server_cpu": round((caller.cpu() - spent) * 1000 / calls, 4)}


def _latencies(samples: Sequence[float]) -> dict[str, float]:
    return {**spread(samples), "p95": round(sorted(samples)[int(len(samples) * 0.95) - 1], 4)}


def operations(caller: Caller, known: dict[str, str]) -> dict[str, dict[str, float]]:
    """Latencies by operation, in ms."""
    one = known["instance"]
    return {
        "describe_list": timed(
            caller, ECS, "DescribeInstances", lambda n: {"PageNumber": n % 20 + 1}
        ),
        "describe_list_of_50": timed(
            caller, ECS, "DescribeInstances", lambda n: {"PageSize": 50, "PageNumber": n % 4 + 1}
        ),
        "describe_one": timed(
            caller, ECS, "DescribeInstanceAttribute", lambda n: {"InstanceId": one}
        ),
        "describe_security_groups": timed(
            caller, ECS, "DescribeSecurityGroups", lambda n: {"PageSize": 50}
        ),
        "create_security_group": timed(
            caller,
            ECS,
            "CreateSecurityGroup",
            lambda n: {"VpcId": known["vpc"], "SecurityGroupName": f"more-{n}"},
        ),
        "modify_instance": timed(
            caller,
            ECS,
            "ModifyInstanceAttribute",
            lambda n: {"InstanceId": one, "InstanceName": f"name-{n}"},
        ),
        "refused": timed_refusals(caller),
    }


def timed_refusals(caller: Caller) -> dict[str, float]:
    """Calls that name what is not there."""
    samples = []
    caller.close()
    for _ in range(CALLS):
        path, headers = caller.signed(ECS, "StopInstance", {"InstanceId": "i-none"})
        began = time.perf_counter()
        try:
            caller.send(path, headers)
        except RuntimeError:
            samples.append((time.perf_counter() - began) * 1000)
    return _latencies(samples)


def health(cloud: Cloud) -> dict[str, float]:
    """An answer that costs nothing, over one connection: what HTTP alone takes."""
    connection = http.client.HTTPConnection(cloud.host, timeout=DEADLINE_S)
    samples = []
    for _ in range(CALLS):
        began = time.perf_counter()
        connection.request("GET", "/admin/health", headers={"authorization": f"Bearer {TOKEN}"})
        connection.getresponse().read()
        samples.append((time.perf_counter() - began) * 1000)
    connection.close()
    return _latencies(samples)


def busy(cloud: Cloud, caller: Caller, known: dict[str, str]) -> dict[str, float]:
    """A list's latency while other accounts send as much as one thread sends."""
    callers = [cloud.caller(account) for account in cloud.accounts(OTHERS)]
    ended = threading.Event()

    def others() -> None:
        while not ended.is_set():
            for other in callers:
                # it was idle for too long
                with contextlib.suppress(http.client.RemoteDisconnected):
                    other.call(VPC, "DescribeVpcs")

    thread = threading.Thread(target=others, name="others")
    thread.start()
    try:
        return timed(caller, ECS, "DescribeInstances", lambda n: {"PageSize": 50})
    finally:
        ended.set()
        thread.join(DEADLINE_S)
        for other in callers:
            other.close()


async def pages(cloud: Cloud, account: dict[str, str], peer: str) -> dict[str, dict[str, float]]:
    """Milliseconds from navigation to the first row that can be clicked."""
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(
            executable_path=find_chromium(None), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            listing = f"{cloud.url}/ecs/instances"
            return {
                "list_cold": _latencies(
                    [await _cold(browser, cloud, account, listing) for _ in range(PAGES)]
                ),
                "list_warm": _latencies(await _warm(browser, cloud, account, listing)),
                "static_cold": _latencies(
                    [await _cold(browser, cloud, account, peer) for _ in range(PAGES)]
                ),
                "static_warm": _latencies(await _warm(browser, cloud, account, peer)),
            }
        finally:
            await browser.close()


async def _context(browser: Browser, cloud: Cloud, account: dict[str, str]) -> BrowserContext:
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    body = {
        "account": account["account_id"],
        "user": account["user_name"],
        "password": account["password"],
    }
    reply = await context.request.post(f"{cloud.url}/console/api/sign-in", data=body)
    if not reply.ok:
        raise RuntimeError(f"sign-in: {reply.status} {await reply.text()}")
    return context


async def _interactive(page: Page, url: str) -> float:
    await page.goto(url, wait_until="commit")
    found = await page.wait_for_function(INTERACTIVE, polling="raf", timeout=DEADLINE_S * 1000)
    return float(await found.json_value())


async def _cold(browser: Browser, cloud: Cloud, account: dict[str, str], url: str) -> float:
    context = await _context(browser, cloud, account)
    try:
        return await _interactive(await context.new_page(), url)
    finally:
        await context.close()


async def _warm(browser: Browser, cloud: Cloud, account: dict[str, str], url: str) -> list[float]:
    context = await _context(browser, cloud, account)
    try:
        page = await context.new_page()
        await _interactive(page, url)
        return [await _interactive(page, url) for _ in range(PAGES)]
    finally:
        await context.close()


@contextmanager
def static_page(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The same rows as plain HTML, from loopback."""
    cells = "".join(
        "<tr><td><a"
        f" href='#'>{r['InstanceId']}</a></td><td>{r['InstanceName']}</td><td>{r['Status']}</td><td>{r['ZoneId']}</td></tr>"
        for r in rows
    )
    body = (
        "<!doctype html><html"
        f" lang=en><title>Instances</title><table><tbody>{cells}</tbody></table></html>".encode()
    )

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: this is a measurement."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, name="static")
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        thread.join(DEADLINE_S)
        server.server_close()


def instances(caller: Caller) -> list[dict[str, Any]]:
    """All rows, newest first, as the console shows them."""
    found: list[dict[str, Any]] = []
    for number in range(1, ROWS // 50 + 1):
        found += caller.call(ECS, "DescribeInstances", PageSize=50, PageNumber=number)["Instances"][
            "Instance"
        ]
    return found[::-1]


async def measure(folder: Path) -> dict[str, Any]:
    """Everything, in one run."""
    products = folder / "products"
    products.mkdir()
    without_quotas(products)
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-m", "benchmarks.devcloud", str(folder / "state"), str(products)],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=record.ROOT,
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        async with asyncio.timeout(DEADLINE_S):
            cloud = Cloud(url=(await process.stdout.readline()).decode().strip(), pid=process.pid)
        (account,) = await asyncio.to_thread(cloud.accounts, 1)
        caller = cloud.caller(account)
        known = await asyncio.to_thread(fill, caller)
        rows = await asyncio.to_thread(instances, caller)
        if len(rows) != ROWS:
            raise RuntimeError(f"{len(rows)} rows instead of {ROWS}")
        before = Load.now()
        with static_page(rows) as peer:
            shown = await pages(cloud, account, peer)
        caller.close()  # idle connections are closed by the server
        api = await asyncio.to_thread(operations, caller, known)
        api["health"] = await asyncio.to_thread(health, cloud)
        api["describe_list_of_50_busy"] = await asyncio.to_thread(busy, cloud, caller, known)
        caller.close()
        return {
            "rows": ROWS,
            "load_before": str(before),
            "load_after": str(Load.now()),
            "figures": {"api_ms": api, "page_ms": shown},
        }
    finally:
        process.stdin.close()
        await asyncio.wait_for(process.wait(), DEADLINE_S)


async def main() -> None:
    """Measure, and write the result."""
    with tempfile.TemporaryDirectory() as folder:
        async with asyncio.timeout(LIMIT_S):
            measured = await measure(Path(folder))
    content = {**await record.head("devcloud", n=CALLS), **measured}
    print(json.dumps(content["figures"], indent=2))
    print(record.write("devcloud", content))


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2])) if len(sys.argv) > 1 else main())
