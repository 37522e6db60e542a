"""What `proofwalk target new` asks, and who answers: a person at the terminal, or lines
piped to standard input. A file of answers is `target_answers`.

An answer may be a reference (`${env:NAME}`, `${file:path}`).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import typer

from proofwalk.cloud.references import References, UnresolvedReference
from proofwalk.kernel.errors import ProofwalkError, invalid


@dataclass(frozen=True, kw_only=True)
class Question:
    """Something that only a person knows."""

    key: str
    """What a file of answers calls it by."""
    text: str
    proposed: str | None = None
    """The answer where none is given; None: there has to be one."""
    hidden: bool = False
    """The answer is not shown while it is typed."""


class Answers(Protocol):
    """Where answers come from."""

    async def answer(self, question: Question) -> str:
        """Return the answer, or the proposed one. Raises `target.no_answer`."""
        ...

    async def answers(self, question: Question) -> Sequence[str]:
        """Return any number of answers."""
        ...


class Terminal:
    """A person, asked in a thread, since the browser goes on meanwhile."""

    async def answer(self, question: Question) -> str:
        return (await asyncio.to_thread(self._prompt, question)).strip()

    async def answers(self, question: Question) -> Sequence[str]:
        several: list[str] = []
        while line := await self.answer(question):
            several.append(line)
        return several

    @staticmethod
    def _prompt(question: Question) -> str:
        try:
            return str(
                typer.prompt(
                    question.text,
                    default=question.proposed,
                    show_default=bool(question.proposed),
                    hide_input=question.hidden and sys.stdin.isatty(),
                    err=True,
                )
            )
        except typer.Abort:
            raise unanswered(question) from None


def resolved(references: References, question: Question, answer: str) -> str:
    """Return an answer with its references replaced. Raises `target.no_answer`."""
    try:
        return str(references.resolve(answer))
    except UnresolvedReference as error:
        raise invalid(
            "target.no_answer",
            f"{question.key}: {error}",
            hint="set it, or answer with the value; values of secrets go into files of their own",
            details={"key": question.key},
        ) from None


def unanswered(question: Question) -> ProofwalkError:
    """Return the refusal of a question that nobody answers."""
    return invalid(
        "target.no_answer",
        f"nobody answers: {question.text}",
        hint=f"write `{question.key}: …` into the file of --answers, or answer at the terminal",
        details={"key": question.key},
    )
