"""Functions are built stage by stage, by a scripted model on an application in memory:
what is asked, what is repaired, what stays out, and where an ended construction goes
on."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from proofwalk.apis.asking import Author
from proofwalk.apis.construction import Bounds, Built, Construction
from proofwalk.apis.journal import Journal
from proofwalk.apis.model import Interface
from proofwalk.apis.prompts import VERSION
from proofwalk.apis.storage import CatalogueFolder
from proofwalk.apis.testing import Examiner
from proofwalk.chassis.logs import Redaction
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.models.connection import connect
from proofwalk.models.settings import ModelSettings
from tests.apis.kit import InThread, Shelf
from tests.apis.written import PUT, RIGHT, TESTS, WRONG, code, named, trials
from tests.models.fake_endpoint import FakeEndpoint, Reply, refuse, serving

TASKS = ("Put a red box onto the shelf.", "Put two boxes of one kind onto the shelf.")
KEY = "sk-not-for-the-model"


class Place:
    """A catalogue, a shelf and a model that says a script."""

    def __init__(self, folder: Path, endpoint: FakeEndpoint, author: Author) -> None:
        self.folder = CatalogueFolder(folder)
        self.endpoint = endpoint
        self.shelf = Shelf()
        names = (f"u{number}" for number in itertools.count())
        self.examiner = Examiner(InThread(self.shelf), unique=lambda: next(names))
        self.author = author

    async def build(self, *, rounds: int = 3) -> tuple[Built, ...]:
        bounds = Bounds(rounds=rounds)
        return await Construction(self.author, self.examiner, self.folder, bounds=bounds).build(
            TASKS
        )


@asynccontextmanager
async def place_of(folder: Path, *script: Reply) -> AsyncIterator[Place]:
    async with serving(FakeEndpoint(*script)) as endpoint:
        chosen = ModelSettings(
            endpoint=endpoint.url, name="fake", api_key=SecretStr(KEY), retries=0
        )
        async with connect(chosen, clock=SystemClock()) as model:
            assert model is not None
            author = Author(model, code=lambda: "c0de1234", mask=Redaction([KEY]).text)
            yield Place(folder, endpoint, author)


async def test_a_function_that_fails_its_tests_is_repaired_and_kept_with_where_it_is_from(
    tmp_path: Path,
) -> None:
    script = named(PUT), trials(), code(WRONG), code(RIGHT)
    async with place_of(tmp_path, *script) as place:
        (built,) = await place.build()
    function = built.function
    assert function is not None
    assert (function.code, function.application) == (RIGHT, "shelf")
    assert all(one.passed for one in function.trials)
    assert function.provenance.model_dump() == {
        "tasks": TASKS,
        "model": "fake",
        "prompts": VERSION,
        "rounds": 2,
    }
    catalogue = place.folder.read()
    assert catalogue.functions == {"put_box": function}
    assert catalogue.version == 1
    asked = [place.endpoint.text_of(number) for number in range(4)]
    assert all(f"<<<c0de1234 task\n{task}" in asked[0] for task in TASKS)
    assert "twice (boolean, optional)" in asked[1]
    assert "def put_box" not in asked[1]
    assert "a box is put: raised: KeyError: 'BoxId' (line 6)" in asked[3]
    assert "its log: putting box-u0" in asked[3]
    assert WRONG in asked[3]


async def test_what_fails_in_every_round_stays_out(tmp_path: Path) -> None:
    async with place_of(tmp_path, named(PUT), trials(), code(WRONG)) as place:
        (built,) = await place.build(rounds=2)
        assert place.folder.read().functions == {}
    assert (built.function, built.rounds) == (None, 2)
    assert "KeyError" in built.reason


async def test_tests_that_cannot_be_carried_out_go_back_to_who_wrote_them(
    tmp_path: Path,
) -> None:
    broken = TESTS.replace("action: List", "action: Enumerate")
    async with place_of(tmp_path, named(PUT), trials(broken), code(RIGHT), trials()) as place:
        (built,) = await place.build()
    assert built.function is not None
    assert built.rounds == 1
    again = place.endpoint.text_of(3)
    assert "two boxes are put: before.0 was refused: NoSuchAction" in again
    assert "Enumerate" in again


async def test_a_construction_that_was_ended_asks_for_nothing_twice(tmp_path: Path) -> None:
    away = refuse("down", 503)
    async with place_of(tmp_path, named(PUT), trials(), code(WRONG), away) as place:
        with pytest.raises(ProofwalkError, match="down"):
            await place.build()
    async with place_of(tmp_path, code(RIGHT)) as place:
        (built,) = await place.build()
        assert built.function is not None
        assert len(place.endpoint.asked) == 1
        assert "KeyError" in place.endpoint.text_of()
        (once_more,) = await place.build()
        assert once_more.function == built.function
        assert len(place.endpoint.asked) == 1


async def test_code_that_was_written_before_the_end_is_tested_and_not_written_again(
    tmp_path: Path,
) -> None:
    async with place_of(tmp_path, named(PUT), trials(), code(RIGHT)) as place:
        first = Journal(tmp_path, tasks=TASKS, application="shelf")
        answered = place.shelf.answer
        place.shelf.answer = None  # type: ignore[assignment]  # the application breaks down
        with pytest.raises(TypeError):
            await place.build()
        assert [len(one.trials) for one in first.work(PUT).attempts] == [0]
        place.shelf.answer = answered  # type: ignore[method-assign]
        (built,) = await place.build()
        assert built.function is not None
        assert len(place.endpoint.asked) == 3


async def test_what_there_is_already_is_named_once_and_not_built_again(tmp_path: Path) -> None:
    async with place_of(tmp_path, named(PUT), trials(), code(RIGHT)) as place:
        await place.build()
    same = PUT.model_copy(update={"name": "box_put", "description": "Put it there."})
    lift = Interface(name="lift_box", description="Take a box from the shelf.")
    async with place_of(tmp_path, named(same, lift, lift), refuse("stop", 503)) as place:
        construction = Construction(place.author, place.examiner, place.folder)
        with pytest.raises(ProofwalkError, match="stop"):
            await construction.build(["Take the red box away."])
        assert "put_box: Put a box onto the shelf." in place.endpoint.text_of(0)
        journal = Journal(tmp_path, tasks=["Take the red box away."], application="shelf")
        noted = journal.requirements()
    assert noted is not None
    assert noted.interfaces == (lift,)


async def test_a_model_that_keeps_to_no_form_is_told_so_and_then_given_up(
    tmp_path: Path,
) -> None:
    wrong = (
        code("def put_box(api):\n    pass"),
        code("def put_box(api, name, twice):\n    pass"),
        Reply(text="Certainly!"),
    )
    async with place_of(tmp_path, named(PUT), trials(), *wrong) as place:
        (built,) = await place.build()
        assert "its parameters are not api, name, twice" in place.endpoint.text_of(3)
        assert "twice is optional and has no default" in place.endpoint.text_of(4)
    assert built.function is None
    assert "no JSON object" in built.reason


async def test_no_secret_is_in_a_question(tmp_path: Path) -> None:
    leaking = WRONG.replace("putting", KEY)
    async with place_of(tmp_path, named(PUT), trials(), code(leaking), code(RIGHT)) as place:
        await place.build()
    assert KEY not in str(place.endpoint.asked)


async def test_without_a_task_nothing_is_asked(tmp_path: Path) -> None:
    async with place_of(tmp_path, named(PUT)) as place:
        construction = Construction(place.author, place.examiner, place.folder)
        with pytest.raises(ProofwalkError, match="no exemplar task"):
            await construction.build(["  "])
    assert place.endpoint.asked == []
