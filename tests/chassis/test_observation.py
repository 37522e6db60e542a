"""What a process shows of itself: logs without secrets, metrics, health."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import structlog
from prometheus_client import CollectorRegistry
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from proofwalk.chassis.http import HttpServer, health_app, split_address
from proofwalk.chassis.logs import Redaction, configure_logging
from proofwalk.chassis.metrics import RpcMetrics
from proofwalk.chassis.settings_sections import LogSettings
from proofwalk.kernel.errors import ProofwalkError, not_found
from tests.conftest import pytest_configure


class Log:
    """A configured log and what it wrote."""

    def __init__(self) -> None:
        self.stream = io.StringIO()
        self.redaction = Redaction(["registered-secret"])
        configure_logging(
            LogSettings(format="json", level="info"), self.redaction, stream=self.stream
        )
        self.write = structlog.get_logger()

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    handlers, level = logging.root.handlers[:], logging.root.level
    yield Log()
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)
    pytest_configure()


def test_an_event_is_one_json_line_with_what_was_bound(log: Log) -> None:
    with structlog.contextvars.bound_contextvars(
        service="rollout", job_id="ver_1", attempt=2, lease_epoch=3
    ):
        log.write.info("episode_started", document="a.md")
    log.write.debug("never_written")
    (event,) = log.events
    bound = {"service": "rollout", "job_id": "ver_1", "attempt": 2, "lease_epoch": 3}
    assert (
        event.items()
        >= {
            "event": "episode_started",
            "level": "info",
            "document": "a.md",
            **bound,
        }.items()
    )
    assert event["timestamp"].endswith("Z")


def test_no_kind_of_secret_is_written(log: Log) -> None:
    log.redaction.register("run-time-secret")
    try:
        raise ValueError("failed with registered-secret")
    except ValueError:
        log.write.exception(
            "things_failed",
            key=SecretStr("pydantic-secret"),
            password="by-its-key-1",
            nested={"authorization": "by-its-key-2", "list": [{"session_token": "by-its-key-3"}]},
            url="https://u:run-time-secret@host/",
            tokens=17,
            access_key_id="AK-public",
        )
    logging.getLogger("a.library").warning("sent %s", "registered-secret")
    for secret in ("registered-secret", "run-time-secret", "pydantic-secret", "by-its-key"):
        assert secret not in log.text
    assert log.events[0]["tokens"] == 17
    assert log.events[0]["access_key_id"] == "AK-public"
    assert "ValueError" in log.events[0]["exception"]
    assert log.events[1]["logger"] == "a.library"


def test_terminal_escapes_and_endless_texts_are_cut(log: Log) -> None:
    log.write.info(
        "page_seen", title="\x1b[31mred\x1b[0m \x1b]0;title\x07\x9b31m bell\x07", body="x" * 100_000
    )
    (event,) = log.events
    assert event["title"] == "red 31m bell"
    assert len(event["body"]) < 10_000


def test_an_error_of_ours_shows_its_code(log: Log) -> None:
    log.write.warning("call_failed", error=not_found("a.b", "no such thing"))
    assert log.events[0]["code"] == "a.b"
    assert log.events[0]["error"] == "no such thing"


async def test_metrics_and_readiness_over_http() -> None:
    registry = CollectorRegistry()
    RpcMetrics(registry).observe("server", "m", "OK", 0.2)
    ready = False
    async with (
        HttpServer(health_app(registry, lambda: ready), "127.0.0.1:0") as server,
        httpx2.AsyncClient() as client,
    ):
        assert (await client.get(f"{server.url}/livez")).status_code == 200
        assert (await client.get(f"{server.url}/readyz")).status_code == 503
        ready = True
        assert (await client.get(f"{server.url}/readyz")).status_code == 200
        text = (await client.get(f"{server.url}/metrics")).text
    assert 'proofwalk_rpc_calls_total{code="OK",method="m",side="server"} 1.0' in text


async def test_a_request_that_runs_when_the_server_stops_is_answered() -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def slow(_request: Request) -> PlainTextResponse:
        entered.set()
        await leave.wait()
        return PlainTextResponse("done")

    async with httpx2.AsyncClient() as client:
        async with HttpServer(Starlette(routes=[Route("/", slow)]), "127.0.0.1:0") as server:
            call = asyncio.create_task(client.get(server.url))
            await asyncio.wait_for(entered.wait(), 10)
            asyncio.get_running_loop().call_later(0.05, leave.set)
        assert (await call).text == "done"


async def test_an_occupied_port_is_named() -> None:
    async with HttpServer(Starlette(), "127.0.0.1:0") as server:
        with pytest.raises(ProofwalkError) as caught:
            await HttpServer(Starlette(), server.url.removeprefix("http://")).__aenter__()
    assert caught.value.code == "http.address_in_use"


@pytest.mark.parametrize("address", ["", "host", "host:", ":80", "host:http", "host:70000"])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(ProofwalkError) as caught:
        split_address(address)
    assert caught.value.code == "http.bad_address"
