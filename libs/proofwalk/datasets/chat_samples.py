"""Chat samples: one decision to learn, with the messages that ask for it. Preference
pairs: two answers to one question, one of which is right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ChatMessage:
    """One message of a question."""

    role: str
    text: str
    images: tuple[str, ...] = ()
    """Content addresses (SHA-256) of the pictures behind the text; they lie in the
    episode's `blobs/`."""


@dataclass(frozen=True, kw_only=True)
class ChatSample:
    """One decision to learn."""

    messages: tuple[ChatMessage, ...]
    """The question; nothing of it is learned."""
    answer: str
    """Thought and action: the only text that is learned."""
    action: str
    """The action as JSON."""
    outcome: str
    """How the episode ended: verified or doc_defect."""
    suite: str
    task: str
    task_digest: str
    product: str
    language: str
    document: str
    """SHA-256 of the document's text."""
    episode: str
    step: int
    """The step's number within the episode, from 1."""
    substep: str
    policy: str
    """The teacher."""
    policy_version: str
    """The model that decided, as its endpoint names it; the teacher's name where no
    model did."""
    thought_by: str
    """`thoughts.ThoughtBy`: whose words the thought is in."""
    layout: str
    form: str

    @property
    def learned(self) -> int:
        """Position of the message that is learned in `chat`: the last one."""
        return len(self.messages)

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that are trained on."""
        return (self.answer,)

    def chat(self) -> list[dict[str, str]]:
        """The messages with the answer as the last one, as chat templates take them;
        pictures are left out."""
        asked = [{"role": one.role, "content": one.text} for one in self.messages]
        return [*asked, {"role": "assistant", "content": self.answer}]

    @property
    def length(self) -> int:
        """Characters of the question."""
        return sum(len(one.text) for one in self.messages)


@dataclass(frozen=True, kw_only=True)
class PreferencePair(ChatSample):
    """A question of a walk that failed; `answer` is what was right there."""

    rejected: str
    """The walk's own answer."""
    paradigm: str
    """`forks.Paradigm`: what the pair teaches."""
    reference: str
    """The episode that shows what was right."""

    @property
    def answers(self) -> tuple[str, ...]:
        return self.answer, self.rejected
