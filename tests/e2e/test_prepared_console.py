"""A vendor's console that META prepares by its API: what the document leaves open gets
values, the walk uses them, and nothing is left behind."""

from __future__ import annotations

import pytest

from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.orders.body import read_request
from tests.e2e.generic_console import API_KEY, DOCUMENT, TARGETS, running
from tests.e2e.installation import HANGS_S, home

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]
OPEN = DOCUMENT.replace("Enter `doc-project`", "Enter the name of your project")
META = """\
id: harbor-team
description: A team, by whose name the project is called
steps:
  - do: {http: PUT, path: "/api/teams/${var.name_prefix}-crew", json: {seats: 3}, expect: 201}
    verify: {http: GET, path: "/api/teams/${var.name_prefix}-crew", has: {seats: 3}}
    undo: {http: DELETE, path: "/api/teams/${var.name_prefix}-crew"}
    outputs: {team: name}
leftovers:
  - {http: DELETE, path: "/api/projects/${output.team}"}
binds: {the name of your project: "${output.team}"}
"""
RULE = """\
id: harbor-project-of-the-team
version: 1
delta_s: 1
all:
  - service: Projects
    event: CreateProject
    where:
      - [request.name, eq, $meta.team]
      - [request.environment, eq, production]
"""


async def test_an_open_field_gets_its_value_from_steps_and_nothing_is_left() -> None:
    body = {
        "document": {"text": OPEN, "name": "create-a-project.md"},
        "rule": RULE,
        "meta": META,
        "attempts": 1,
    }
    with home() as folder:
        async with running(folder) as (found, harbor):
            created = await found.client.create(
                read_request({**body, "target": "harbor"}), key="prepared"
            )
            done = await found.finish(created["verification_id"])

            verdict = done["verdict"]
            assert (verdict["outcome"], verdict["evidence"]) == ("verified", "audit"), verdict
            (line,) = harbor.written()
            name = line["params"]["name"]  # type: ignore[index]
            assert str(name).startswith("pw")
            assert str(name).endswith("-crew")
            assert (harbor.teams, harbor.projects) == ({}, {})
            assert harbor.asked[0] == f"PUT /api/teams/{name}"
            events = str(await found.client.events(created["verification_id"]))
            page = (await found.client.report(created["verification_id"])).decode()
            assert API_KEY not in events + page

            with pytest.raises(ProofwalkError) as caught:
                await found.client.create(
                    read_request({**body, "target": "harbor-blind"}), key="refused"
                )
            assert (caught.value.code, caught.value.status) == (
                "meta.steps_unsupported",
                Status.INVALID_ARGUMENT,
            )
            assert "options: {provisioning: {url" in caught.value.hint
            assert await found.account_states() == ["free"] * len(TARGETS)
