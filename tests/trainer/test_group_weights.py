"""Weights on their way: whole or not there, named for ever, the latest kept; and what
the real inference role makes of them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import LoraConfig, get_peft_model
from safetensors.torch import load_file

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.role_process import Process
from proofwalk.chassis.settings import ProcessSettings
from proofwalk.inference import main
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.clock import ManualClock
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.rl.rollouts import version_of
from proofwalk.suites.model import Suite
from proofwalk.suites.storage import write_suite
from proofwalk.trainer.configuration import RolloutsConfig
from proofwalk.trainer.group_rollouts import GroupRollouts, group_rollouts
from proofwalk.trainer.group_weights import WeightsFolder
from tests.inference import tiny
from tests.rl.kit import tiny_model, tiny_tokenizer
from tests.trainer.group_place import Place
from tests.trainer.test_group_tasks import TASK

pytestmark = pytest.mark.filterwarnings(tiny.PEFT_WARNING)


def weights_in(place: Place) -> list[str]:
    return sorted(path.name for path in (place.folder / "run" / "weights").iterdir())


async def publish(source: GroupRollouts, step: int, model: Any) -> None:
    await asyncio.to_thread(source.publish, version_of(step), model)


async def test_the_latest_weights_are_kept_and_each_is_loaded_once(place: Place) -> None:
    source = await place.source()
    for step in (1, 1, 2, 3, 4):
        await publish(source, step, tiny_model(step))
    assert place.roles.inference.loaded == [f"run_1@{version_of(step)}" for step in range(5)]
    # max_staleness + 2
    assert weights_in(place) == [version_of(step) for step in (2, 3, 4)]
    files = {path.name for path in (place.folder / "run" / "weights" / version_of(4)).iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= files


async def test_a_resumed_run_gives_the_same_weights_the_same_name_and_others_another(
    place: Place,
) -> None:
    for step in (1, 2):
        await publish(await place.source(), step, tiny_model(step))
    resumed = await place.source(version=version_of(1))
    assert place.roles.inference.serving == "run_1@step-00000001+1", (
        "it is another model than the one that was published"
    )
    await publish(resumed, 2, tiny_model(2))
    assert place.roles.inference.serving == "run_1@step-00000002"
    again = await place.source(version="")
    await publish(again, 2, tiny_model(2))
    assert place.roles.inference.serving == "run_1@step-00000002"
    assert len(place.roles.inference.digests) == 4
    (group,) = await place.roll(again, step=2, stop_1=1)
    assert group.rollouts[0].samples[0].policy_version == "step-00000002"


async def test_rollouts_of_renamed_weights_are_of_their_step(place: Place) -> None:
    await publish(await place.source(), 1, tiny_model(1))
    source = await place.source(version=version_of(1))
    assert place.roles.inference.serving.endswith("+1")
    (group,) = await place.roll(source, step=1, stop_1=1)
    assert group.rollouts[0].samples[0].policy_version == "step-00000001"


async def test_weights_that_the_role_did_not_take_are_offered_again(place: Place) -> None:
    source = await place.source()
    place.roles.inference.fault = ProofwalkError(
        "inference.bad_weights", "no", status=unavailable("x", "y").status
    )
    with pytest.raises(ProofwalkError, match="no"):
        await publish(source, 1, tiny_model(1))
    await publish(source, 1, tiny_model(1))
    assert place.roles.inference.loaded == ["run_1@step-00000000", "run_1@step-00000001"]


def test_what_was_left_half_written_is_cleared_away(tmp_path: Path) -> None:
    folder = WeightsFolder(tmp_path, keep=2)
    (folder.write(tiny_model(), tiny_tokenizer()) / "half").write_text("")
    aside = folder.write(tiny_model(), tiny_tokenizer())
    placed = folder.place(aside, version_of(7))
    assert placed is not None
    assert not (placed / "half").exists()
    assert [path.name for path in tmp_path.iterdir()] == [version_of(7)]
    folder.prune(5)
    assert list(tmp_path.iterdir()) == [], "a life before a crash had come further"


def test_bf16_is_written_from_a_copy(tmp_path: Path) -> None:
    model = tiny_model()
    aside = WeightsFolder(tmp_path, keep=2, precision="bf16").write(model, tiny_tokenizer())
    assert {tensor.dtype for tensor in load_file(aside / "model.safetensors").values()} == {
        torch.bfloat16
    }
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def lora(model: Any) -> Any:
    torch.manual_seed(3)
    adapted = get_peft_model(
        model,
        LoraConfig(
            r=4, lora_alpha=8, target_modules=["q_proj", "down_proj"], task_type="CAUSAL_LM"
        ),
    )
    for name, parameter in adapted.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    return adapted.eval()


@pytest.mark.parametrize("kind", ["full", "merged", "adapter"])
async def test_the_embedded_engine_serves_what_was_published(
    process_settings: ProcessSettings, home: Path, tmp_path: Path, kind: str
) -> None:
    base = tiny.save(tmp_path / "base")
    write_suite(Suite(id="train", version=1, seed=0, tasks=(TASK,)), tmp_path / "suite")
    model = tiny.model_of(7) if kind == "full" else lora(tiny.model_of(0))
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    async with Process(
        process_settings, [main.role(InferenceSettings(engine="embedded", weights=base))]
    ) as process:
        channel = process.channel("inference")
        await channel.wait_until_ready(10)
        source = await asyncio.to_thread(
            group_rollouts,
            RolloutsConfig(suite=tmp_path / "suite", tasks_per_step=1),
            run_id="run_1",
            folder=tmp_path / "run",
            rollout=f"unix:{home}/nobody.sock",
            inference=process_settings.address_of("inference"),
            tokenizer=tiny.tokenizer_of(),
            settings=Place.settings,
            clock=ManualClock(),
            adapters=kind == "adapter",
        )
        try:
            await publish(source, 1, model)
        finally:
            await asyncio.to_thread(source.close)
        rows = [pb.Continuation(prompt_token_ids=[1, 2, 3], completion_token_ids=[4, 5, 256])]
        scored = await InferenceStub(channel.grpc).Score(
            pb.ScoreRequest(continuations=rows), timeout=20
        )
    assert scored.policy_version == "run_1@step-00000001"
    with torch.no_grad():
        logits = model(torch.tensor([[1, 2, 3, 4, 5, 256]])).logits[0].log_softmax(dim=-1)
    wanted = [float(logits[2 + place, token]) for place, token in enumerate((4, 5, 256))]
    assert list(scored.continuations[0].logprobs) == pytest.approx(wanted, abs=1e-4)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items()), (
        "the model is as it was"
    )
