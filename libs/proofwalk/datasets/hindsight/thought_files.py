"""Thoughts that a model wrote for an episode's steps, as they lie in its folder
(`thoughts.json`, which goes with it): the same samples can be made again without a
model, and a run that was broken off goes on where it was.

Every thought says which model was asked, which one answered, and which version of the
prompt it answers. What another model or another prompt wrote counts as not written; it
stays in the file until it is replaced.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from proofwalk.datasets.collection import Episode
from proofwalk.datasets.hindsight.schemata import Schema
from proofwalk.datasets.hindsight.thought_checks import REFLECTION
from proofwalk.datasets.thoughts import ThoughtBy
from proofwalk.datasets.turns import turns_of
from proofwalk.datasets.verdicts import Verdict
from proofwalk.kernel.errors import invalid, not_found

FILE = "thoughts.json"
_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class StepThought:
    """What a model wrote for one step."""

    text: str
    """Empty where no answer could be taken: the step keeps the thought that it has."""
    schema: Schema
    asked_for: str
    """The model that was asked, by the name in the settings; empty for the only one of
    an endpoint."""
    model: str
    """The model that answered, as its endpoint names it."""
    prompt: int
    """`questions.PROMPT`."""
    refused: tuple[str, ...] = ()
    """Why answers were not taken."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Of this thought and of those that it has replaced."""
    currency: str = ""


@dataclass(kw_only=True)
class Thoughts:
    """An episode's thoughts by position."""

    folder: Path
    by_position: dict[int, StepThought]

    @classmethod
    def read(cls, folder: Path) -> Thoughts:
        """Empty where there are none; blocks. Raises `data.bad_thoughts`."""
        path = folder / FILE
        if not path.is_file():
            return cls(folder=folder, by_position={})
        try:
            members = json.loads(path.read_text(encoding="utf-8"))
            if members["version"] != _VERSION:
                raise ValueError(f"version {members['version']}; this program reads {_VERSION}")
            steps = {
                int(at): StepThought(
                    **{
                        **one,
                        "schema": Schema(one["schema"]),
                        "refused": tuple(map(str, one["refused"])),
                    }
                )
                for at, one in members["steps"].items()
            }
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise invalid(
                "data.bad_thoughts",
                f"{path} cannot be read: {error}",
                hint="delete it and write the thoughts again: proofwalk data hindsight DIR",
            ) from error
        return cls(folder=folder, by_position=steps)

    def keep(self, at: int, thought: StepThought) -> None:
        """Add a thought. The file is there whole or as it was; blocks."""
        self.by_position[at] = thought
        steps = {str(at): asdict(one) for at, one in sorted(self.by_position.items())}
        text = json.dumps({"version": _VERSION, "steps": steps}, ensure_ascii=False, indent=1)
        partial = self.folder / f".{FILE}.partial"
        partial.write_text(text + "\n", encoding="utf-8")
        os.replace(partial, self.folder / FILE)

    def written(self, *, asked_for: str, prompt: int) -> dict[int, StepThought]:
        """Those of one model and prompt."""
        return {
            at: one
            for at, one in self.by_position.items()
            if (one.asked_for, one.prompt) == (asked_for, prompt)
        }

    def applied(self, episode: Episode, verdicts: Sequence[Verdict]) -> Episode:
        """The episode with these thoughts. Raises `data.no_thought` when a step that
        asks for one has none."""
        missing = [at + 1 for at in wanting(episode, verdicts) if at not in self.by_position]
        if missing:
            raise not_found(
                "data.no_thought",
                f"no thought was written for step {missing[0]} of {episode.name}",
                hint="run: proofwalk data hindsight DIR",
            )
        return replace(episode, thoughts=_texts(self.by_position))


def without_reflections(episode: Episode) -> Episode:
    """The episode without the thoughts that reflect on an error of its own: on another
    walk's page nobody has made it."""
    texts = {at: text for at, text in episode.thoughts.items() if not text.startswith(REFLECTION)}
    return replace(episode, thoughts=texts)


def _texts(thoughts: dict[int, StepThought]) -> dict[int, str]:
    return {at: one.text for at, one in thoughts.items() if one.text}


def wanting(episode: Episode, verdicts: Sequence[Verdict]) -> list[int]:
    """Positions of the steps that a thought is written for: those that are kept, but
    for those whose thought is a model's own, which led to the action."""
    return [
        played.at
        for played in turns_of(replace(episode, thoughts={}))
        if verdicts[played.at].rule is None and played.thought_by is not ThoughtBy.MODEL
    ]
