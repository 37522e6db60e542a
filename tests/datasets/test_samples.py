"""Samples: what is asked is what inference asks, what is learned is read back as the
action that was taken."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proofwalk.agent.policies.llm.answers import read_answer
from proofwalk.agent.policies.llm.policy import LlmPolicy
from proofwalk.console import actions as a
from proofwalk.console.observation import Observation
from proofwalk.datasets import turns
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.collection import Collection
from proofwalk.datasets.sample_files import read_samples, write_samples
from proofwalk.datasets.samples import Recipe, Refusals, answer_text, code_of, samples_of
from proofwalk.datasets.step_actions import action_of
from proofwalk.datasets.turns import turns_of
from proofwalk.datasets.verdicts import StepRule
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Finding, FindingKind
from proofwalk.models.asking import Model
from proofwalk.models.client import AnswerForm
from proofwalk.models.settings import ModelSettings
from proofwalk.suites.writing.planted import FINDINGS
from tests.agent.fake_console import FakeConsole
from tests.datasets.kit import DOCUMENT, Scripted, collect, console, defect, page, step, task_of

SETTINGS = ModelSettings(vision=False)


class Reader:
    """Answers a model's questions from a list: a line of the page to click (behind a
    text), a bad answer, or an end."""

    def __init__(self, *answers: str) -> None:
        self.left = list(answers)

    def __call__(self, number: int, text: str) -> str:
        wanted = self.left.pop(0)
        if not wanted.startswith("click "):
            return wanted
        line, _, after = wanted.removeprefix("click ").partition(" after ")
        shown = text.split("The page now:")[1]
        found = re.search(
            re.escape(line) + r" \[(\d+)\]", shown[shown.index(after) :] if after else shown
        )
        assert found, shown
        return json.dumps(
            {
                "thought": f"I click {line}, step {number}.",
                "action": {"type": "click", "id": int(found[1])},
            }
        )


def done(kind: str = "sub_step_complete") -> str:
    return json.dumps({"thought": "It is done.", "action": {"type": kind}})


ANSWERS = (
    'click link "Elastic Compute Service"',
    "I should click something.",
    done(),
    'click option "Instances"',
    done(),
    'click button "Stop" after i-2 web-2',
    done(),
    'click button "OK"',
    done("task_complete"),
)


def policy(client: Scripted, settings: ModelSettings, code: str) -> LlmPolicy:
    return LlmPolicy(Model(client=client, settings=settings), code=code)


@pytest.mark.parametrize(
    "settings",
    [
        SETTINGS,
        ModelSettings(vision=False, turns=1, page_chars=1000),
        ModelSettings(vision=False, turns=0, prompt="flash"),
        ModelSettings(vision=False, context_tokens=4096, max_tokens=1024),
    ],
)
async def test_the_question_is_the_one_that_the_model_was_asked(
    tmp_path: Path, settings: ModelSettings
) -> None:
    said = "memory" if settings.prompt == "flash" else "thought"
    client = Scripted(
        lambda number, text: Reader(*[ANSWERS[number - 1]])(number, text).replace(
            '"thought"', f'"{said}"'
        )
    )
    deciding = policy(client, settings, code_of("ep_ecs-stop_llm_1"))
    episode = await collect(
        Collection(tmp_path / "c"), tmp_path, task_of(), policy="llm", decides=deciding
    )
    made = samples_of(episode, Recipe(settings=settings))
    assert made.rule is None
    # The second question's answer could not be read, so that it was asked again with
    # the error told: no sample asks that.
    asked = [messages for number, messages in enumerate(client.asked, start=1) if number != 3]
    assert len(made.samples) == len(asked) == 8
    for sample, messages in zip(made.samples, asked, strict=True):
        assert [(one.role, one.text) for one in sample.messages] == [
            (one.role, one.text) for one in messages
        ]
        assert (sample.policy_version, sample.thought_by) == ("tiny-7", "model")


async def test_screenshots_are_named_by_their_address(tmp_path: Path) -> None:
    class Pictured(FakeConsole):
        async def observe(self) -> Observation:
            seen = await super().observe()
            return replace(seen, screenshot=f"marked {self.path}".encode(), raw_screenshot=b"raw")

    place = console()
    pictured = Pictured(rows=place.rows, forms=place.forms)
    settings = ModelSettings()
    client = Scripted(lambda number, text: Reader(*[ANSWERS[number - 1]])(number, text))
    deciding = policy(client, settings, code_of("ep_ecs-stop_llm_1"))
    episode = await collect(
        Collection(tmp_path / "c"),
        tmp_path,
        task_of(),
        policy="llm",
        decides=deciding,
        place=pictured,
    )
    last = samples_of(episode, Recipe(settings=settings)).samples[-1]
    shown = [image.jpeg for message in client.asked[-1] for image in message.images]
    named = [address for message in last.messages for address in message.images]
    assert len(shown) == 1
    assert [episode.image(address) for address in named] == shown


async def test_every_answer_gives_its_action_in_every_form_and_layout(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    for name in ("literal", "scripted"):
        episode = await collect(collection, tmp_path, task_of(), policy=name)
        by_number = {one.step: one for one in episode.steps}
        for form in AnswerForm:
            for layout in ("normal", "compact"):
                asked_with = SETTINGS.model_copy(update={"layout": layout})
                samples = samples_of(episode, Recipe(settings=asked_with, form=form)).samples
                assert len(samples) >= 7
                for sample in samples:
                    done = action_of(by_number[sample.step])
                    learned = (
                        a.SubStepComplete()
                        if layout == "compact" and isinstance(done, a.TaskComplete)
                        else done
                    )
                    assert (
                        read_answer(sample.answer).action
                        == learned
                        == a.parse_action(sample.action)
                    )
                    assert sample.chat()[sample.learned] == {
                        "role": "assistant",
                        "content": sample.answer,
                    }
                    assert [one["role"] for one in sample.chat()].count("system") == 1


async def test_a_past_step_is_shown_as_it_is_learned(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    in_full = SETTINGS.model_copy(update={"turns": 2})
    for form in AnswerForm:
        samples = samples_of(episode, Recipe(settings=in_full, form=form)).samples
        for before, after in itertools.pairwise(samples):
            if after.step == before.step + 1:
                assert [one.text for one in after.messages if one.role == "assistant"][
                    -1
                ] == before.answer


async def test_thoughts_are_named_by_whose_they_are_and_speak_of_no_script(tmp_path: Path) -> None:
    collection = Collection(tmp_path / "c")
    scripted = samples_of(
        await collect(collection, tmp_path, task_of(), policy="scripted"), Recipe(settings=SETTINGS)
    )
    assert {one.thought_by for one in scripted.samples} == {"scripted", "synthesised"}
    for sample in scripted.samples:
        assert "script" not in json.dumps(sample.chat()).lower().replace("description", "")
        if "complete" in sample.action:
            assert sample.thought_by == "synthesised"
    literal = samples_of(await collect(collection, tmp_path, task_of()), Recipe(settings=SETTINGS))
    assert {one.thought_by for one in literal.samples} == {"literal"}
    assert {one.policy_version for one in literal.samples} == {"literal"}


async def test_a_dropped_step_is_no_sample_and_stays_in_the_history(tmp_path: Path) -> None:
    episode = await collect(
        Collection(tmp_path / "c"), tmp_path, task_of(), place=console(swallowed=1)
    )
    made = samples_of(episode, Recipe(settings=SETTINGS))
    dropped = [
        step
        for step, verdict in zip(episode.steps, made.verdicts, strict=True)
        if verdict.rule is not None
    ]
    assert StepRule.INEFFECTIVE in {verdict.rule for verdict in made.verdicts}
    assert not {step.step for step in dropped} & {sample.step for sample in made.samples}
    assert made.too_long == 0
    last = made.samples[-1].messages
    for one in dropped:
        assert any(
            f"Step {one.step} " in message.text or f"Step {one.step}," in message.text
            for message in last
        )


async def test_what_does_not_fit_is_counted_and_is_no_sample(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())

    class Heavy:
        def count(self, messages: object) -> int:
            return 100_000

    made = samples_of(episode, Recipe(settings=SETTINGS, counter=Heavy))
    assert made.samples == ()
    assert made.too_long == sum(verdict.rule is None for verdict in made.verdicts) > 0


FINDING_KIND = next(kind for kind, found in FINDINGS.items() if "renamed" in found)
WRONG = DOCUMENT.replace("**Stop**", "**Halt**")


async def test_a_true_inconsistency_teaches_its_finding(tmp_path: Path) -> None:
    planted = defect(WRONG, "Halt", kind=str(FINDING_KIND))
    task = task_of(document=WRONG, expected=planted)
    finding = Finding(
        file="f",
        line=planted.line,
        sentence=planted.sentence,
        kind=FindingKind.RENAMED,
        message="It is called Stop.",
        candidates=("Stop",),
    )
    collection = Collection(tmp_path / "c")
    episode = await collect(collection, tmp_path, task, outcome="doc_defect", finding=finding)
    last = samples_of(episode, Recipe(settings=SETTINGS)).samples[-1]
    answer = read_answer(last.answer)
    assert isinstance(answer.action, a.TaskUnachievable)
    assert answer.finding is not None
    assert (answer.finding.kind, answer.finding.quote, answer.finding.candidates) == (
        FindingKind.RENAMED, planted.sentence, ["Stop"],
    )  # fmt: skip
    refusal = samples_of(episode, Recipe(settings=SETTINGS, refusals=Refusals.ENDS))
    assert [one.step for one in refusal.samples] == [last.step]
    assert {verdict.rule for verdict in refusal.verdicts[:-1]} >= {StepRule.BEFORE_REFUSAL}
    # One that the document does not bear out is not taught.
    bad = replace(
        episode,
        notes=replace(
            episode.notes, finding=replace(finding, sentence="Nothing of the kind is written here.")
        ),
    )
    made = samples_of(bad, Recipe(settings=SETTINGS))
    assert made.verdicts[-1].rule is StepRule.UNFOUNDED
    assert made.samples[-1].step < last.step


async def test_the_turn_is_rebuilt_as_the_walk_made_it(tmp_path: Path) -> None:
    seen = []
    client = Scripted(lambda number, text: Reader(*[ANSWERS[number - 1]])(number, text))
    inner = policy(client, SETTINGS, "c0de")

    class Watching:
        name = "llm"

        async def decide(self, turn):  # type: ignore[no-untyped-def]
            decision = await inner.decide(turn)
            seen.append(turn)
            return decision

        async def close(self) -> None:
            pass

    episode = await collect(
        Collection(tmp_path / "c"), tmp_path, task_of(), policy="llm", decides=Watching()
    )
    rebuilt = [played.turn for played in turns_of(episode)]
    assert rebuilt == seen


def test_choices_on_offer_and_reports_are_read_back(tmp_path: Path) -> None:
    said = 'combobox "Zone" does not offer "X"; on offer: "Zone H", "Zone I" and 3 more'
    assert turns._options(said) == ("Zone H", "Zone I")
    assert turns._options('combobox "Zone" offers "A"') == ("A",)
    assert turns._options("the address is now /x") == ()


def test_an_answer_in_the_form_of_the_flash_prompt() -> None:
    for form in AnswerForm:
        text = answer_text("one line", a.Click(id=3), form=form, memory=True)
        assert "emory" in text
        assert "double" not in text
        assert read_answer(text).thought == "one line"


async def test_samples_are_a_file_and_come_back(tmp_path: Path) -> None:
    episode = await collect(Collection(tmp_path / "c"), tmp_path, task_of())
    samples = samples_of(episode, Recipe(settings=SETTINGS)).samples
    path = tmp_path / "out" / "samples.parquet"
    assert write_samples(path, samples, about={"layout": "normal"}) == len(samples)
    about, back = read_samples(path)
    assert about["layout"] == "normal"
    assert tuple(back) == samples
    assert samples_of(episode, Recipe(settings=SETTINGS)).samples == samples, (
        "the same collection gives the same samples"
    )

    def breaking() -> Iterator[ChatSample]:
        yield from samples
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        write_samples(path, breaking(), about={})
    with pytest.raises(ProofwalkError) as nothing:
        write_samples(path, [], about={})
    assert nothing.value.code == "data.no_samples"
    assert tuple(read_samples(path)[1]) == samples, "what was there stays"
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    path.write_bytes(b"no parquet")
    with pytest.raises(ProofwalkError) as refused:
        read_samples(path)
    assert refused.value.code == "data.bad_samples"


def test_a_step_without_a_page_is_no_turn() -> None:
    assert action_of(step(1, None, page("x"))) is None
