"""A walk that is recorded in full, through the whole installation: what can be fetched
afterwards, and that none of it holds the login."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from proofwalk.console.safety.redaction import Secrets
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import read_request
from proofwalk.orders.verification import VerificationBody
from proofwalk.trajectories.trajectory import Trajectory
from tests.e2e.generic_console import DOCUMENT, PASSWORD, RULE, running
from tests.e2e.installation import HANGS_S, Installation, command, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
SECRETS = Secrets({"password": PASSWORD})


def _holding(data: bytes, name: str) -> list[str]:
    """Names of what holds the password, members of zips looked into."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                holder
                for member in archive.namelist()
                for holder in _holding(archive.read(member), f"{name}:{member}")
            ]
    return [name] if SECRETS.mask_bytes(data) != data else []


BODY = {
    "document": {"text": DOCUMENT, "name": "create.md"},
    "target": "harbor",
    "rule": RULE,
    "attempts": 1,
    "trace": True,
}


@dataclass(frozen=True)
class Walk:
    """A finished verification and what was fetched of it, by kind."""

    verification: VerificationBody
    fetched: dict[str, bytes]


async def _recorded_walk(installation: Installation, folder: Path, file: Path) -> Walk:
    """Verify the document with a trace. The command writes the trajectory to
    `file`."""
    created = await installation.client.create(read_request(BODY), key="recorded")
    verification = await installation.finish(created["verification_id"])
    assert verification["verdict"]["outcome"] == "verified", verification["verdict"]
    name = verification["verification_id"]
    fetched = {
        kind: await installation.client.artefact(name, kind)
        for kind in ("trajectory?images=true", "trace", "har", "report")
    }
    printed = await command("jobs", "trajectory", name, "-o", str(file), HOME=str(folder))
    assert printed.code == 0, printed.err
    fetched["trajectory"] = file.read_bytes()
    fetched["events"] = json.dumps(await installation.client.events(name)).encode()
    return Walk(verification, fetched)


async def _without_a_trace_there_is_none(installation: Installation) -> None:
    plain = await installation.client.create(read_request({**BODY, "trace": False}), key="plain")
    await installation.finish(plain["verification_id"])
    with pytest.raises(ProofwalkError) as refused:
        await installation.client.artefact(plain["verification_id"], "trace")
    assert refused.value.code == "artefact.not_recorded"
    assert "none was asked for" in refused.value.message


def _files(folder: Path) -> dict[Path, bytes]:
    """Everything that the installation wrote but its secrets."""
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "secrets"
    }


def _trajectory_is_whole(walk: Walk, bundle: Path) -> Trajectory:
    """The trajectory of the walk, with a picture and times at every step."""
    zipfile.ZipFile(io.BytesIO(walk.fetched["trajectory?images=true"])).extractall(bundle)
    trajectory = Trajectory.load(bundle)
    assert (trajectory.ending.outcome, trajectory.ending.evidence, trajectory.ending.complete) == (
        "verified",
        "audit",
        True,
    )
    assert trajectory.episode.verification_id == walk.verification["verification_id"]
    for step in trajectory:
        assert step.observation is not None
        assert step.observation.elements
        assert trajectory.image(step.raw_screenshot).startswith(b"\xff\xd8")
        assert step.timing.observe_ms > 0
    return trajectory


def _trace_has_a_title_for_each_step(walk: Walk, steps: int) -> None:
    with zipfile.ZipFile(io.BytesIO(walk.fetched["trace"])) as archive:
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
    titles = [event["title"] for event in events if event.get("class") == "Step"]
    assert len(titles) == steps
    assert any("Save project" in title for title in titles), titles


async def test_everything_that_is_recorded_can_be_fetched_and_holds_no_login(
    tmp_path: Path,
) -> None:
    file = tmp_path / "walk.parquet"
    with home() as folder:
        async with running(folder) as (installation, _):
            walk = await _recorded_walk(installation, folder, file)
            await _without_a_trace_there_is_none(installation)
            written = _files(folder)
    assert [holder for kind, data in walk.fetched.items() for holder in _holding(data, kind)] == []
    assert [holder for path, data in written.items() for holder in _holding(data, str(path))] == []

    steps = len(list(_trajectory_is_whole(walk, tmp_path / "bundle")))
    assert steps == len(Trajectory.load(file)) == walk.verification["episodes"][0]["steps"] > 4
    _trace_has_a_title_for_each_step(walk, steps)
    entries = json.loads(walk.fetched["har"])["log"]["entries"]
    assert any(entry["request"]["method"] == "POST" for entry in entries)
