"""An episode's recording: published with its verdict, kept through a crash, never the
reason for a failure."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from proofwalk.agent.core.endings import Completed
from proofwalk.kernel.errors import ProofwalkError, unavailable
from proofwalk.rollout import episode_usecases, usecases
from proofwalk.rollout.claimed_episode import EpisodeDeps
from proofwalk.rollout.episode_repository import EpisodeRow
from proofwalk.rollout.ports import WalkListeners
from proofwalk.rollout.recordings import EpisodeRecording, artefact, forget_blobs, forget_journals
from proofwalk.rollout.walk_order import WalkOrder
from proofwalk.rollout.worker import Worker
from proofwalk.trajectories.trajectory import Trajectory
from tests.rollout.fakes import _step
from tests.rollout.setting import SUBSTEPS, Setting


def _trajectory(setting: Setting, episode: EpisodeRow) -> Trajectory:
    address = episode.facts["artefacts"]["trajectory"]
    return Trajectory.load(setting.blobs.path(address), blobs=setting.folder / "blobs")


def _journals(setting: Setting) -> list[Path]:
    return list((setting.folder / "journals").glob("*"))


async def test_a_finished_episode_has_a_trajectory_with_its_outcome(setting: Setting) -> None:
    await setting.create()
    await setting.finish()
    (episode,) = await setting.episodes()
    trajectory = _trajectory(setting, episode)
    assert (trajectory.episode.episode_id, trajectory.episode.verification_id) == (
        episode.id,
        "ver_1",
    )
    assert [substep.number for substep in trajectory.episode.substeps] == ["1", "2", "3"]
    assert (trajectory.ending.outcome, trajectory.ending.evidence, trajectory.ending.complete) == (
        "verified",
        "audit",
        True,
    )
    trace = episode.facts["trace_id"]
    assert (len(trace), trajectory.episode.trace_id) == (32, trace), "an episode is one trace"
    steps = list(trajectory)
    assert [step.step for step in steps] == list(range(1, SUBSTEPS + 1))
    assert trajectory.image(steps[0].screenshot) == b"jpeg"
    assert _journals(setting) == []
    row = await setting.row()
    data = await artefact("trajectory", row, episode, blobs=setting.blobs)
    assert data == await setting.blobs.get(episode.facts["artefacts"]["trajectory"])
    assert (await artefact("bundle", row, episode, blobs=setting.blobs)).startswith(b"PK")


async def test_what_the_walk_keeps_can_be_fetched_and_what_it_does_not_is_explained(
    setting: Setting,
) -> None:
    await setting.create(trace=True)

    async def script(order: WalkOrder, listeners: WalkListeners) -> Completed:
        assert order.asked.trace
        await listeners.keep("trace", b"PK a trace")
        return Completed(note="done")

    setting.world.walker.script = script
    await setting.finish()
    (episode,) = await setting.episodes()
    row = await setting.row()
    assert await artefact("trace", row, episode, blobs=setting.blobs) == b"PK a trace"
    for kind, about, code, said in (
        ("har", row, "artefact.not_recorded", "its episode 1 recorded none"),
        (
            "har",
            replace(row, order=row.order.model_copy(update={"trace": False})),
            "artefact.not_recorded",
            "none was asked for",
        ),
        ("video", row, "artefact.unknown_kind", "video"),
    ):
        with pytest.raises(ProofwalkError) as refused:
            await artefact(kind, about, episode, blobs=setting.blobs)
        assert refused.value.code == code
        assert said in refused.value.message
    with pytest.raises(ProofwalkError) as refused:
        await artefact("trajectory", row, None, blobs=setting.blobs)
    assert refused.value.code == "artefact.not_recorded"
    await setting.blobs.collect(older_than_s=-1)
    with pytest.raises(ProofwalkError) as refused:
        await artefact("trajectory", row, episode, blobs=setting.blobs)
    assert refused.value.code == "artefact.collected"


async def test_a_successor_publishes_what_a_dead_worker_recorded(setting: Setting) -> None:
    row = await setting.create()
    held = await usecases.claim(
        setting.db, row.id, holder="dead", ttl=timedelta(seconds=1), clock=setting.clock
    )
    assert held is not None
    lost = await episode_usecases.start_episode(
        setting.db, held, episode_id="ep_lost", clock=setting.clock
    )
    recording = EpisodeRecording(
        row, lost, folder=setting.folder / "journals", blobs=setting.blobs, clock=setting.clock
    )
    await setting.create("ver_other")
    await setting.finish("ver_other")
    order = setting.world.walker.orders[-1]
    await recording.begin(order)
    await recording.step(_step(0, "1", setting.clock.now()))
    await recording.step(_step(1, "2", setting.clock.now()))
    (journal,) = _journals(setting)
    journal.write_bytes(journal.read_bytes()[:-5])

    setting.clock.advance(5)
    await setting.finish(holder="successor")
    adopted, second = await setting.episodes()
    assert adopted.lost
    trajectory = _trajectory(setting, adopted)
    assert [step.step for step in trajectory] == [1]
    assert (trajectory.ending.outcome, trajectory.ending.complete) == ("env_failure", False)
    assert len(_trajectory(setting, second)) == SUBSTEPS
    assert _journals(setting) == []


async def test_an_environment_failure_is_recorded_with_no_reward(setting: Setting) -> None:
    await setting.create()

    async def script(order: WalkOrder, listeners: WalkListeners) -> Completed:
        raise unavailable("browser.disconnected", "the browser is gone")

    setting.world.walker.script = script
    await setting.finish()
    episode = (await setting.episodes())[0]
    trajectory = _trajectory(setting, episode)
    assert (trajectory.ending.outcome, trajectory.ending.evidence) == ("env_failure", "none")
    assert len(trajectory) == SUBSTEPS


async def test_a_folder_that_cannot_be_written_costs_the_recording_and_nothing_else(
    setting: Setting,
) -> None:
    (setting.folder / "journals").write_text("a file where the folder should be")
    await setting.create()
    row = await setting.finish()
    assert row.verdict is not None
    assert row.verdict.judgement.outcome.kind == "verified"
    (episode,) = await setting.episodes()
    with pytest.raises(ProofwalkError) as refused:
        await artefact("trajectory", row, episode, blobs=setting.blobs)
    assert "it could not be written" in refused.value.message


async def test_journals_that_nobody_writes_to_are_forgotten(setting: Setting) -> None:
    folder = setting.folder / "journals"
    folder.mkdir()
    for name, age in (("old.journal", 100), ("young.journal", 0), ("other.txt", 100)):
        (folder / name).write_bytes(b"PWJ1")
        os.utime(folder / name, (time.time() - age,) * 2)
    assert await forget_journals(folder, older_than_s=50) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["other.txt", "young.journal"]


async def test_what_is_older_than_it_is_kept_goes_and_documents_stay(setting: Setting) -> None:
    await setting.create()
    await setting.finish()
    row, (episode,) = await setting.row(), await setting.episodes()
    for blob in (setting.folder / "blobs").glob("??/*"):
        os.utime(blob, (time.time() - 100,) * 2)
    assert await forget_blobs(setting.db, setting.blobs, older_than_s=500) == 0
    assert await forget_blobs(setting.db, setting.blobs, older_than_s=50) > 0
    assert await setting.blobs.has(row.document_digest)
    with pytest.raises(ProofwalkError, match="was deleted"):
        await artefact("trajectory", row, episode, blobs=setting.blobs)


async def test_without_recordings_nothing_is_written(setting: Setting) -> None:
    await setting.create()
    deps: EpisodeDeps = replace(setting.deps(), journals=None)
    await Worker(deps, ids=setting.ids, holder="worker_1").attend("ver_1")
    (episode,) = await setting.episodes()
    assert "trajectory" not in episode.facts["artefacts"]
    assert _journals(setting) == []
