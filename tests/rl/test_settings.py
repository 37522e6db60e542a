"""Settings, presets and schedules."""

from __future__ import annotations

import subprocess
import sys

import pytest

from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.json_values import JsonObject
from proofwalk.rl.schedules import factor
from proofwalk.rl.settings import (
    GrpoSettings,
    SftSettings,
    WebrlSettings,
    presets,
    settings_from,
)


def test_the_defaults_are_the_papers() -> None:
    grpo = GrpoSettings()
    assert (grpo.group_size, grpo.oversampling, grpo.clip_low, grpo.clip_high) == (
        16,
        1.25,
        0.2,
        0.2,
    )
    assert (grpo.kl, grpo.kl_coefficient, grpo.learning_rate, grpo.validate_every) == (
        "mse",
        0.1,
        5e-7,
        5,
    )
    sft = SftSettings()
    assert (sft.learning_rate, sft.schedule, sft.epochs, sft.adaptation) == (
        1e-5,
        "cosine",
        1,
        "full",
    )


def test_every_preset_is_read_names_its_source_and_what_is_ours() -> None:
    found = presets()
    assert {
        "aliyun-console-agent-sft",
        "aliyun-console-agent-grpo",
        "computerrl-grpo",
        "webrl-sft",
    } <= found.keys()
    for preset in found.values():
        given = "learning rate" in preset.source or "e-" in preset.source
        assert given != ("learning_rate" in preset.ours)
        assert set(preset.ours) <= set(type(preset.settings).model_fields)
    paper = found["aliyun-console-agent-grpo"].settings
    assert isinstance(paper, GrpoSettings)
    assert paper.model_dump(
        include={"group_size", "kl", "kl_coefficient", "learning_rate"}
    ) == GrpoSettings().model_dump(include={"group_size", "kl", "kl_coefficient", "learning_rate"})


def test_presets_normalise_as_their_papers_do_or_say_what_they_leave_out() -> None:
    found = presets()
    aliyun, computerrl = found["aliyun-console-agent-grpo"], found["computerrl-grpo"]
    assert isinstance(aliyun.settings, GrpoSettings)
    assert isinstance(computerrl.settings, GrpoSettings)
    assert (aliyun.settings.group_statistics, aliyun.settings.batch_statistics) == (
        "trajectories",
        "all",
    )
    assert (computerrl.settings.group_statistics, computerrl.settings.batch_statistics) == (
        "steps",
        "none",
    )
    assert computerrl.settings.aggregation == "sequence", "1/ΣL_i over steps"
    assert any("Entropulse" in line for line in computerrl.not_done)


def test_the_preset_of_webrl_is_its_method_and_says_what_it_leaves_out() -> None:
    preset = presets()["webrl"]
    paper = preset.settings
    assert isinstance(paper, WebrlSettings)
    assert (paper.advantage_mixing, paper.discount, paper.replay_confidence) == (
        0.5,
        0.9,
        (0.5, 0.95),
    )
    same = {"learning_rate", "critic", "critic_learning_rate", "replay_capacity", "replay_ratio"}
    assert paper.model_dump(include=same) == WebrlSettings().model_dump(include=same)
    assert any("curriculum" in line for line in preset.not_done)
    assert any("reward model" in line for line in preset.not_done)


def test_a_configuration_overrides_its_preset() -> None:
    found = settings_from(
        {"preset": "aliyun-console-agent-grpo", "group_size": 8, "lora": {"rank": 4}}
    )
    assert isinstance(found, GrpoSettings)
    assert (found.group_size, found.lora.rank, found.precision) == (8, 4, "bf16")
    assert isinstance(settings_from({"method": "sft", "epochs": 2}), SftSettings)


@pytest.mark.parametrize(
    ("config", "code", "says"),
    [
        ({"preset": "unheard-of"}, "rl.preset_unknown", "aliyun-console-agent-grpo"),
        ({"method": "ppo"}, "rl.settings_invalid", "ppo"),
        ({}, "rl.settings_invalid", "None"),
        ({"method": "grpo", "grup_size": 4}, "rl.settings_invalid", "grup_size"),
        (
            {"method": "grpo", "group_statistics": "steps"},
            "rl.settings_invalid",
            "batch_statistics none",
        ),
        ({"method": "grpo", "group_size": 1}, "rl.settings_invalid", "group_size"),
        ({"preset": "webrl-sft", "method": "grpo"}, "rl.settings_invalid", "webrl-sft"),
        ({"method": "webrl", "beta": 0}, "rl.settings_invalid", "beta"),
        ({"method": "webrl", "discount": 1.1}, "rl.settings_invalid", "discount"),
        ({"method": "webrl", "kl": "mse"}, "rl.settings_invalid", "kl"),
        (
            {"method": "webrl", "replay_confidence": [0.95, 0.5]},
            "rl.settings_invalid",
            "lowest < highest",
        ),
        ({"method": "webrl", "processes": "accelerate"}, "rl.settings_invalid", "one process"),
    ],
)
def test_a_wrong_configuration_is_told_what_is_wrong(
    config: JsonObject, code: str, says: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        settings_from(config)
    assert caught.value.code == code
    assert says in str(caught.value)


def test_settings_presets_and_advantages_need_no_torch() -> None:
    program = (
        "import sys; from proofwalk.rl import settings, advantages, schedules; settings.presets();"
        " assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=50)


def test_the_cosine_rises_over_the_warm_up_and_falls_to_its_floor() -> None:
    rates = [
        factor(step, 12, kind="cosine", warmup_share=1 / 6, floor_share=0.1) for step in range(12)
    ]
    assert rates[:3] == [0.5, 1.0, 1.0]
    assert rates[7] == pytest.approx(0.55)  # half way of the ten after the warm-up
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert 0.1 < rates[-1] < 0.13


def test_the_constant_schedule_is_constant_after_its_warm_up() -> None:
    assert [factor(step, 4, kind="constant", warmup_share=0.5) for step in range(4)] == [
        0.5,
        1.0,
        1.0,
        1.0,
    ]
    with pytest.raises(ValueError):
        factor(4, 4, kind="constant")
