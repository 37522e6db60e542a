"""Samples, configurations and roles: what the tests of the trainer role share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import yaml

from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.api.trainer.v1.trainer_pb2_grpc import TrainerStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.datasets.chat_samples import ChatMessage, ChatSample, PreferencePair
from proofwalk.datasets.sample_files import write_preferences, write_samples
from proofwalk.trainer import main
from proofwalk.trainer.settings import TrainerSettings

FAKE = Path(__file__).parent / "fake_child.py"
QUICK = TrainerSettings(
    retry_s=0.05,
    hold_ttl_s=2,
    reconcile_s=0.1,
    poll_s=0.05,
    drain_s=2,
    page_every=1,
    held_against=(),
)
"""Holds runs against no suite, which takes seconds to read; `test_leaks` does."""


def chat_samples(count: int, *, seed: int = 0, question: str = "") -> list[ChatSample]:
    """Short questions whose answers are their last word."""
    chance = Random(seed)
    found = []
    for number in range(count):
        words = [
            chance.choice(["start", "stop", "list", "tag", "delete"])
            for _ in range(chance.randint(1, 3))
        ]
        messages = (
            ChatMessage(role="system", text="Answer."),
            ChatMessage(role="user", text=question or " ".join(words)),
        )
        sample = dict.fromkeys(ChatSample.__dataclass_fields__, "x")
        found.append(
            ChatSample(
                **{  # type: ignore[arg-type]
                    **sample,
                    "messages": messages,
                    "answer": words[-1],
                    "episode": f"e{number}",
                    "step": number,
                }
            )
        )
    return found


def write_data(path: Path, samples: Sequence[ChatSample]) -> Path:
    write_samples(path, samples, about={})
    return path


def chat_pairs(count: int, *, seed: int = 0) -> list[PreferencePair]:
    """The same questions; the last word is right, `never` is not."""
    return [
        PreferencePair(
            **{**vars(sample), "rejected": "never", "paradigm": "correction", "reference": "r"}
        )
        for sample in chat_samples(count, seed=seed)
    ]


def write_preference_data(path: Path, pairs: Sequence[PreferencePair]) -> Path:
    write_preferences(path, pairs, about={})
    return path


def configuration(model: Path, data: Path, **more: Any) -> str:
    """SFT of 12 steps on 32 samples, a checkpoint every 4."""
    settings = {
        "learning_rate": 5e-3,
        "batch_size": 8,
        "epochs": 3,
        "checkpoint_every": 4,
        **more.pop("settings", {}),
    }
    return yaml.safe_dump(
        {"method": "sft", "model": str(model), "data": str(data), "settings": settings, **more}
    )


def fake(*behaviour: str) -> tuple[str, ...]:
    """A program in the place of `proofwalk.trainer.child`; see `fake_child`."""
    return (sys.executable, str(FAKE), *behaviour)


@asynccontextmanager
async def running(
    process_settings: ProcessSettings,
    settings: TrainerSettings = QUICK,
    *,
    program: Sequence[str] = main.PROGRAM,
) -> AsyncIterator[tuple[Any, Process]]:
    async with Process(process_settings, [main.role(settings, program=program)]) as process:
        channel = process.channel("trainer")
        await channel.wait_until_ready(10)
        yield TrainerStub(channel.grpc), process


async def start(stub: Any, run_id: str, config: str, **more: Any) -> pb.Run:
    reply: pb.StartRunResponse = await stub.StartRun(
        pb.StartRunRequest(run_id=run_id, config_yaml=config, **more), timeout=20
    )
    return reply.run


async def get(stub: Any, run_id: str) -> pb.Run:
    reply: pb.GetRunResponse = await stub.GetRun(pb.GetRunRequest(run_id=run_id), timeout=10)
    return reply.run


async def watch(stub: Any, run_id: str, *, timeout_s: float = 50, **more: Any) -> list[pb.Metric]:
    return [
        metric
        async for metric in stub.WatchRun(
            pb.WatchRunRequest(run_id=run_id, **more), timeout=timeout_s
        )
    ]


async def until(stub: Any, run_id: str, *states: str, timeout_s: float = 20) -> pb.Run:
    """The run, once it is in one of the states."""
    async with asyncio.timeout(timeout_s):
        while (run := await get(stub, run_id)).state not in states:
            await asyncio.sleep(0.02)
    return run


async def happens(check: Callable[[], bool], timeout_s: float = 20) -> None:
    async with asyncio.timeout(timeout_s):
        while not check():
            await asyncio.sleep(0.01)
