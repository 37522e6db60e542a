"""The role in a process, over its contract and over REST: what a collection is made of,
who sees it, and what cannot be done yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from proofwalk.api.inspection.v1 import inspection_pb2 as pb
from proofwalk.api.inspection.v1.inspection_pb2_grpc import InspectionsStub
from proofwalk.api.rollout.v1 import rollout_pb2
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway import main as gateway
from proofwalk.gateway.keys import URL_FILE
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.inspection import main as inspection
from proofwalk.inspection.settings import InspectionSettings
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.fixtures.described import holding

PAGE = "# Stop an instance\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
CONCEPT = "# What an instance is\n\nA machine.\n"


def _key(name: str) -> str:
    return f"pw_{name}_of_the_tests_alone"


@dataclass(frozen=True, kw_only=True)
class World:
    """The role and a gateway before it; rollout is away."""

    stub: InspectionsStub
    ann: httpx2.AsyncClient
    bob: httpx2.AsyncClient
    folder: Path

    def body(self, **changes: Any) -> dict[str, Any]:
        source = {"kind": "folder", "address": str(self.folder)}
        return {"name": "docs", "source": source, "order": {"target": "devcloud"}, **changes}


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root") / "docs"
    folder.mkdir()
    (folder / "stop.md").write_text(PAGE, encoding="utf-8")
    (folder / "concept.md").write_text(CONCEPT, encoding="utf-8")
    (folder / "broken.md").write_text(PAGE, encoding="utf-8")
    (folder / "broken.rule.yaml").write_bytes(b"\xff\xfe\x00")
    return folder


@pytest.fixture
async def world(process_settings: ProcessSettings, documents: Path) -> AsyncIterator[World]:
    keys = {name: SecretStr(_key(name)) for name in ("ann", "bob")}
    roles = [
        inspection.role(InspectionSettings(roots=[documents.parent], poll_s=0.05)),
        gateway.role(GatewaySettings(address="127.0.0.1:0", api_keys=keys)),
    ]
    async with Process(process_settings, roles) as process:
        channel = process.channel("inspection")
        await channel.wait_until_ready(10)
        url = (process_settings.home / "run" / URL_FILE).read_text(encoding="ascii")

        def client(name: str) -> httpx2.AsyncClient:
            headers = {"Authorization": f"Bearer {_key(name)}"}
            return httpx2.AsyncClient(
                base_url=url,
                headers=headers,
                timeout=20,
                trust_env=False,
                verify=system_trust(),
                event_hooks=holding(),
            )

        async with client("ann") as ann, client("bob") as bob:
            stub = InspectionsStub(channel.grpc)
            yield World(stub=stub, ann=ann, bob=bob, folder=documents)


async def refusal(call: Awaitable[object]) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        await call
    return caught.value


async def test_a_collection_is_made_changed_and_deleted_by_its_owner_alone(world: World) -> None:
    made = await world.ann.post("/v1/collections", json=world.body(concurrency=2))
    assert made.status_code == 201
    path = made.headers["Location"]
    assert (await world.ann.get(path)).json() == made.json()
    assert made.json()["spec"] == world.body(concurrency=2)
    again = await world.ann.post("/v1/collections", json=world.body())
    assert (again.status_code, again.json()["code"]) == (409, "collection.name_taken")
    changed = world.body(schedule={"cron": "0 3 * * 1"}, weights=[{"pattern": "*", "weight": 2}])
    answer = await world.ann.put(path, json=changed)
    assert answer.json()["spec"] == {**changed, "weights": [{"pattern": "*", "weight": 2.0}]}
    assert answer.json()["next_run_at"]
    for method in ("GET", "PUT", "DELETE"):
        json = changed if method == "PUT" else None
        theirs = await world.bob.request(method, path, json=json)
        nobodys = await world.bob.request(method, f"{path}x", json=json)
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.json()["code"] == nobodys.json()["code"]
    for further in ("/inspections", "/history?procedure_id=a"):
        assert (await world.bob.get(path + further)).status_code == 404
    assert (await world.bob.post(f"{path}/inspections")).status_code == 404
    assert (await world.bob.get("/v1/collections")).json() == {"collections": []}
    assert (await world.ann.delete(path)).status_code == 204
    assert (await world.ann.get(path)).status_code == 404


async def test_an_inspection_waits_for_rollout_says_so_and_can_be_cancelled(world: World) -> None:
    made = (await world.ann.post("/v1/collections", json=world.body())).json()
    begun = await world.ann.post(made["links"]["inspections"])
    assert begun.status_code == 202
    path = begun.headers["Location"]
    async with asyncio.timeout(30):
        while not (found := (await world.ann.get(path)).json())["progress"]["total"]:
            await asyncio.sleep(0.05)
    second = await world.ann.post(made["links"]["inspections"])
    assert (second.status_code, second.json()["code"]) == (409, "inspection.under_way")
    items = (await world.ann.get(f"{path}/items")).json()["items"]
    told = {item["page"]: (item["due"], item["code"]) for item in items}
    assert told == {"stop.md": ("new", ""), "broken.md": ("not_due", "rule.not_text")}
    assert found["progress"]["total"] == 1
    assert "seconds_left" not in found["progress"], "nothing was measured yet"
    for theirs in (path, f"{path}/items"):
        assert (await world.bob.get(theirs)).status_code == 404
    assert (await world.bob.post(f"{path}:cancel")).status_code == 404
    assert (await world.ann.post(f"{path}:cancel")).json()["state"] == "cancelling"
    assert (await world.bob.get("/v1/inspections")).json()["inspections"] == []
    assert len((await world.ann.get("/v1/inspections")).json()["inspections"]) == 1


async def test_what_cannot_be_kept_is_refused_with_its_reason(world: World, tmp_path: Path) -> None:
    link = world.folder.parent / "link"
    link.symlink_to(tmp_path)

    def folder(address: object) -> dict[str, Any]:
        return {"source": {"kind": "folder", "address": str(address)}}

    refusals: dict[str, list[dict[str, Any]]] = {
        "collection.outside_roots": [folder(tmp_path), folder(link), folder("/nowhere")],
        "collection.bad_source": [
            folder("docs"),
            {"source": {"kind": "git", "address": "git@example.com:docs.git"}},
            {"source": {"kind": "git", "address": "https://example.com/a", "branch": "-x"}},
            {"source": {"kind": "git", "address": str(world.folder)}},
            {"source": {"kind": "site", "address": "https://a:b@example.com/"}},
            {"source": {"kind": "sitemap", "address": "ftp://example.com/s.xml"}},
            {"source": {"kind": "sitemap", "address": "https://a.com/s.xml", "branch": "x"}},
        ],
        "schedule.bad_cron": [{"schedule": {"cron": "0 3 * *"}}],
        "schedule.bad_time_zone": [{"schedule": {"cron": "0 3 * * *", "time_zone": "Mars"}}],
        "request.malformed": [{"concurrency": 0}, {"budget": {"cost": -1}}, {"order": {}}],
    }
    for code, changes in refusals.items():
        for change in changes:
            answer = await world.ann.post("/v1/collections", json=world.body(**change))
            assert answer.json()["code"] == code, change
            assert answer.status_code == 422
    link.unlink()


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "git", "address": "https://example.com/a", "subfolder": "docs", "branch": "v1"},
        {"kind": "sitemap", "address": "https://example.com/sitemap.xml"},
        {"kind": "site", "address": "https://example.com/docs/", "subfolder": "/docs/"},
    ],
)
async def test_every_kind_of_source_is_kept(world: World, source: dict[str, str]) -> None:
    made = await world.ann.post(
        "/v1/collections", json=world.body(name=source["kind"], source=source)
    )
    assert made.status_code == 201, made.text
    assert made.json()["spec"]["source"] == source
    await world.ann.delete(made.headers["location"])


async def test_a_call_says_for_whom_it_is_made(world: World) -> None:
    error = await refusal(world.stub.ListCollections(pb.ListCollectionsRequest(), timeout=5))
    assert error.code == "caller.missing"
    operator = rollout_pb2.Caller(operator=True)
    asked = pb.CreateCollectionRequest(collection_id="c", caller=operator)
    error = await refusal(world.stub.CreateCollection(asked, timeout=5))
    assert (error.code, error.status) == ("caller.missing", Status.INVALID_ARGUMENT)
    error = await refusal(
        world.stub.ListInspections(
            pb.ListInspectionsRequest(caller=operator, page_token="x"), timeout=5
        )
    )
    assert error.code == "page.bad_token"
