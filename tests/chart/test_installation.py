"""The default rendering, come alive: each container's environment starts its role, and
the roles find each other by what the chart told them.

Processes of the roles are in this one, services are loopback ports, the browser is a
fake, rows are SQLite and Redis is started by the chart's own script. Everything else is
as rendered: which role has which address, port, secret and setting.
"""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from redis.asyncio import Redis
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as Unreachable

from proofwalk.chassis.redis_server import server_program
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.streams import stream_key
from proofwalk.chassis.trust import system_trust
from proofwalk.platform.installation import free_port
from proofwalk.platform.roles import choose
from proofwalk.platform.settings import Settings
from proofwalk.rollout.worker import GROUP, STREAM
from proofwalk.sandbox_scheduler.main import role as sandbox_scheduler
from tests.chart.rendering import containers, named, rendered, workloads
from tests.chart.test_roles import settings_of
from tests.e2e.installation import home
from tests.sandbox_scheduler.setting import FakeBackend

PLACE = re.compile(r"(0\.0\.0\.0|127\.0\.0\.1|trial-proofwalk-[a-z-]+):(\d+)")
ORDER = (
    "devcloud",
    "account-pool",
    "sandbox-scheduler",
    "resource-provisioner",
    "reward-service",
    "inference",
    "rollout",
    "inspection",
    "gateway",
)


class Network:
    """Loopback ports that stand for pods and services."""

    def __init__(self) -> None:
        self._ports: dict[tuple[str, str], int] = {}

    def port(self, component: str, port: str) -> int:
        """The port that stands for a component's."""
        return self._ports.setdefault((component, port), free_port())

    def placed(self, container: Mapping[str, Any], component: str) -> dict[str, Any]:
        """A container whose addresses are of this machine; its own are those of its
        pod."""

        def place(match: re.Match[str]) -> str:
            other = (
                match[1].removeprefix("trial-proofwalk-")
                if match[1].startswith("trial")
                else component
            )
            return f"127.0.0.1:{self.port(other, match[2])}"

        env = [
            {**item, "value": PLACE.sub(place, item["value"])} if "value" in item else item
            for item in container["env"]
        ]
        if component == "devcloud":
            own = {
                "PROOFWALK_DEVCLOUD__HOST": "127.0.0.1",
                "PROOFWALK_DEVCLOUD__PORT": str(self.port("devcloud", "8470")),
            }
            env = [{**item, "value": own.get(item["name"], item.get("value"))} for item in env]
        return {**container, "env": env}


@contextmanager
def bundled_redis(folder: Path, port: int) -> Iterator[str]:
    """The server as the chart's container starts it; gives its URL with the
    password."""
    (container,) = named(rendered("default"), "StatefulSet", "-redis")["spec"]["template"]["spec"][
        "containers"
    ]
    (folder / "password").write_text("of-the-secret", encoding="ascii")
    script = container["args"][0]
    assert all(
        part in script for part in ("/run/secrets/proofwalk/", "/tmp", "port 6379", "valkey-server")
    )
    script = script.replace("/tmp", str(folder)).replace("/run/secrets/proofwalk/", f"{folder}/")
    script = script.replace("port 6379", f"port {port}").replace(
        "valkey-server", str(server_program())
    )
    assert container["command"] == ["sh", "-ec"]
    server = subprocess.Popen([*container["command"], script], stdout=subprocess.DEVNULL)
    try:
        yield f"redis://:of-the-secret@127.0.0.1:{port}/0"
    finally:
        server.terminate()
        server.wait(timeout=20)


async def until_answered(client: Redis) -> None:
    """Until the server takes connections."""
    async with asyncio.timeout(60):
        while True:
            try:
                await client.ping()
                return
            except Unreachable:
                await asyncio.sleep(0.05)


async def test_the_bundled_redis_asks_for_the_password_of_the_secret() -> None:
    with home() as folder, bundled_redis(folder, free_port()) as url:
        async with Redis.from_url(url) as client:
            await until_answered(client)
            assert (await client.config_get("save"))["save"] == ""
        async with Redis.from_url(url.replace("of-the-secret", "another")) as stranger:
            with pytest.raises(AuthenticationError):
                await stranger.ping()


@asynccontextmanager
async def risen(
    folder: Path, network: Network, redis_url: str
) -> AsyncIterator[dict[str, Settings]]:
    """Every role of the default rendering, started in order; gives their settings."""
    found = {
        container["name"]: network.placed(container, workload.component)
        for workload in workloads(rendered("default"))
        for container in containers(workload)
        if container["name"] in ORDER
    }
    assert set(found) == set(ORDER)
    settings = {}
    async with AsyncExitStack() as exits:
        for name in ORDER:
            own = folder / name
            own.mkdir()
            secrets = {"database-url": f"sqlite:///{own}/rows.sqlite3", "redis-url": redis_url}
            told, roles = choose(name, settings_of(found[name], own, secrets=secrets))
            if name == "sandbox-scheduler":
                roles = [sandbox_scheduler(told.sandbox_scheduler, backend=FakeBackend())]
            await exits.enter_async_context(Process(told, roles))
            settings[name] = told
        yield settings


async def test_the_roles_come_up_and_find_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network()
    monkeypatch.setenv("DEVCLOUD_URL", f"http://127.0.0.1:{network.port('devcloud', '8470')}")
    with home() as folder, bundled_redis(folder, free_port()) as redis_url:
        async with Redis.from_url(redis_url) as redis:
            await until_answered(redis)
        async with (
            risen(folder, network, redis_url) as settings,
            httpx2.AsyncClient(trust_env=False, verify=system_trust(), timeout=20) as client,
        ):
            for name, told in settings.items():
                for path in ("/livez", "/readyz"):
                    assert (
                        await client.get(f"http://{told.metrics_address}{path}")
                    ).status_code == 200, name
            gateway = f"http://{settings['gateway'].gateway.address}"
            assert (await client.get(f"{gateway}/readyz")).status_code == 200
            headers = {"Authorization": "Bearer secret of gateway-api-key"}
            targets = (await client.get(f"{gateway}/v1/targets", headers=headers)).json()["targets"]
            assert [target["id"] for target in targets] == ["devcloud"]
            assert (await client.get(f"{gateway}/v1/targets")).status_code == 401
            pool = f"http://{settings['account-pool'].metrics_address}/metrics"
            async with asyncio.timeout(60):
                while 'state="free",target="devcloud"} 4.0' not in (await client.get(pool)).text:
                    await asyncio.sleep(0.2)
            async with Redis.from_url(redis_url, decode_responses=True) as redis:
                (group,) = await redis.xinfo_groups(stream_key(STREAM))
                assert (group["name"], group["consumers"]) == (GROUP, 1)
