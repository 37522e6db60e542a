"""Where a failed walk left a verified one, and the pairs of answers that follow."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proofwalk.agent.core.policy import Policy
from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.agent.policies.scripted.policy import ScriptedPolicy
from proofwalk.agent.policies.scripted.script import parse_script
from proofwalk.cli.main import app
from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.datasets.chat_samples import PreferencePair
from proofwalk.datasets.collection import Collection, Episode
from proofwalk.datasets.forks import failed, pairs_of
from proofwalk.datasets.sample_files import read_preferences, read_samples, write_preferences
from proofwalk.datasets.samples import Recipe
from proofwalk.datasets.turns import turns_of
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.settings import ModelSettings
from proofwalk.suites.storage import write_suite
from tests.agent.fake_console import FakeConsole, FakeRow
from tests.agent.fake_forms import FakeForm
from tests.datasets.kit import BINDS, collect, suite_of, task_of
from tests.datasets.test_decontamination import FAR

RECIPE = Recipe(settings=ModelSettings(vision=False, batches=False))
OPEN = (
    "- []\n- [{open: {product: Elastic Compute Service, menu: [Instances & Images, Instances]}}]\n"
)
WRONG_ROW = f"{OPEN}- [{{row: web-1, press: Stop}}]\n- [{{confirm: OK}}]\n"
WRONG_END = f"{OPEN}- [{{row: web-2, press: Stop}}]\n- [{{confirm: Cancel}}]\n"
WENT_BACK = (
    f"{OPEN}- [{{row: web-1, press: Stop}}, {{confirm: Cancel}}, {{row: web-2, press: Stop}}]\n"
    "- [{confirm: Cancel}]\n"
)


def played(script: str) -> Policy:
    return ScriptedPolicy(parse_script(script))


async def walks(
    tmp_path: Path, script: str, *, place: FakeConsole | None = None, outcome: str = "agent_failure"
) -> tuple[Episode, Episode]:
    """A walk of that script that failed, and one that was verified."""
    collection, task = Collection(tmp_path / "c"), task_of()
    right = await collect(collection, tmp_path / "s", task, policy="literal")
    wrong = await collect(
        collection, tmp_path / "s", task, policy="llm", decides=played(script), outcome=outcome,
        place=place, binds=BINDS if place is None else {"the instance": "db-2"},
    )  # fmt: skip
    return wrong, right


def page_of(episode: Episode, pair: PreferencePair) -> Observation:
    return next(one.turn.observation for one in turns_of(episode) if one.step.step == pair.step)


def target(episode: Episode, pair: PreferencePair, answer: str) -> tuple[str, str]:
    """The row and the name of what an answer acts on."""
    action = read_answer(answer).action
    assert isinstance(action, a.Click)
    element = page_of(episode, pair).element(action.id)
    assert element is not None
    return element.row, element.name


async def test_what_was_right_is_put_against_what_was_done(tmp_path: Path) -> None:
    wrong, right = await walks(tmp_path, WRONG_ROW)
    assert failed(wrong)
    assert not failed(right)
    correction, reflection = pairs_of(wrong, [right], RECIPE)
    assert (correction.paradigm, reflection.paradigm) == ("correction", "reflection")
    assert correction.reference == right.name
    assert correction.episode == wrong.name
    assert reflection.step == correction.step + 1
    row, name = target(wrong, correction, correction.answer)
    assert ("web-2" in row, name) == (True, "Stop")
    row, name = target(wrong, correction, correction.rejected)
    assert ("web-1" in row, name) == (True, "Stop")
    assert json.loads(correction.action) == read_answer(correction.answer).action.model_dump(
        mode="json"
    )


async def test_behind_the_fork_it_is_noticed_and_mended(tmp_path: Path) -> None:
    wrong, right = await walks(tmp_path, WRONG_ROW)
    _, reflection = pairs_of(wrong, [right], RECIPE)
    said = read_answer(reflection.answer)
    assert said.thought.startswith("Reflection: ")
    assert "Stop Instance" in said.thought, "it says what the page shows"
    assert said.action == a.Press(key="Escape"), "the dialog of the wrong instance is left"
    assert read_answer(reflection.rejected).action != said.action


async def test_a_walk_that_comes_back_was_on_a_detour(tmp_path: Path) -> None:
    """It looked at the wrong instance, left it, and went wrong at the end only."""
    wrong, right = await walks(tmp_path, WENT_BACK)
    correction, *_ = pairs_of(wrong, [right], RECIPE)
    assert correction.substep == "4"
    assert target(wrong, correction, correction.answer)[1] == "OK"
    assert target(wrong, correction, correction.rejected)[1] == "Cancel"


async def test_the_reference_is_the_one_that_is_followed_farthest(tmp_path: Path) -> None:
    wrong, right = await walks(tmp_path, WRONG_END)
    other = await collect(
        Collection(tmp_path / "c"), tmp_path / "s", task_of(), policy="replay",
        decides=played(WRONG_ROW),
    )  # fmt: skip
    for references in ([right, other], [other, right]):
        assert pairs_of(wrong, references, RECIPE)[0].reference == right.name


async def test_names_are_those_of_the_walk_that_failed(tmp_path: Path) -> None:
    rows = [FakeRow(id="i-7", name="db-1"), FakeRow(id="i-8", name="db-2")]
    place = FakeConsole(rows=rows, forms={"Stop": lambda: FakeForm(title="Stop Instance")})
    script = WRONG_ROW.replace("web-1", "db-1")
    wrong, right = await walks(tmp_path, script, place=place)
    pairs = pairs_of(wrong, [right], RECIPE)
    for pair in pairs:
        assert "web-2" not in pair.answer


async def test_no_pair_comes_of_walks_that_did_the_same_or_never_met(tmp_path: Path) -> None:
    _, right = await walks(tmp_path, WRONG_ROW)
    same = await collect(
        Collection(tmp_path / "c"), tmp_path / "s", task_of(), policy="llm", run=2,
        decides=played(WRONG_ROW.replace("web-1", "web-2")), outcome="agent_failure",
    )  # fmt: skip
    assert pairs_of(same, [right], RECIPE) == ()
    assert pairs_of(same, [], RECIPE) == ()
    lost = await collect(
        Collection(tmp_path / "c"), tmp_path / "s", task_of(), policy="llm", run=3,
        outcome="env_failure", decides=played(WRONG_ROW),
    )  # fmt: skip
    assert not failed(lost), "the environment's failures are nobody's mistake"


async def test_pairs_are_kept_and_are_no_samples(tmp_path: Path) -> None:
    wrong, right = await walks(tmp_path, WRONG_ROW)
    pairs = pairs_of(wrong, [right], RECIPE)
    path = tmp_path / "pairs.parquet"
    assert write_preferences(path, pairs, about={"layout": "normal"}) == 2
    about, back = read_preferences(path)
    assert tuple(back) == pairs
    assert about["layout"] == "normal"
    with pytest.raises(ProofwalkError) as caught:
        read_samples(path)
    assert caught.value.code == "data.bad_samples"
    with pytest.raises(ProofwalkError) as caught:
        write_preferences(path, [], about={})
    assert "no walk that failed" in str(caught.value)


def test_the_command_writes_pairs_of_walks_that_failed(tmp_path: Path) -> None:
    write_suite(suite_of(replace(FAR, suite="far"), suite="far"), tmp_path / "far")
    out = tmp_path / "preferences.parquet"

    def invoke(folder: Path) -> Any:
        against = ["--against", str(tmp_path / "far")]
        return CliRunner().invoke(
            app, ["data", "preferences", str(folder), "--out", str(out), *against]
        )

    asyncio.run(walks(tmp_path, WRONG_ROW))
    done = invoke(tmp_path / "c")
    assert done.exit_code == 0, done.output
    assert '2 pairs, {"correction": 1, "reflection": 1}' in done.stderr
    assert [one.paradigm for one in read_preferences(out)[1]] == ["correction", "reflection"]
    asyncio.run(collect(Collection(tmp_path / "d"), tmp_path / "s", task_of()))
    none = invoke(tmp_path / "d")
    assert none.exit_code == 2
    assert "data.no_samples" in none.stderr
