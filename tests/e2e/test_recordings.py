"""A walk that is recorded in full, through the whole installation: what can be fetched
afterwards, and that none of it holds the login."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from proofwalk.console.safety.redaction import Secrets
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.orders.body import read_request
from proofwalk.trajectories.trajectory import Trajectory
from tests.e2e.generic_console import DOCUMENT, PASSWORD, RULE, running
from tests.e2e.installation import command, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]
SECRETS = Secrets({"password": PASSWORD})


def _holding(data: bytes, name: str) -> list[str]:
    """Names of what holds the password, members of zips looked into."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                found
                for member in archive.namelist()
                for found in _holding(archive.read(member), f"{name}:{member}")
            ]
    return [name] if SECRETS.mask_bytes(data) != data else []


async def test_everything_that_is_recorded_can_be_fetched_and_holds_no_login(
    tmp_path: Path,
) -> None:
    with home() as folder:
        async with running(folder) as (found, _):
            body = {
                "document": {"text": DOCUMENT, "name": "create.md"},
                "target": "harbor",
                "rule": RULE,
                "attempts": 1,
                "trace": True,
            }
            created = await found.client.create(read_request(body), key="recorded")
            made = await found.finish(created["verification_id"], within_s=60)
            assert made["verdict"]["outcome"] == "verified", made["verdict"]
            name = made["verification_id"]
            fetched = {
                kind: await found.client.artefact(name, kind)
                for kind in ("trajectory?images=true", "trace", "har", "report")
            }

            file = tmp_path / "walk.parquet"
            said = await command("jobs", "trajectory", name, "-o", str(file), HOME=str(folder))
            assert said.code == 0, said.err
            fetched["trajectory"] = file.read_bytes()
            fetched["events"] = json.dumps(await found.client.events(name)).encode()
            plain = await found.client.create(read_request({**body, "trace": False}), key="plain")
            await found.finish(plain["verification_id"], within_s=60)
            with pytest.raises(ProofwalkError) as refused:
                await found.client.artefact(plain["verification_id"], "trace")
            assert refused.value.code == "artefact.not_recorded"
            assert "none was asked for" in refused.value.message
            kept = {
                path: path.read_bytes()
                for path in folder.rglob("*")
                if path.is_file() and path.parent.name != "secrets"
            }
        assert [held for kind, data in fetched.items() for held in _holding(data, kind)] == []
        assert [held for path, data in kept.items() for held in _holding(data, str(path))] == []

    zipfile.ZipFile(io.BytesIO(fetched["trajectory?images=true"])).extractall(tmp_path / "bundle")
    trajectory = Trajectory.load(tmp_path / "bundle")
    steps = list(trajectory)
    assert (trajectory.ending.outcome, trajectory.ending.evidence, trajectory.ending.complete) == (
        "verified",
        "audit",
        True,
    )
    assert trajectory.episode.verification_id == name
    assert len(steps) == len(Trajectory.load(file)) == made["episodes"][0]["steps"] > 4
    for step in steps:
        assert step.observation is not None
        assert step.observation.elements
        assert trajectory.image(step.raw_screenshot).startswith(b"\xff\xd8")
        assert step.timing.observe_ms > 0
    with zipfile.ZipFile(io.BytesIO(fetched["trace"])) as archive:
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
    titles = [event["title"] for event in events if event.get("class") == "Step"]
    assert len(titles) == len(steps)
    assert any("Save project" in title for title in titles), titles
    entries = json.loads(fetched["har"])["log"]["entries"]
    assert any(entry["request"]["method"] == "POST" for entry in entries)
