"""The gateway and the rollout role wired by their own `main.py`, in one process, over
their real sockets."""

from __future__ import annotations

import asyncio
import contextlib

import httpx2

from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.chassis.trust import system_trust
from proofwalk.gateway import main as gateway_main
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.rollout import main as rollout_main
from proofwalk.rollout.settings import RolloutSettings

DOCUMENT = "# Stop\n\n1. Click **Instances**.\n2. Click **Stop**.\n"
BROKEN_TARGET = """
id: broken
title: A console without accounts
adapter: generic
console: {url: "http://127.0.0.1:9"}
"""


async def _events(client: httpx2.AsyncClient, path: str) -> list[str]:
    answer = await client.get(f"{path}/events", headers={"Accept": "application/json"})
    return [event["type"] for event in answer.json()["events"]]


async def test_a_verification_goes_from_http_to_its_rows_and_back(
    process_settings: ProcessSettings,
) -> None:
    targets = process_settings.home / "targets"
    targets.mkdir()
    (targets / "broken.yaml").write_text(BROKEN_TARGET)
    settings = process_settings.model_copy(update={"drain_grace_s": 3.0})
    # A hold that outlives the test: no account pool runs here, and the episode waits
    # for it until the drain.
    rollout = rollout_main.role(RolloutSettings(targets=targets, reconcile_s=0.1), environment={})
    gateway = gateway_main.role(GatewaySettings(address="127.0.0.1:0"))
    async with Process(settings, [rollout, gateway]) as process:
        await process.channel("rollout").wait_until_ready(10)
        home = process_settings.home
        url, key = (home / "run" / "gateway.url").read_text(), (home / "gateway.key").read_text()
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(
            base_url=url, headers=headers, timeout=20, trust_env=False, verify=system_trust()
        ) as client:
            assert (await client.get("/readyz")).status_code == 200
            assert [
                target["id"] for target in (await client.get("/v1/targets")).json()["targets"]
            ] == ["devcloud"]
            for unknown in ("moon", "broken"):
                refused = await client.post(
                    "/v1/verifications", json={"document": {"text": DOCUMENT}, "target": unknown}
                )
                assert (refused.status_code, refused.json()["code"]) == (404, "target.unknown")
            body = {"document": {"text": DOCUMENT, "name": "stop.md"}, "target": "devcloud"}
            made = await client.post(
                "/v1/verifications", json=body, headers={"Idempotency-Key": "k"}
            )
            assert made.status_code == 202, made.text
            path = made.headers["location"]
            async with asyncio.timeout(10):
                while (await client.get(path)).json()["state"] != "running":
                    await asyncio.sleep(0.02)
            async with asyncio.timeout(10):
                # A verification is running from its claim on; its first episode tells
                # of itself a moment later.
                while len(stored := await _events(client, path)) < 2:
                    await asyncio.sleep(0.02)
            assert stored[:2] == ["verification_queued", "episode_started"]
            report = await client.get(f"{path}/report")
            assert (report.status_code, report.json()["code"]) == (409, "verification.not_finished")
            failed = asyncio.ensure_future(process.wait())
            await asyncio.sleep(0)
            assert not failed.done(), "a loop ended"
            failed.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await failed
    assert not (process_settings.home / "run" / "gateway.url").exists()
