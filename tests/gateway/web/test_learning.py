"""The pages of training runs: roles away, nothing, everything, and hostile texts."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence

import pytest

from benchmarks.holes.tenancy_browser import Browser
from proofwalk.api.rollout.v1 import rollout_pb2 as rollouts
from proofwalk.api.trainer.v1 import trainer_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import moment_to_pb
from proofwalk.gateway.web.curves import HEIGHT, WIDTH, Curve, curve
from tests.gateway.conftest import Gateway
from tests.gateway.web.conftest import SignIn
from tests.gateway.web.html import shows
from tests.gateway.web.test_hostile_texts import ATTACKS, OWN_TAGS, check

TAGS = OWN_TAGS | {"pre", "figure", "figcaption", "polyline"}
LIST = "/console/learning"
RUN = f"{LIST}/run_1"


def _fill(gateway: Gateway, text: str = "plain", *, state: str = "failed") -> None:
    best = pb.Checkpoint(
        policy_version="run_1@step-00000002",
        step=2,
        uri=f"file:///runs/{text}",
        validation_score=0.75,
        digest="d" * 64,
    )
    gateway.fakes.trainer.runs = [
        pb.Run(
            run_id="run_1",
            state=state,
            method="grpo",
            step=3,
            steps=9,
            error_code="trainer.crashed",
            error_message=text,
            error_hint=text,
            crashes=2,
            folder="/home/a user/runs/run_1",
            created_at=moment_to_pb(gateway.clock.now()),
            best=best,
            config_yaml="token: secret-7",
        ),
        pb.Run(run_id="run_2", state="queued", method="sft", steps=5),
    ]
    gateway.fakes.trainer.metrics = {
        "run_1": [
            pb.Metric(step=step, values={"reward": reward, "loss": 0.5 / step, text: 1.0})
            for step, reward in ((1, 0.125), (2, math.nan), (3, 0.625))
        ]
    }
    gateway.fakes.trainer.checkpoints = {"run_1": [best]}


async def test_the_list_has_the_newest_reward_and_loss_of_each_run(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    page = (await operator.ask("GET", LIST)).text
    for text in ("run_1", "run_2", "3 / 9", "0.625", "0.1667", "trainer.crashed"):
        assert text in page, text
    assert "0.125" not in page


@pytest.mark.parametrize("state", ["failed", "running"])
async def test_a_run_has_its_curves_checkpoints_and_way_on(
    gateway: Gateway, operator: Browser, state: str
) -> None:
    _fill(gateway, state=state)
    page = (await operator.ask("GET", RUN)).text
    assert page.count("<svg") == 2
    assert 'aria-label="Reward, step 1 to 3: from 0.125 to 0.625"' in page
    for text in ("run_1@step-00000002", "0.7500", "best by validation", "/runs/plain"):
        assert text in page, text
    command = shlex.quote("/home/a user/runs/run_1/run.yaml").replace("'", "&#39;")
    shown = f"proofwalk train start {command} --run-id run_1 --resume"
    assert (shown in page) == (state == "failed")
    assert "secret-7" not in page


async def test_a_group_leads_to_its_verifications(gateway: Gateway, operator: Browser) -> None:
    _fill(gateway)
    for number in (10, 2):
        name = f"run_1.3.task.{number}"
        gateway.has(name, group_id="run_1.3.task", created_at=moment_to_pb(gateway.clock.now()))
    page = (await operator.ask("GET", f"{RUN}?group=run_1.3.task")).text
    first, second = (f'href="/console/verifications/run_1.3.task.{one}"' for one in (2, 10))
    assert page.index(first) < page.index(second)
    walk = await operator.ask("GET", "/console/verifications/run_1.3.task.2")
    assert walk.status_code == 200


async def test_rollouts_under_way_lead_to_their_episodes_by_trace_id(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway, state="running")
    now, trace = moment_to_pb(gateway.clock.now()), "0123456789abcdef" * 2
    walking = rollouts.Episode(
        episode_id="ep_2", number=2, phase="walk", trace_id=trace, started_at=now
    )
    over = rollouts.Episode(episode_id="ep_1", number=1, phase="done", finished_at=now)
    older = rollouts.Episode(episode_id="ep_3", number=1, phase="lease", started_at=now)
    for number, episodes in ((0, [over, walking]), (1, [older]), (2, [over]), (3, [])):
        name = f"run_1.3.task.{number}"
        gateway.has(name, group_id="run_1.3.task", title="Stop it", episodes=episodes)
    page = (await operator.ask("GET", RUN)).text
    way = "/console/verifications/run_1.3.task"
    assert f'href="{way}.0/walk?episode=2" data-row><code>{trace}</code>' in page
    assert f'href="{way}.1/walk?episode=1" data-row><code>ep_3</code>' in page
    assert f'href="{RUN}?group=run_1.3.task#groups"' in page
    for number in (2, 3):
        assert f"{way}.{number}/walk" not in page, "nothing of it is under way"
    assert 'data-refresh-s="5"' in page
    (asked,) = gateway.rollout.listed
    assert (asked.principal, asked.state, asked.with_members) == ("trainer:run_1", "running", True)
    assert asked.caller.operator


async def test_without_rollouts_it_says_so_and_a_run_that_ended_is_not_read_again(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway, state="failed")
    page = (await operator.ask("GET", RUN)).text
    assert "No rollout of this run is under way." in page
    assert "data-refresh-s" not in page


async def test_without_runs_it_says_what_to_do(gateway: Gateway, operator: Browser) -> None:
    page = await operator.ask("GET", LIST)
    assert (page.status_code, "proofwalk train start FILE" in page.text) == (200, True)
    missing = await operator.ask("GET", RUN)
    assert (missing.status_code, "trainer.run_not_found" in missing.text) == (404, True)
    _fill(gateway)
    queued = await operator.ask("GET", f"{LIST}/run_2")
    for text in ("Nothing was measured yet.", "no checkpoint on disk"):
        assert text in queued.text


async def test_with_the_trainer_away_there_is_a_page_in_both_languages(
    gateway: Gateway, operator: Browser
) -> None:
    _fill(gateway)
    gateway.fakes.leave()
    for language, words in (("en", "does not answer"), ("zh", "没有响应")):
        for path in (LIST, RUN):
            page = await operator.ask("GET", path, headers={"Accept-Language": language})
            assert (page.status_code, words in page.text) == (200, True)
            assert "role.is_away" in page.text


async def test_what_runs_say_is_text(gateway: Gateway, operator: Browser) -> None:
    for text in ATTACKS:
        _fill(gateway, text)
        for path in (LIST, RUN):
            page = (await operator.ask("GET", path)).text
            check(page, path, tags=TAGS)
            assert shows(page, text), path


async def test_it_is_for_operators(gateway: Gateway, visitors: SignIn) -> None:
    _fill(gateway)
    browser = await visitors("pw_critic")
    for path in (LIST, RUN):
        answer = await browser.ask("GET", path)
        assert (answer.status_code, "auth.role_forbids" in answer.text) == (403, True)
        assert "grpo" not in answer.text


def _points(drawn: Curve) -> list[list[tuple[float, float]]]:
    return [
        [(float(x), float(y)) for x, _, y in (point.partition(",") for point in line.split())]
        for line in drawn.lines
    ]


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ([1.0], 1),
        ([1.0, 1.0], 1),
        ([math.nan, 1.0, math.inf, 2.0, 3.0], 2),
        ([-1.7e308, 1.7e308], 1),
        ([float(number) for number in range(5000)], 1),
    ],
)
def test_a_curve_stays_in_its_frame(values: Sequence[float], lines: int) -> None:
    drawn = curve("loss", list(enumerate(values)))
    assert drawn is not None
    assert len(drawn.lines) == lines
    for line in _points(drawn):
        assert 2 <= len(line) <= 1000
        assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in line)
    assert drawn.latest == [value for value in values if math.isfinite(value)][-1]


def test_what_was_never_finite_has_no_curve() -> None:
    assert curve("loss", [(1, math.nan)]) is None
    assert curve("loss", []) is None
