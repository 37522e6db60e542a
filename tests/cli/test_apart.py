"""A role in a process of its own."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest
from pydantic import SecretStr

from proofwalk.api.inference.v1 import inference_pb2 as pb
from proofwalk.api.inference.v1.inference_pb2_grpc import InferenceStub
from proofwalk.chassis.processes import BOUNDED
from proofwalk.chassis.role_process import Process
from proofwalk.inference.settings import InferenceSettings
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.platform.apart import role_apart, section_environment
from proofwalk.platform.roles import NAMES, choose
from proofwalk.platform.settings import Settings, read_settings
from proofwalk.sandbox_scheduler.settings import KubernetesSettings, SandboxSchedulerSettings
from tests.fixtures.liveness import is_alive


@pytest.mark.parametrize(
    ("name", "section"),
    [
        (
            "inference",
            InferenceSettings(
                engine="embedded",
                weights=Path("/models/a b"),
                dtype="auto",
                threads=2,
                api_key=SecretStr("k3y"),
            ),
        ),
        ("inference", InferenceSettings()),
        (
            "sandbox_scheduler",
            SandboxSchedulerSettings(
                backend="kubernetes",
                desktop_image=Path("/d"),
                warm=0,
                kubernetes=KubernetesSettings(
                    node_selector={"a": "b"}, tolerations=({"key": "x"},)
                ),
            ),
        ),
    ],
)
def test_a_section_of_the_settings_is_the_same_in_the_other_process(
    name: str, section: object
) -> None:
    told = section_environment(name, section)  # type: ignore[arg-type]
    assert getattr(read_settings(told), name) == section


def _processes_of(folder: Path) -> list[psutil.Process]:
    return [
        one
        for one in psutil.process_iter(["environ"])
        if (one.info["environ"] or {}).get("PROOFWALK_HOME", "").startswith(str(folder))
        and is_alive(one)
    ]


async def test_it_serves_at_its_address_to_the_others_and_ends_with_the_block(
    home: Path, tmp_path: Path
) -> None:
    settings = Settings(home=home)
    async with role_apart("inference", settings) as address:
        chosen, roles = choose(
            "all",
            settings.model_copy(update={"addresses": {"inference": address}}),
            without=("inference",),
        )
        assert [role.name for role in roles] == [name for name in NAMES if name != "inference"]
        async with Process(chosen, []) as process:
            stub = InferenceStub(process.channel("inference").grpc)
            with pytest.raises(ProofwalkError) as caught:
                await stub.ListVersions(pb.ListVersionsRequest(), timeout=20)
            assert caught.value.code == "inference.no_engine"
        assert _processes_of(home)
    assert not _processes_of(home)


@pytest.mark.parametrize(("ours", "theirs"), [("", "PASSIVE"), ("ACTIVE", "ACTIVE")])
async def test_its_threads_sleep_where_they_wait_unless_somebody_has_said_otherwise(
    home: Path, monkeypatch: pytest.MonkeyPatch, ours: str, theirs: str
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if ours:
        monkeypatch.setenv("OMP_WAIT_POLICY", ours)
    async with role_apart("inference", Settings(home=home)):
        environments = [one.info["environ"] for one in _processes_of(home)]
    assert {one["OMP_WAIT_POLICY"] for one in environments} == {theirs}
    assert all(one.items() >= BOUNDED.items() for one in environments)


async def test_one_that_cannot_start_says_why(home: Path) -> None:
    settings = Settings(home=home, inference=InferenceSettings(engine="embedded"))
    with pytest.raises(ProofwalkError) as caught:
        async with role_apart("inference", settings):
            pass
    assert caught.value.code == "role.not_started"
    assert "PROOFWALK_INFERENCE__WEIGHTS" in caught.value.message
    assert not _processes_of(home)
