"""A script played in a console that speaks Chinese and makes trouble: signed in there,
undisturbed, judged by the log."""

from __future__ import annotations

import httpx2
import pytest
import yaml

from proofwalk.chassis.trust import system_trust
from proofwalk.devcloud.main import TRANSLATIONS
from proofwalk.orders.body import read_request
from tests.e2e.installation import DOCS, HANGS_S, Installation, home, running

pytestmark = [
    pytest.mark.browser,
    pytest.mark.terraform,
    pytest.mark.slow,
    pytest.mark.timeout(HANGS_S),
]

NAME = "06-rds-configure-whitelist"
SCENARIO = {"id": "storm-zh", "level": "storm", "seed": 5, "language": "zh"}


def _script() -> str:
    """The moves of the document, by the labels that the console has in Chinese."""
    folder = TRANSLATIONS / "zh"
    zh = {
        **yaml.safe_load((folder / "console.yaml").read_text("utf-8")),
        **yaml.safe_load((folder / "rds.yaml").read_text("utf-8")),
    }
    moves = [
        [{"open": {"product": zh["ApsaraDB RDS"], "menu": [zh["Instances"]]}}],
        [{"region": zh["China (Hangzhou)"]}],
        [{"row": "{{meta.db_instance_id}}", "open": True}],
        [{"tab": zh["Whitelist and SecGroup"]}],
        [{"press": zh["Create Whitelist"]}],
        [
            {"fill": {zh["Whitelist Name"]: "doc_app"}},
            {"list": {zh["IP Addresses"]: ["10.23.12.0/24"]}},
        ],
        [{"submit": zh["OK"]}],
    ]
    return yaml.safe_dump(moves, allow_unicode=True)


async def _register(found: Installation) -> None:
    devcloud = found.settings.devcloud
    headers = {"Authorization": f"Bearer {devcloud.admin_token.get_secret_value()}"}
    async with httpx2.AsyncClient(headers=headers, trust_env=False, verify=system_trust()) as http:
        answer = await http.post(
            f"http://{devcloud.host}:{devcloud.port}/admin/scenarios", json=SCENARIO
        )
        assert answer.status_code < 300, answer.text


async def test_the_oracle_walks_through_a_storm_in_chinese() -> None:
    with home() as folder:
        async with running(folder) as found:
            await _register(found)
            body = {
                "document": {
                    "text": (DOCS / f"{NAME}.html").read_text("utf-8"),
                    "name": f"{NAME}.html",
                },
                "target": "devcloud",
                "policy": "scripted",
                "attempts": 1,
                "meta": (DOCS / f"{NAME}.meta.yaml").read_text("utf-8"),
                "rule": (DOCS / f"{NAME}.rule.yaml").read_text("utf-8"),
                "script": _script(),
                "scenario": SCENARIO["id"],
            }
            made = await found.client.create(read_request(body), key="scenario")
            assert made["scenario"] == SCENARIO["id"]
            ended = await found.finish(made["verification_id"])
            assert (ended["verdict"]["outcome"], ended["verdict"]["reason"]) == (
                "verified",
                ended["verdict"]["reason"],
            )
            assert ended["verdict"]["evidence"] == "audit"
            steps = await found.rows("rollout", "select thought from rollout_steps")
            thoughts = " ".join(str(thought) for (thought,) in steps)
            assert "cookies" in thoughts  # a storm's session begins with a banner and a question
            assert "region" in thoughts
