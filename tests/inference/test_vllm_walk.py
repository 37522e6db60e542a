"""A policy's walk on vLLM itself: the roles, a real browser, and a server on this
machine's CPU that answers every question, before and after its weights were replaced
while it serves.

The model is random, so the walks come to nothing; what they show is that each of their
answers is the served version's own, by its tokens and log-probabilities.
"""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.orders.body import read_request
from proofwalk.rl.logprobs import score
from proofwalk.rl.samples import Sample
from proofwalk.trajectories.records import ExchangeRecord
from proofwalk.trajectories.trajectory import Trajectory
from tests.e2e.generic_console import DOCUMENT, RULE, running
from tests.e2e.installation import Installation, home
from tests.inference import tiny
from tests.inference.real_vllm import HIDDEN, vllm_serving

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.browser,
    pytest.mark.timeout(600),
]
CONTEXT = 8192
ASKED = {
    "ROLLOUT__MODEL__VIA": "inference",
    "ROLLOUT__MODEL__LAYOUT": "compact",
    "ROLLOUT__MODEL__ANSWERS": "schema",
    "ROLLOUT__MODEL__VISION": "false",
    "ROLLOUT__MODEL__TOKEN_IDS": "true",
    "ROLLOUT__MODEL__LOGPROBS": "true",
    "ROLLOUT__MODEL__CONTEXT_TOKENS": "4096",
    "ROLLOUT__MODEL__MAX_TOKENS": "160",
    "ROLLOUT__MODEL__PAGE_CHARS": "300",
    "ROLLOUT__MODEL__STEPS_PER_SUBSTEP": "2",
    "ROLLOUT__MODEL__TEMPERATURE": "1",
    "INFERENCE__ENGINE": "vllm",
    "INFERENCE__MODEL": "tiny",
}


async def _walked(installation: Installation, key: str, folder: Path) -> list[ExchangeRecord]:
    """The questions of a walk by the model; that it failed is the policy's."""
    body = {
        "document": {"text": DOCUMENT, "name": "create.md"},
        "target": "harbor",
        "rule": RULE,
        "policy": "llm",
        "attempts": 1,
    }
    created = await installation.client.create(read_request(body), key=key)
    done = await installation.finish(created["verification_id"])
    assert done["verdict"]["outcome"] == "agent_failure", done["verdict"]
    bundle = await installation.client.artefact(
        created["verification_id"], "trajectory?images=true"
    )
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        archive.extractall(folder)
    exchanges = [one for step in Trajectory.load(folder) for one in step.exchanges]
    assert exchanges
    return exchanges


def _held_to(model: Path, exchanges: Sequence[ExchangeRecord]) -> None:
    """What was told of each answer's tokens is what the model of a folder says of
    them."""
    samples = [Sample(prompt=one.prompt_token_ids, completion=one.token_ids) for one in exchanges]
    loaded = LlamaForCausalLM.from_pretrained(model, dtype=torch.float32).eval()
    for one, values in zip(
        exchanges, score(loaded, samples, microbatch_tokens=CONTEXT), strict=True
    ):
        assert list(one.logprobs) == pytest.approx(list(values), abs=1e-3)


async def test_walks_are_answered_by_the_version_that_vllm_serves(tmp_path: Path) -> None:
    base = tiny.save(tmp_path / "base", hidden=HIDDEN, tied=False, context=CONTEXT)
    other = tiny.save(tmp_path / "other", seed=7, hidden=HIDDEN, tied=False, context=CONTEXT)
    with vllm_serving(base, tmp_path, dtype="float32", context=CONTEXT) as url, home() as folder:
        given = {**ASKED, "INFERENCE__ENDPOINT": url}
        async with running(folder, given) as (installation, _):
            first = await _walked(installation, "first", tmp_path / "first")
            stub: Any = InferenceStub(installation.process.channel("inference").grpc)
            request = pb.LoadWeightsRequest(policy_version="step-1", uri=str(other))
            await stub.LoadWeights(request, timeout=120)
            second = await _walked(installation, "second", tmp_path / "second")
    versions = [{one.model.rpartition("@")[2] for one in walk} for walk in (first, second)]
    assert versions[1] == {"step-1"} != versions[0]
    await asyncio.to_thread(_held_to, base, first)
    await asyncio.to_thread(_held_to, other, second)
