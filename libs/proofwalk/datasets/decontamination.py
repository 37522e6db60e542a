"""Samples held against the suites that measure: none may come from a task that an
evaluation task is known from.

What "known from" means is decided in `suites.decontamination` (rule, configuration,
meaning; docs/adr/0005) and is not decided again here; a sample adds two ways to leak of
its own: it names an evaluation task, or its document is one of theirs to the byte. A
sample whose task is not at hand cannot be checked and is refused as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.samples import document_digest
from proofwalk.kernel.errors import ProofwalkError, Status
from proofwalk.suites.model import Task
from proofwalk.suites.rules.decontamination import Guard, Match

LEAK = "data.leak"


class Watch:
    """Evaluation tasks, prepared for asking whether a sample comes from one. Tasks are
    looked at once each. Of `documents` the operations may be known, their text may not
    (docs/adr/0005)."""

    def __init__(self, evaluation: Sequence[Task], *, documents: Sequence[Task] = ()) -> None:
        self._guard = Guard(evaluation, documents=documents)
        both = (*evaluation, *documents)
        self._ids = {(task.suite, task.id): task.id for task in both}
        self._documents = {document_digest(task.document): task.id for task in both}
        self._digests = {task.digest: task.id for task in both}
        self._seen: dict[str, Match | None] = {}

    def task(self, task: Task) -> Match | None:
        """The way in which an evaluation task is known from this one."""
        if task.digest not in self._seen:
            self._seen[task.digest] = self._look(task)
        return self._seen[task.digest]

    def _look(self, task: Task) -> Match | None:
        if (task.suite, task.id) in self._ids:
            return Match(first=task.id, second=task.id, how="it is the evaluation task itself")
        if known := self._documents.get(document_digest(task.document)):
            return Match(first=task.id, second=known, how="the same document")
        return self._guard.match(task)

    def named(self, sample: ChatSample) -> Match | None:
        """The evaluation task that this sample names, by task or document, without its
        task being at hand."""
        if (sample.suite, sample.task) in self._ids:
            return Match(
                first=sample.task, second=sample.task, how="it is the evaluation task itself"
            )
        if known := self._documents.get(sample.document) or self._digests.get(sample.task_digest):
            return Match(first=sample.task, second=known, how="the same document")
        return None

    def sample(self, sample: ChatSample, tasks: Mapping[str, Task]) -> Match | None:
        """The way in which an evaluation task is known from this sample. `tasks`: where
        samples come from, by id."""
        if match := self.named(sample):
            return match
        task = tasks.get(sample.task)
        if task is None or task.digest != sample.task_digest:
            return Match(
                first=sample.task,
                second="any evaluation task",
                how="its task is not at hand, so that it cannot be checked",
            )
        return self.task(task)


Watched = TypeVar("Watched", bound=ChatSample)


def guarded(
    what: str,
    samples: Iterable[Watched],
    tasks: Mapping[str, Task],
    evaluation: Sequence[Task],
    *,
    documents: Sequence[Task] = (),
) -> Iterator[Watched]:
    """The samples one by one; at their end `data.leak` is raised, naming every leak, if
    there was any. Whoever writes them must not keep what came before an error
    (`samples.write_samples` does not). `what` is what the error calls the samples."""
    watch, found = Watch(evaluation, documents=documents), Counter[Match]()
    for sample in samples:
        match = watch.sample(sample, tasks)
        if match is not None:
            found[match] += 1
        yield sample
    if found:
        told = "; ".join(
            f"{match} ({found[match]} samples)" for match in sorted(found, key=str)[:20]
        )
        raise ProofwalkError(
            LEAK,
            f"{what}: {told}{f'; and {len(found) - 20} more' if len(found) > 20 else ''}",
            status=Status.FAILED_PRECONDITION,
            hint="leave these tasks out; what counts as the same is said in docs/adr/0005",
        )
