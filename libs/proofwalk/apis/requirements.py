"""Requirement analysis (ComputerRL §2.1, appendix A): which functions the exemplar
tasks need that no catalogue has yet.

A model names them; what is named is then held against what exists. A function whose
name has the words of another's is that one, whatever their order, and is dropped. The
number is bounded: many functions are a burden to the agent that chooses among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field

from proofwalk.apis import prompts
from proofwalk.apis.asking import Author
from proofwalk.apis.model import Interface

MOST_FUNCTIONS = 8
"""Of one construction."""
MOST_TASKS = 40


class _Named(BaseModel):
    model_config = ConfigDict(extra="forbid")

    functions: tuple[Interface, ...] = Field(max_length=3 * MOST_FUNCTIONS)


async def requirements(
    author: Author,
    tasks: Sequence[str],
    existing: Sequence[Interface],
    *,
    guide: str,
    most: int = MOST_FUNCTIONS,
) -> tuple[Interface, ...]:
    """The interfaces that are missing, most wanted first. Raises what `Author.ask`
    raises."""
    answer = await author.ask(
        prompts.REQUIREMENTS,
        lambda fence: prompts.requirements_of(
            tasks[:MOST_TASKS], existing, guide, most=most, fence=fence
        ),
        _Named,
    )
    return missing(answer.functions, existing)[:most]


def missing(named: Iterable[Interface], existing: Iterable[Interface]) -> tuple[Interface, ...]:
    """Those of the named ones that are none of the existing ones, each once."""
    covered = {one.words for one in existing}
    new: list[Interface] = []
    for interface in named:
        if interface.words not in covered:
            covered.add(interface.words)
            new.append(interface)
    return tuple(new)
