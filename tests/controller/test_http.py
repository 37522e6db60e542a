"""The routes as AgentBench's client knows them, and what hostile clients get."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import pytest

from proofwalk.chassis.trust import system_trust
from proofwalk.controller.http_api import build_app, serve
from proofwalk.controller.owners import Owners
from proofwalk.controller.sessions import SessionLimits, Sessions
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError
from tests.controller.environments import GONE, RIGHT, ButtonTasks

ANN, BOB = "token-of-ann-0123456789", "token-of-bob-0123456789"
CLICK = {"content": f'{{"type": "click", "id": {RIGHT}}}'}


@dataclass(frozen=True, kw_only=True)
class Served:
    tasks: ButtonTasks
    http: httpx2.AsyncClient


async def _serving(owners: Owners, **limits: int) -> AsyncIterator[Served]:
    tasks, clock = ButtonTasks(), ManualClock()
    async with Sessions([tasks], clock=clock, limits=SessionLimits(**limits)) as sessions:
        app = build_app(sessions, owners=owners, clock=clock)
        async with (
            serve(app, "127.0.0.1:0") as server,
            httpx2.AsyncClient(
                base_url=f"{server.url}/api", trust_env=False, verify=system_trust()
            ) as http,
        ):
            yield Served(tasks=tasks, http=http)


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async for one in _serving(Owners()):
        yield one


@pytest.fixture
async def guarded() -> AsyncIterator[Served]:
    async for one in _serving(Owners({"ann": ANN, "bob": BOB})):
        yield one


async def test_agentbenchs_client_finds_its_way(served: Served) -> None:
    assert (await served.http.get("/get_indices", params={"name": "buttons"})).json() == ["a", "b"]
    listed = (await served.http.get("/list_workers")).json()["buttons"]["workers"]["0"]
    assert (listed["capacity"], listed["current"], listed["status"]) == (2, 0, 0)
    begun = await served.http.post("/start_sample", json={"name": "buttons", "index": "a"})
    told = begun.json()
    assert (begun.status_code, told["output"]["status"]) == (200, "running")
    assert told["output"]["history"][0].keys() == {"role", "content"}
    assert told["output"]["picture"] is None
    session = {"session_id": told["session_id"]}
    sessions = (await served.http.get("/list_sessions")).json()
    assert sessions[str(told["session_id"])]["index"] == "a"
    over = await served.http.post("/interact", json={**session, "agent_response": CLICK})
    output = over.json()["output"]
    assert (output["status"], output["result"]["score"]) == ("completed", 1.0)
    overall = await served.http.post(
        "/calculate_overall",
        json={"name": "buttons", "results": [output, {"index": "b", "status": "task error"}]},
    )
    assert overall.json() == {
        "total": 2,
        "scored": 1,
        "excluded": 1,
        "success_rate": 1.0,
        "mean_score": 1.0,
        "statuses": {"completed": 1, "task error": 1},
    }


async def test_a_task_error_under_an_interaction_is_a_501_with_the_output(served: Served) -> None:
    asked = {"name": "buttons", "index": "a", "pictures": True}
    begun = (await served.http.post("/start_sample", json=asked)).json()
    assert begun["output"]["picture"]
    served.tasks.step_fails = GONE
    session = {"session_id": begun["session_id"]}
    failed = await served.http.post("/interact", json={**session, "agent_response": CLICK})
    assert failed.status_code == 501
    output = failed.json()["detail"]["output"]
    assert (output["status"], output["result"]["score"]) == ("task error", None)
    over = await served.http.post("/interact", json={**session, "agent_response": CLICK})
    assert (over.status_code, over.json()["code"]) == (409, "desktop.gone")


async def test_no_free_place_is_what_agentbench_waits_for(served: Served) -> None:
    for _ in range(2):
        await served.http.post("/start_sample", json={"name": "buttons", "index": "a"})
    full = await served.http.post("/start_sample", json={"name": "buttons", "index": "a"})
    assert (full.status_code, full.json()["code"]) == (406, "controller.no_place")
    assert (await served.http.post("/cancel_all")).status_code == 200
    assert served.tasks.alive == 0


async def test_sessions_belong_to_who_has_the_token(guarded: Served) -> None:
    http = guarded.http
    for headers in ({}, {"Authorization": "Bearer no"}, {"Authorization": "Basic ???"}):
        refused = await http.get("/list_workers", headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (401, "controller.bad_token")
    ann, bob = {"Authorization": f"Bearer {ANN}"}, httpx2.BasicAuth("bob", BOB)
    asked = {"name": "buttons", "index": "a"}
    begun = (await http.post("/start_sample", json=asked, headers=ann)).json()
    session = {"session_id": begun["session_id"]}
    stolen = await http.post("/interact", json={**session, "agent_response": CLICK}, auth=bob)
    assert (stolen.status_code, stolen.json()["code"]) == (404, "controller.no_session")
    assert (await http.get("/list_sessions", auth=bob)).json() == {}
    silent = await http.post("/interact", content=b"not read", headers={})
    assert silent.json()["code"] == "controller.bad_token", "before anything of it is read"
    ended = await http.post("/cancel", json=session, headers=ann)
    assert ended.json() == session


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"{", {}, 422, "controller.malformed"),
        (b"[" * 50_000, {}, 400, "controller.malformed"),
        (b'{"session_id": -1, "agent_response": {}}', {}, 422, "controller.malformed"),
        (b'{"session_id": 1e400, "agent_response": {}}', {}, 422, "controller.malformed"),
        (b'{"session_id": 9, "agent_response": {}}', {}, 404, "controller.no_session"),
        (
            b'{"session_id": 9, "agent_response": {"content": "%s"}}' % (b"x" * 20_001),
            {},
            422,
            "controller.malformed",
        ),
        (b"{}", {"Content-Type": "text/plain"}, 415, "controller.not_json"),
        (b"{}", {"Host": "evil.example"}, 421, "controller.foreign_host"),
        (b"{}", {"Host": "[::1"}, 421, "controller.foreign_host"),
        (b"", {"Content-Length": "", "Transfer-Encoding": "chunked"}, 411, "controller.no_length"),
    ],
)
async def test_hostile_requests_get_typed_refusals(
    served: Served, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    sent = {"Content-Type": "application/json", **headers}
    if sent.get("Content-Length") == "":
        del sent["Content-Length"]
    answer = await served.http.post("/interact", content=content, headers=sent)
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, code), told
    assert "Traceback" not in answer.text


async def test_a_body_is_refused_by_its_length_before_it_is_read(served: Served) -> None:
    host, port = served.http.base_url.host, served.http.base_url.port
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(
        b"POST /api/interact HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 99999999\r\n\r\n"
    )
    assert b" 413 " in await reader.readline()
    writer.close()
    await writer.wait_closed()


async def test_an_unknown_route_is_a_typed_refusal(served: Served) -> None:
    answer = await served.http.get("/receive_heartbeat")
    assert (answer.status_code, answer.json()["code"]) == (404, "controller.no_route")


async def test_only_this_machine_is_served_without_tokens() -> None:
    async with Sessions([], clock=ManualClock()) as sessions:
        app = build_app(sessions, owners=Owners(), clock=ManualClock(), hosts=())
        with pytest.raises(ProofwalkError) as caught:
            serve(app, "0.0.0.0:0")
        assert caught.value.code == "controller.open_to_all"
        guarded = build_app(sessions, owners=Owners({"ann": ANN}), clock=ManualClock(), hosts=())
        async with serve(guarded, "0.0.0.0:0") as server:
            assert server.url
