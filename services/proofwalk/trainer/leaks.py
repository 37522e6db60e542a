"""Whether a run would learn from, or be chosen by, what a suite measures; told before
it is queued.

Tasks of rollouts, those of the validation included, are held against the suites by
text, rule and configuration (`suites.decontamination`). Of samples the tasks are not at
hand: held against the suites are the task and document that each names and the text of
its messages (`datasets.held_texts`); `proofwalk data samples`, which has the tasks,
checks the rest when it writes them. Validation counts because it chooses the
checkpoint.
Everything here blocks: the first check of a process reads the suites, which takes some
seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.decontamination import LEAK, Watch
from proofwalk.datasets.held_texts import HeldTexts
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.model import Task
from proofwalk.suites.rules.decontamination import Match
from proofwalk.suites.storage import load_suite

_CHECKOUT = Path(__file__).parents[3]
_SHOWN = 10


class Leaks:
    """The suites that measure, by their folders. Holds nothing until it is asked."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = tuple(folders)

    def refuse_tasks(self, tasks: Iterable[Task]) -> None:
        """Raises `data.leak` if a suite is known from one of the tasks,
        `trainer.suites_missing`."""
        watch = _watch(*self._places())
        refuse([match for task in tasks if (match := watch.task(task)) is not None])

    def refuse_samples(self, samples: Sequence[ChatSample]) -> None:
        """Raises `data.leak` if a sample is of a suite or holds a document's text,
        `trainer.suites_missing`."""
        places = self._places()
        watch, texts = _watch(*places), _texts(*places)
        groups: dict[tuple[str, str, str], dict[str, None]] = {}
        named: dict[tuple[str, str, str], Match | None] = {}
        for sample in samples:
            key = (sample.suite, sample.task, sample.document)
            if key not in named:
                named[key] = watch.named(sample)
            told = groups.setdefault(key, {})
            told.update(
                dict.fromkeys([*(message.text for message in sample.messages), *sample.answers])
            )
        found = [match for match in named.values() if match is not None]
        for key, told in groups.items():
            if named[key] is None and (held := texts.held_by(told)) is not None:
                found.append(
                    Match(first=key[1], second=held, how="its samples hold the document's text")
                )
        refuse(found)

    def _places(self) -> tuple[tuple[Path, ...], tuple[int, ...]]:
        """The folders, and when their indexes were written."""
        places = tuple(_place(folder) for folder in self._folders)
        return places, tuple((place / "suite.yaml").stat().st_mtime_ns for place in places)


@lru_cache(maxsize=2)
def _tasks(places: tuple[Path, ...], stamps: tuple[int, ...]) -> tuple[Task, ...]:
    return tuple(task for place in places for task in load_suite(place).tasks)


@lru_cache(maxsize=2)
def _watch(places: tuple[Path, ...], stamps: tuple[int, ...]) -> Watch:
    return Watch(_tasks(places, stamps))


@lru_cache(maxsize=2)
def _texts(places: tuple[Path, ...], stamps: tuple[int, ...]) -> HeldTexts:
    return HeldTexts(_tasks(places, stamps))


def _place(folder: Path) -> Path:
    """Where a suite lies: at its path, or, for a relative one, in the checkout that
    this code runs from."""
    for place in (folder, _CHECKOUT / folder):
        if (place / "suite.yaml").is_file():
            return place.resolve()
    raise ProofwalkError(
        "trainer.suites_missing",
        f"there is no suite in {folder}, so that nobody can tell whether this run would leak it",
        status=Status.FAILED_PRECONDITION,
        hint=(
            "set PROOFWALK_TRAINER__HELD_AGAINST to the folders of the suites that measure, as"
            " JSON; [] holds runs against none"
        ),
    )


def refuse(found: Sequence[Match]) -> None:
    """Raises `data.leak`, naming the pairs, if there is any."""
    if not found:
        return
    told = "; ".join(str(match) for match in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise ProofwalkError(
        LEAK,
        f"the run would learn what a suite measures: {told}{more}",
        status=Status.FAILED_PRECONDITION,
        hint=(
            "train and validate on other tasks, `proofwalk suites write train` makes a thousand;"
            " what counts as the same is said in docs/adr/0005"
        ),
        details={"leaks": str(len(found))},
    )
