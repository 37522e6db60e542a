"""Runs that would learn, or be chosen by, what a suite measures are refused; others
go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from proofwalk.chassis.settings import ProcessSettings
from proofwalk.datasets.chat_samples import ChatMessage, ChatSample
from proofwalk.datasets.samples import document_digest
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.platform import suites
from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.families.training import training_tasks
from proofwalk.suites.model import Suite, Task
from proofwalk.suites.storage import load_suite, write_suite
from proofwalk.suites.writing.library_files import read_library
from proofwalk.trainer.leaks import Leaks
from proofwalk.trainer.settings import TrainerSettings
from tests.trainer.group_place import TASKS
from tests.trainer.kit import QUICK, chat_samples, configuration, fake, running, start, write_data

SUITES = Path(__file__).parents[2] / "suites"
MEASURED = load_suite(SUITES / "console-278").tasks
LEAKS = Leaks(TrainerSettings().held_against)
GUARDED = QUICK.model_copy(update={"held_against": TrainerSettings().held_against})


def refused(work: Callable[[], None]) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        work()
    assert (caught.value.code, caught.value.status) == ("data.leak", Status.FAILED_PRECONDITION)
    assert "suites write train" in caught.value.hint
    return caught.value


def sample(*texts: str, **named: str) -> ChatSample:
    messages = tuple(ChatMessage(role="user", text=text) for text in texts)
    return replace(chat_samples(1)[0], messages=messages, **named)  # type: ignore[arg-type]


def test_tasks_of_a_suite_are_refused_and_named() -> None:
    error = refused(lambda: LEAKS.refuse_tasks([*TASKS, MEASURED[0]]))
    assert MEASURED[0].id in error.message
    assert "the evaluation task itself" in error.message
    assert TASKS[0].id not in error.message


def test_a_task_of_a_suite_under_another_name_is_refused() -> None:
    renamed = replace(
        MEASURED[0],
        id="mine",
        suite="mine",
        document="# Other words\n\n1. Nothing alike is said here.\n",
    )
    assert "the same rule" in refused(lambda: LEAKS.refuse_tasks([renamed])).message


@pytest.mark.parametrize(
    "named",
    [
        {"suite": MEASURED[0].suite, "task": MEASURED[0].id},
        {"document": document_digest(MEASURED[0].document)},
        {"task_digest": MEASURED[0].digest},
    ],
)
def test_samples_that_name_a_task_of_a_suite_are_refused(named: dict[str, str]) -> None:
    assert (
        MEASURED[0].id
        in refused(lambda: LEAKS.refuse_samples([sample("Stop it.", **named)])).message
    )


@pytest.mark.parametrize(
    "task", [MEASURED[0], MEASURED[100], MEASURED[200], MEASURED[-1]], ids=lambda task: task.id
)
def test_samples_that_hold_the_text_of_a_document_are_refused(task: Task) -> None:
    lines = task.document.splitlines()
    whole = [sample(f"Do this:\n{task.document}\nThe page: …")]
    assert (
        "its samples hold the document's text"
        in refused(lambda: LEAKS.refuse_samples(whole)).message
    )
    # One line in each sample of a task, as a layout for small models tells it.
    each = [sample("\n".join(lines[:2]), line) for line in lines[2:]]
    assert (
        "its samples hold the document's text"
        in refused(lambda: LEAKS.refuse_samples(each)).message
    )


def test_single_sentences_of_a_document_are_no_leak() -> None:
    """Training documents are made of the same operations and share sentences with what
    measures."""
    for task in MEASURED[::10]:
        LEAKS.refuse_samples([sample(line) for line in task.document.splitlines()[-1:]])


def test_a_suite_that_is_not_there_refuses_every_run_and_none_is_asked_for_refuses_nothing() -> (
    None
):
    with pytest.raises(ProofwalkError) as caught:
        Leaks([Path("suites/none-such")]).refuse_tasks(TASKS)
    assert caught.value.code == "trainer.suites_missing"
    assert "PROOFWALK_TRAINER__HELD_AGAINST" in caught.value.hint
    Leaks([]).refuse_tasks(MEASURED)


async def test_the_role_refuses_leaks_before_anything_is_queued(
    process_settings: ProcessSettings, model_folder: Path, tmp_path: Path
) -> None:
    def grpo(suite: Path, **more: Any) -> str:
        rollouts = {"suite": str(suite), "tasks_per_step": 2}
        return yaml.safe_dump(
            {"method": "grpo", "model": str(model_folder), "rollouts": rollouts, **more}
        )

    write_suite(Suite(id="train", version=1, seed=0, tasks=TASKS), tmp_path / "train")
    data = write_data(tmp_path / "own.parquet", chat_samples(4))
    leaky = write_data(
        tmp_path / "leaky.parquet", [sample(line) for line in MEASURED[0].document.splitlines()]
    )
    validated = {"suite": str(SUITES / "console-278"), "tasks": [MEASURED[0].id]}
    async with running(process_settings, GUARDED, program=fake()) as (stub, _):
        for config in (
            grpo(SUITES / "console-278"),
            grpo(tmp_path / "train", validation=validated),
            configuration(model_folder, leaky),
            configuration(model_folder, data, held_out=str(leaky)),
        ):
            with pytest.raises(ProofwalkError) as caught:
                await start(stub, "r", config)
            assert caught.value.code == "data.leak"
        await start(stub, "learns-by-itself", grpo(tmp_path / "train"))
        await start(stub, "learns-from-data", configuration(model_folder, data))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_training_tasks_go() -> None:
    library, console = read_library(SUITES), DevcloudConsole()
    evaluation = [*MEASURED, *load_suite(SUITES / "drift-200").tasks]
    drawn = training_tasks(
        library, console, evaluation, suite_id=suites.TRAIN_SUITE, seed=suites.SEED, tries=1000
    )
    tasks = list(islice(drawn, 12))
    LEAKS.refuse_tasks(tasks)
    LEAKS.refuse_samples([sample(task.document, suite=task.suite, task=task.id) for task in tasks])
