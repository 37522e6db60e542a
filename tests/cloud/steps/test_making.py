"""Making and taking back, at a console on the loopback: order, waiting, crashes at
every point, and what is told of what is left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
import yaml

from proofwalk.cloud.steps.caller import DeclaredCaller
from proofwalk.cloud.steps.making import Maker, Progress
from proofwalk.cloud.steps.model import Preparation
from proofwalk.kernel.clock import SystemClock
from proofwalk.kernel.errors import ProofwalkError, Status
from tests.fixtures.library import META, PASSWORD, Library

READER, LOAN = "/api/readers/pw1-ada", "/api/loans"
LEFTOVER = "DELETE /api/readers/made-by-the-walk"


def _loan(**changes: object) -> Preparation:
    members: dict[str, Any] = yaml.safe_load(META)
    members["steps"][1].update(changes)
    return Preparation(steps=members["steps"], leftovers=members["leftovers"])


class Crash(Exception):
    """The process ends here."""


@dataclass
class Notes:
    """The progress that survives, and after how many notes the process ends."""

    ends_after: int = -1
    kept: list[Progress] = field(default_factory=list)

    async def keep(self, progress: Progress) -> None:
        self.kept.append(progress)
        if len(self.kept) == self.ends_after:
            raise Crash

    @property
    def progress(self) -> Progress:
        return self.kept[-1] if self.kept else Progress()


def _maker(
    caller: DeclaredCaller, notes: Notes, preparation: Preparation, *, verify_s: float = 0.3
) -> Maker:
    return Maker(
        caller,
        preparation,
        notes,
        variables={"name_prefix": "pw1", "region": ""},
        clock=SystemClock(),
        verify_s=verify_s,
    )


async def test_steps_are_done_in_order_and_taken_back_in_the_opposite_one(
    caller: DeclaredCaller, library: Library
) -> None:
    library.readers["made-by-the-walk"] = {}
    notes = Notes()

    outputs = await _maker(caller, notes, _loan()).make()

    assert outputs == {"reader": "pw1-ada", "loan": "41"}
    assert library.changes == [LEFTOVER, f"PUT {READER}", f"POST {LOAN}"]
    assert library.loans == {41: {"reader": "pw1-ada", "copies": 2}}
    library.requests.clear()
    library.readers["made-by-the-walk"] = {}

    await _maker(caller, notes, _loan()).undo()

    assert library.changes == [LEFTOVER, "DELETE /api/loans/41", f"DELETE {READER}", LEFTOVER]
    assert library.is_empty
    await _maker(caller, notes, _loan()).undo()
    assert library.changes[4:] == [LEFTOVER, LEFTOVER], "the steps are not taken back twice"


async def test_a_leftover_that_is_refused_once_for_all_is_named(
    caller: DeclaredCaller, library: Library
) -> None:
    notes = Notes()
    library.refusals[LEFTOVER] = 409
    await _maker(caller, notes, _loan()).make()

    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, notes, _loan()).undo()

    assert f"leftovers.0: {LEFTOVER}: HTTP 409" in caught.value.message
    assert library.is_empty


async def test_what_appears_late_is_waited_for_and_what_never_does_is_said(
    caller: DeclaredCaller, library: Library
) -> None:
    library.looks_until_seen = 2
    await _maker(caller, Notes(), _loan(), verify_s=10).make()
    assert library.requests.count(f"GET {READER}") == 3

    library.looks_until_seen = 1000
    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, Notes(), _loan()).make()

    assert caught.value.code == "provision.verify_failed"
    assert "steps.0" in caught.value.message
    assert "name is null, not 'pw1-ada'" in caught.value.message


async def test_what_somebody_else_has_made_is_not_taken_back(
    caller: DeclaredCaller, library: Library
) -> None:
    library.refusals[f"PUT {READER}"] = 409
    notes = Notes()

    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, notes, _loan()).make()
    library.readers["pw1-ada"] = {}
    await _maker(caller, notes, _loan()).undo()

    assert (caught.value.code, caught.value.status) == (
        "provision.step_failed",
        Status.FAILED_PRECONDITION,
    )
    assert "HTTP 409" in caught.value.message
    assert PASSWORD not in str(caught.value)
    assert list(library.readers) == ["pw1-ada"]


async def test_a_login_that_is_refused_is_told_as_the_targets(
    caller: DeclaredCaller, library: Library
) -> None:
    library.refusals[f"PUT {READER}"] = 403

    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, Notes(), _loan()).make()

    assert "options.provisioning" in caught.value.hint


@pytest.mark.parametrize("at", range(1, 5))
async def test_a_crash_at_any_note_is_gone_on_from_and_nothing_is_made_twice(
    caller: DeclaredCaller, library: Library, at: int
) -> None:
    without_outputs = _loan(undo={"http": "DELETE", "path": "/api/loans/41"})
    notes = Notes(ends_after=at)
    with pytest.raises(Crash):
        await _maker(caller, notes, without_outputs).make()

    outputs = await _maker(caller, notes, without_outputs).make()

    assert (list(library.readers), list(library.loans)) == (["pw1-ada"], [41])
    assert outputs == {"reader": "pw1-ada", "loan": "41"}
    await _maker(caller, notes, without_outputs).undo()
    assert library.is_empty


async def test_an_answer_that_was_lost_is_taken_back_where_that_can_be_done(
    caller: DeclaredCaller, library: Library
) -> None:
    library.lost.add(f"PUT {READER}")
    notes = Notes()
    work = asyncio.create_task(_maker(caller, notes, _loan()).make())
    await asyncio.wait_for(library.entered.wait(), 60)
    work.cancel()
    await asyncio.wait({work})
    assert list(library.readers) == ["pw1-ada"]

    await _maker(caller, notes, _loan()).undo()

    assert library.is_empty
    assert notes.progress == Progress()


async def test_an_answer_that_was_lost_is_told_where_it_cannot(
    caller: DeclaredCaller, library: Library
) -> None:
    library.lost.add(f"POST {LOAN}")
    notes = Notes()
    with pytest.raises(ProofwalkError) as late:
        await _maker(caller, notes, _loan()).make()
    library.go_on.set()
    assert late.value.code == "cloud.unavailable"

    with pytest.raises(ProofwalkError) as again:
        await _maker(caller, notes, _loan()).make()
    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, notes, _loan()).undo()

    assert "an undo for it that needs none of its outputs" in again.value.hint
    assert caught.value.code == "provision.destroy_failed"
    assert "gave no loan" in caught.value.message
    assert (len(library.loans), len(library.readers)) == (1, 0), "what could go is gone"


async def test_an_unknown_end_is_no_leak_where_a_look_shows_nothing(
    caller: DeclaredCaller, library: Library
) -> None:
    absent = {"http": "GET", "path": "/api/loans/41"}
    notes = Notes(ends_after=3)
    with pytest.raises(Crash):
        await _maker(caller, notes, _loan(verify=absent)).make()

    await _maker(caller, notes, _loan(verify=absent)).undo()

    assert library.is_empty


async def test_what_the_console_refuses_to_delete_is_named_and_tried_again(
    caller: DeclaredCaller, library: Library
) -> None:
    notes = Notes()
    await _maker(caller, notes, _loan()).make()
    library.refusals["DELETE /api/loans/41"] = 500

    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, notes, _loan()).undo()

    assert "DELETE /api/loans/${output.loan}: HTTP 500" in caught.value.message
    assert not library.readers
    library.refusals.clear()
    await _maker(caller, notes, _loan()).undo()
    assert library.is_empty


async def test_what_is_deleted_and_still_there_is_said(
    caller: DeclaredCaller, library: Library
) -> None:
    notes = Notes()
    still = {"http": "GET", "path": READER}
    await _maker(caller, notes, _loan(verify=still)).make()

    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, notes, _loan(verify=still)).undo()

    assert "succeeded, and GET /api/readers/pw1-ada still holds" in caught.value.message


async def test_an_answer_without_the_output_is_said_with_its_path(
    caller: DeclaredCaller, library: Library
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await _maker(caller, Notes(), _loan(outputs={"loan": "loan.id"})).make()

    assert "at 'loan.id' for the output 'loan'" in caught.value.message
