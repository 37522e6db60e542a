"""A recorded walk: what went in comes out, whatever broke on the way; nothing in it is
a secret; a picture is kept once."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofwalk.agent.core.environment import StepEvent
from proofwalk.agent.core.policy import Decision, Turn
from proofwalk.chassis.local_blobs import LocalBlobs
from proofwalk.console.actions import Click, SubStepComplete
from proofwalk.console.observation import Observation
from proofwalk.console.safety.redaction import Secrets
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.client import AnswerForm, Completion, Exchange, Image, Message
from proofwalk.trajectories import journal, schema
from proofwalk.trajectories.recorder import Published, Recorder, discard, publish
from proofwalk.trajectories.records import EndingRecord, EpisodeRecord, StepRecord, SubStepText
from proofwalk.trajectories.trajectory import Trajectory, bundle, images_in
from tests.agent.documents import run
from tests.agent.fake_console import FakeConsole

CANARY = 'pa"ss/wörd-77'
SECRETS = Secrets({"console_password": CANARY})
MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
EPISODE = EpisodeRecord(
    episode_id="ep_1",
    verification_id="ver_1",
    trace_id="a" * 32,
    target="devcloud",
    policy="llm",
    title="Stop an instance",
    substeps=(SubStepText(number="1", text="Click Stop.", line=4),),
    viewport=(1440, 900),
    started_at=MOMENT,
)


class Pictured(FakeConsole):
    """A console with a camera: the picture changes with the page."""

    async def observe(self) -> Observation:
        seen = await super().observe()
        return replace(
            seen,
            screenshot=f"marked {self.path}".encode(),
            raw_screenshot=f"raw {self.path}".encode(),
        )


class Model:
    """Answers with a click, then completes; its exchanges are what an endpoint
    gives."""

    name = "model"

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    async def decide(self, turn: Turn) -> Decision:
        self.turns.append(turn)
        picture = Image(jpeg=turn.observation.screenshot, width=1440, height=900)
        question = (
            Message(role="system", text="You walk documents."),
            Message(role="user", text=f"The page says {CANARY}", images=(picture,)),
        )
        good = Completion(
            text='{"thought": "…"}',
            finish_reason="stop",
            model="tiny-2026",
            tokens_in=900,
            tokens_out=3,
            prompt_token_ids=(1, 2),
            token_ids=(11, 12, 13),
            logprobs=(-0.25, -1.5, 0.0),
            seconds=0.75,
        )
        bad = replace(good, text="no JSON", token_ids=(), logprobs=())
        exchanges = (
            Exchange(
                messages=question, form=AnswerForm.JSON, completion=bad, error="it is no JSON"
            ),
            Exchange(messages=question, form=AnswerForm.SCHEMA, completion=good),
        )
        action = Click(id=1) if len(self.turns) == 1 else SubStepComplete(note="done")
        return Decision(
            thought=f"thinking of {CANARY}",
            action=action,
            exchanges=exchanges,
            malformed=1,
            model="tiny-2026",
            cost=0.25,
            by="llm",
        )

    async def close(self) -> None:
        pass


async def _recorded(
    folder: Path, path: Path | None = None
) -> tuple[list[StepEvent], LocalBlobs, Path]:
    blobs = LocalBlobs(folder / "blobs")
    events: list[StepEvent] = []
    await run(Pictured(), "Click **Stop**.", policy=Model(), events=events)
    path = path or folder / "work" / "ep_1.journal"
    recorder = await Recorder.begin(path, EPISODE, blobs=blobs, secrets=SECRETS)
    for event in events:
        await recorder.step(replace(event, settle_ms=12.5))
    return events, blobs, path


async def _published(
    folder: Path, **ending: object
) -> tuple[Published, Path, LocalBlobs, list[StepEvent]]:
    events, blobs, path = await _recorded(folder)
    published = await publish(
        path,
        EndingRecord(**{"outcome": "verified", "evidence": "audit", **ending}),  # type: ignore[arg-type]
        blobs=blobs,
    )
    assert published is not None
    return published, blobs.path(published.address), blobs, events


async def test_a_walk_is_read_back_as_it_was(tmp_path: Path) -> None:
    published, file, _, events = await _published(tmp_path)
    trajectory = Trajectory.load(file, blobs=tmp_path / "blobs")
    assert trajectory.episode == EPISODE
    assert trajectory.ending == EndingRecord(outcome="verified", evidence="audit")
    steps = list(trajectory)
    assert len(trajectory) == len(steps) == published.steps == len(events) == 2
    for step, event in zip(steps, events, strict=True):
        assert event.observation is not None
        assert step.observation == replace(event.observation, screenshot=b"", raw_screenshot=b"")
        assert (step.step, step.substep, step.action, step.result, step.ok) == (
            event.step,
            event.substep,
            event.action,
            event.result,
            event.ok,
        )
        assert (step.started_at, step.ended_at) == (event.started_at, event.ended_at)
        assert step.timing.settle_ms == 12.5
        assert trajectory.image(step.screenshot) == event.screenshot
        assert trajectory.image(step.raw_screenshot) == event.raw_screenshot
        bad, good = step.exchanges
        assert (bad.error, bad.form, good.error, good.form) == (
            "it is no JSON",
            "json",
            "",
            "schema",
        )
        assert (good.token_ids, good.logprobs, good.prompt_token_ids) == (
            (11, 12, 13),
            (-0.25, -1.5, 0.0),
            (1, 2),
        )
        assert (good.finish_reason, good.model, good.tokens_in, good.seconds) == (
            "stop",
            "tiny-2026",
            900,
            0.75,
        )
        assert [message.role for message in good.messages] == ["system", "user"]
        assert [trajectory.image(address) for address in good.messages[1].images] == [
            event.screenshot
        ]
        assert (step.by, step.malformed, step.cost) == ("llm", 1, 0.25)


async def test_a_picture_is_kept_once_and_no_text_holds_a_secret(tmp_path: Path) -> None:
    events, _, path = await _recorded(tmp_path)
    pictures = {picture for event in events for picture in (event.screenshot, event.raw_screenshot)}
    stored = [file for file in (tmp_path / "blobs").rglob("*") if file.is_file()]
    assert len(stored) == len(pictures)
    found = journal.read(path)
    assert found is not None
    assert not SECRETS.shows(json.dumps(found, ensure_ascii=False))
    assert "<secret:console_password>" in found[1][0]["exchanges"][0]["messages"][1]["text"]
    assert found[1][0]["thought"] == "thinking of <secret:console_password>"


@pytest.mark.parametrize("lost", [1, 7, 11, 40])
async def test_a_crash_loses_the_step_that_was_being_written_and_no_other(
    tmp_path: Path, lost: int
) -> None:
    _, blobs, path = await _recorded(tmp_path)
    path.write_bytes(path.read_bytes()[:-lost])
    published = await publish(
        path, EndingRecord(outcome="env_failure", cause="sandbox", complete=False), blobs=blobs
    )
    assert published is not None
    trajectory = Trajectory.load(blobs.path(published.address), blobs=tmp_path / "blobs")
    assert [step.step for step in trajectory] == [1]
    assert not trajectory.ending.complete


async def test_a_damaged_entry_ends_the_journal_and_an_empty_one_publishes_nothing(
    tmp_path: Path,
) -> None:
    _, blobs, path = await _recorded(tmp_path)
    data = bytearray(path.read_bytes())
    data[-20] ^= 0xFF
    path.write_bytes(bytes(data))
    found = journal.read(path)
    assert found is not None
    assert len(found[1]) == 1
    for content in (b"", b"PW", b"PWJ1", b"PWJ1\x05\0\0\0", b"something else"):
        path.write_bytes(content)
        assert await publish(path, EndingRecord(), blobs=blobs) is None
    await discard(path)
    await discard(path)
    assert await publish(path, EndingRecord(), blobs=blobs) is None


async def test_a_bundle_unpacks_into_what_can_be_loaded(tmp_path: Path) -> None:
    _, file, blobs, events = await _published(tmp_path)
    parquet = file.read_bytes()
    addresses = images_in(parquet)
    packed = bundle(parquet, [(address, await blobs.get(address)) for address in addresses])
    zipfile.ZipFile(io.BytesIO(packed)).extractall(tmp_path / "out")
    trajectory = Trajectory.load(tmp_path / "out")
    assert {trajectory.image(address) for address in trajectory.images()} == {
        picture for event in events for picture in (event.screenshot, event.raw_screenshot)
    }


async def test_a_file_of_an_older_program_is_read_with_defaults_and_its_own_columns_are_passed_over(
    tmp_path: Path,
) -> None:
    _, file, _, events = await _published(tmp_path)
    table = pq.read_table(file)
    older = table.drop_columns(["by", "notes", "timing"]).append_column(
        "gone", pa.array(["x"] * table.num_rows)
    )
    pq.write_table(older, tmp_path / "older.parquet")
    first = next(iter(Trajectory.load(tmp_path / "older.parquet")))
    assert (first.by, first.notes, first.timing.observe_ms) == ("", (), 0.0)
    assert first.action == events[0].action


def _newer(table: pa.Table) -> pa.Table:
    about = json.loads(table.schema.metadata[schema.METADATA_KEY])
    about["schema_version"] = schema.SCHEMA_VERSION + 1
    return table.replace_schema_metadata({schema.METADATA_KEY: json.dumps(about)})


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_newer, "trajectory.newer_schema"),
        (lambda table: table.replace_schema_metadata({}), "trajectory.unreadable"),
    ],
)
async def test_a_file_that_is_not_ours_says_so(
    tmp_path: Path, change: Callable[[pa.Table], pa.Table], code: str
) -> None:
    _, file, _, _ = await _published(tmp_path)
    pq.write_table(change(pq.read_table(file)), tmp_path / "other.parquet")
    with pytest.raises(ProofwalkError) as refused:
        Trajectory.load(tmp_path / "other.parquet")
    assert refused.value.code == code


async def test_what_is_not_there_or_damaged_is_named(tmp_path: Path) -> None:
    _, file, blobs, _ = await _published(tmp_path)
    trajectory = Trajectory.load(file, blobs=tmp_path / "blobs")
    address = next(iter(trajectory)).screenshot
    blobs.path(address).write_bytes(b"another picture")
    (tmp_path / "text.parquet").write_text("no Parquet")
    for call, code in (
        (lambda: trajectory.image(address), "trajectory.image_damaged"),
        (lambda: trajectory.image("0" * 64), "trajectory.image_missing"),
        (lambda: trajectory.image("../../etc/passwd"), "trajectory.bad_address"),
        (lambda: Trajectory.load(tmp_path / "none.parquet"), "trajectory.not_found"),
        (lambda: Trajectory.load(tmp_path / "text.parquet"), "trajectory.unreadable"),
    ):
        with pytest.raises(ProofwalkError) as refused:
            call()
        assert refused.value.code == code


def test_the_columns_follow_from_the_types() -> None:
    columns = schema.arrow_schema()
    assert columns.names == [name for name in StepRecord.__dataclass_fields__]
    assert columns.field("timing").type.field("settle_ms").type == pa.float64()
    element = columns.field("observation").type.field("elements").type.value_type
    assert element.field("states").type == pa.list_(pa.string())
    assert element.field("box").type.field("width").type == pa.float64()
    names = [field.name for field in columns.field("observation").type]
    assert "raw_screenshot" not in names, "pictures are addresses"
