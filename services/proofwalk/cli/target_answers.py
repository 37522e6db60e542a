"""The answers of a file to what `proofwalk target new` asks, by key.

What the file leaves out has the answer that is proposed; a question without one is
refused by its key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from proofwalk.chassis.yaml_documents import YamlBounds, YamlRefused, read_yaml
from proofwalk.cli.target_questions import Question, unanswered
from proofwalk.kernel.errors import ProofwalkError, invalid

_MAX_BYTES = 256 * 1024


class AnswersFile:
    """Answers by key."""

    def __init__(self, answers: Mapping[str, Sequence[str]]) -> None:
        self._answers = answers

    async def answer(self, question: Question) -> str:
        lines = self._answers.get(question.key)
        if lines:
            return lines[0]
        if question.proposed is None:
            raise unanswered(question)
        return question.proposed

    async def answers(self, question: Question) -> Sequence[str]:
        return self._answers.get(question.key, ())


def read_answers(path: Path) -> AnswersFile:
    """Read a YAML mapping of keys to answers, or to lists of them. Raises
    `target.bad_answers`."""
    try:
        document = read_yaml(path.read_text(encoding="utf-8"), YamlBounds(max_bytes=_MAX_BYTES))
    except OSError as error:
        raise _bad(path, f"it cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, YamlRefused) as error:
        raise _bad(path, f"it is not YAML: {error}") from None
    if not isinstance(document, Mapping):
        raise _bad(path, "it is no mapping of keys to answers")
    return AnswersFile(
        {
            str(key): [str(line) for line in (value if isinstance(value, list) else [value])]
            for key, value in document.items()
            if value is not None
        }
    )


def _bad(path: Path, what: str) -> ProofwalkError:
    return invalid(
        "target.bad_answers",
        f"{path}: {what}",
        hint="it holds lines such as `user: walker`; the keys are in docs/howto/console.md",
    )
