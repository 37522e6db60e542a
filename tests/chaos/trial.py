"""One trial: request a verification, kill one process at a point of its life, start it
again, and see that all is well.

All is well when the verdict is the right one, was written once, and the installation
comes to rest with nothing left behind: see `Cluster.remains`. The point is drawn from
the seed: an event of the history, and a delay after it that reaches into what follows.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from proofwalk.cli.documents import asked_of
from proofwalk.cli.order_options import Given
from proofwalk.orders.order import Order
from proofwalk.orders.verification import VerificationBody
from tests.chaos.cluster import REDIS, ROLES, ROOT, Cluster

VICTIMS = (*ROLES, REDIS)
VERDICT_S = 240.0
REST_S = 90.0
PLAIN = "examples/docs/01-vpc-create-vpc.md"
WITH_META = "examples/docs/02-vpc-create-vswitch.rst"
EVENTS = (
    "verification_queued",
    "episode_started",
    "account_leased",
    "resources_provisioned",
    "sandbox_acquired",
    "signed_in",
    "step_taken",
    "walk_finished",
    "episode_judged",
    "resources_destroyed",
    "account_released",
)
_GIVEN = Given(order=Order(target="devcloud", attempts=3))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a seed stands for."""

    seed: int
    victim: str
    document: str
    event: str
    occurrence: int
    delay_s: float


def draw(seed: int) -> Plan:
    """Each process in turn, at a random point."""
    chance = random.Random(seed)
    victim = VICTIMS[seed % len(VICTIMS)]
    document = WITH_META if victim == "resource_provisioner" or chance.random() < 0.4 else PLAIN
    events = [
        event for event in EVENTS if document == WITH_META or event != "resources_provisioned"
    ]
    event = chance.choice(events)
    # Provisioning takes long and says nothing in between, so its victim dies inside of
    # it more often than not.
    if victim == "resource_provisioner" and chance.random() < 0.6:
        event = "account_leased"
    occurrence = chance.randint(1, 6) if event == "step_taken" else 1
    # The end of an episode goes fast: a long delay after it would find it over.
    late = event in EVENTS[EVENTS.index("walk_finished") :]
    longest = 0.3 if late else 5.0 if event == "account_leased" and document == WITH_META else 1.5
    delay_s = round(chance.uniform(0, longest if event != "account_released" else 0.02), 2)
    return Plan(
        seed=seed,
        victim=victim,
        document=document,
        event=event,
        occurrence=occurrence,
        delay_s=delay_s,
    )


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a trial went; seconds are counted from the kill."""

    plan: Plan
    verdict_s: float
    recovery_s: float
    episodes: int
    last_event: str
    """What had happened last when the process was killed."""

    def figures(self) -> dict[str, Any]:
        return {
            **asdict(self.plan),
            **{key: value for key, value in asdict(self).items() if key != "plan"},
        }


async def run(cluster: Cluster, plan: Plan) -> Result:
    """Carry a plan out; raises AssertionError with the role, the point and the logs."""
    sizes = cluster.log_sizes()
    story: list[str] = [str(plan)]
    verification_id = ""
    try:
        async with cluster.client() as client:
            asked = asked_of(str(ROOT / plan.document), _GIVEN)
            created = await client.create(asked, key=f"chaos-{plan.seed}-{time.time_ns()}")
            verification_id = str(created["verification_id"])
            await _reach(cluster, verification_id, plan)
            last = (cluster.events(verification_id) or [("nothing", "")])[-1][0]
            story.append(f"killed {plan.victim} after {last}")
            killed = time.monotonic()
            await asyncio.to_thread(cluster.kill, plan.victim)
            cluster.start(plan.victim)
            await _finished(cluster, verification_id)
            verdict_s = time.monotonic() - killed
            found = await client.get(verification_id)
        _check(found, cluster.events(verification_id))
        while remains := await asyncio.to_thread(cluster.remains, verification_id):
            assert time.monotonic() - killed - verdict_s < REST_S, (
                f"left behind after {REST_S:g} s: {remains}"
            )
            await asyncio.sleep(0.2)
    except Exception as error:
        events = "\n".join(f"{kind} {data[:300]}" for kind, data in cluster.events(verification_id))
        told = "\n".join(story)
        logs = cluster.logs(since=sizes)
        raise AssertionError(f"{error!r}\n{told}\n{verification_id}\n{events}\n{logs}") from error
    recovery_s = round(time.monotonic() - killed, 2)
    episodes = [kind for kind, _ in cluster.events(verification_id)].count("episode_started")
    return Result(
        plan=plan,
        verdict_s=round(verdict_s, 2),
        recovery_s=recovery_s,
        episodes=episodes,
        last_event=last,
    )


async def _reach(cluster: Cluster, verification_id: str, plan: Plan) -> None:
    deadline = time.monotonic() + VERDICT_S
    while True:
        kinds = [kind for kind, _ in cluster.events(verification_id)]
        if kinds.count(plan.event) >= plan.occurrence or "verification_finished" in kinds:
            break
        assert time.monotonic() < deadline, f"{plan.event} did not come; so far {kinds}"
        await asyncio.sleep(0.02)
    await asyncio.sleep(plan.delay_s)


async def _finished(cluster: Cluster, verification_id: str) -> None:
    deadline = time.monotonic() + VERDICT_S
    while "verification_finished" not in [kind for kind, _ in cluster.events(verification_id)]:
        assert time.monotonic() < deadline, f"no verdict within {VERDICT_S:g} s"
        await asyncio.sleep(0.1)


def _check(verification: VerificationBody, events: list[tuple[str, str]]) -> None:
    verdict = verification["verdict"]
    assert verdict["outcome"] == "verified", f"{verdict['outcome']}: {verdict['reason']}"
    assert verdict["evidence"] == "audit"
    kinds = [kind for kind, _ in events]
    assert kinds.count("verification_finished") == 1
    assert kinds[-1] == "verification_finished"
    assert kinds.count("episode_started") == kinds.count("episode_finished")


def record(results: list[Result], path: Path, *, commit: str, machine: str) -> None:
    """Write the figures of a whole run."""
    seconds = sorted(result.recovery_s for result in results)
    figures = {
        "recovery_median_s": seconds[len(seconds) // 2],
        "recovery_max_s": seconds[-1],
        "verdict_median_s": sorted(result.verdict_s for result in results)[len(results) // 2],
        "killed_after_the_verdict": sum(
            result.last_event == "verification_finished" for result in results
        ),
        "lost_or_repeated_episodes": sum(result.episodes - 1 for result in results),
        "trials": [result.figures() for result in results],
    }
    document = {
        "name": "chaos",
        "n": len(results),
        "commit": commit,
        "machine": machine,
        "figures": figures,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
