"""A checkpoint's P(YES) of each held-out question, and the file that keeps them: it
may be made on another machine than the result. Its first line says what was asked, each
other one is a `Scored`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from benchmarks.outcome_model.cue import says_success
from proofwalk.datasets.outcomes.answers import YES
from proofwalk.datasets.sample_files import read_samples
from proofwalk.rl.outcome_model import OutcomeModel


@dataclass(frozen=True, kw_only=True)
class Scored:
    """What the rule, the model and the page's cue say of one walk."""

    episode: str
    task: str
    kind: str
    succeeded: bool
    """By the rule."""
    probability: float
    """P(YES)."""
    cue: bool
    """Whether the page alone looks like success."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """All of a file, and how they were made."""

    model: str
    device: str
    seconds: float
    rows: tuple[Scored, ...]


def load(folder: Path) -> tuple[Any, Any]:
    """A model in float32 with its tokenizer, on the first CUDA device where there is
    one."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True, use_safetensors=True
    )
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


def scored(folder: Path, samples: Path, *, microbatch_tokens: int) -> Scores:
    """Ask a checkpoint about a file of questions."""
    chats = read_samples(samples)[1]
    model, tokenizer = load(folder)
    judge = OutcomeModel(model, tokenizer, microbatch_tokens=microbatch_tokens)
    began = time.monotonic()
    found = judge.success_probabilities([one.chat()[:-1] for one in chats])
    seconds = time.monotonic() - began
    rows = tuple(
        Scored(
            episode=one.episode,
            task=one.task,
            kind=one.outcome,
            succeeded=one.answer == YES,
            probability=probability,
            cue=says_success(one.messages[-1].text),
        )
        for one, probability in zip(chats, found, strict=True)
    )
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    return Scores(model=folder.name, device=device, seconds=round(seconds, 1), rows=rows)


def write_scores(path: Path, scores: Scores) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"model": scores.model, "device": scores.device, "seconds": scores.seconds}
    lines = [head, *(asdict(one) for one in scores.rows)]
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")


def read_scores(path: Path) -> Scores:
    """Inverse of `write_scores`."""
    head, *rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return Scores(**head, rows=_rows(rows))


def _rows(lines: Sequence[dict[str, Any]]) -> tuple[Scored, ...]:
    return tuple(Scored(**line) for line in lines)
