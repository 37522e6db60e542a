"""What tests of the `llm` policy share: a policy on a served endpoint, turns, a
page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from proofwalk.agent.core.policy import PastStep, Task, Turn
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.console.observation import Box, Element, Observation, TextRun
from proofwalk.kernel.clock import SystemClock
from proofwalk.models.asking import Model
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from proofwalk.procedures.model import Procedure
from tests.agent.documents import procedure
from tests.models.fake_endpoint import FakeEndpoint

CODE = "c0dec0dec0dec0de"
SCREENSHOT = b"\xff\xd8not really a picture"


def settings_for(endpoint: FakeEndpoint, **more: Any) -> ModelSettings:
    chosen = {
        "endpoint": endpoint.url,
        "name": "fake-vl",
        "timeout_s": 5,
        "deadline_s": 10,
        "retries": 2,
        **more,
    }
    return ModelSettings.model_validate(chosen)


@asynccontextmanager
async def model_of(endpoint: FakeEndpoint, **more: Any) -> AsyncIterator[Model]:
    async with connect(settings_for(endpoint, **more), clock=SystemClock()) as model:
        assert model is not None
        yield model


@asynccontextmanager
async def policy_of(
    endpoint: FakeEndpoint, *, mask: Callable[[str], str] = lambda line: line, **more: Any
) -> AsyncIterator[LlmPolicy]:
    async with model_of(endpoint, **more) as model:
        yield LlmPolicy(model, code=CODE, mask=mask)


def page(
    *buttons: str,
    texts: tuple[str, ...] = (),
    screenshot: bytes = SCREENSHOT,
    title: str = "Instances",
) -> Observation:
    """A page with buttons, marked from 1."""
    elements = [
        Element(
            mark=mark,
            identity=name,
            role="button",
            tag="button",
            name=name,
            box=Box(x=10, y=40 * mark, width=90, height=30),
        )
        for mark, name in enumerate(buttons, 1)
    ]
    runs = [
        TextRun(text=text, box=Box(x=300, y=40 + 20 * index, width=400, height=18))
        for index, text in enumerate(texts)
    ]
    return Observation(
        url="http://console.test/ecs/instances",
        title=title,
        taken_at=datetime(2026, 1, 1, tzinfo=UTC),
        elements=tuple(elements),
        texts=tuple(runs),
        tabs=(),
        viewport=(1440, 900),
        scroll=(0, 0, 1440, 900),
        screenshot=screenshot,
    )


def turn_of(
    *steps: str,
    observation: Observation | None = None,
    history: tuple[PastStep, ...] = (),
    index: int = 0,
    document: Procedure | None = None,
    **task: Any,
) -> Turn:
    """A turn at a sub-step of a short document."""
    document = document or procedure(*(steps or ("Find the instance and click **Stop**.",)))
    return Turn(
        task=Task(procedure=document, **{"binds": {}, **task}),
        substep=document.substeps[index],
        index=index,
        observation=observation or page("Start", "Stop"),
        history=history,
        steps_left=40,
    )
