"""The requests and answers of AgentBench's task controller (Liu et al., 2023), as its
client sends and reads them.

Texts that come in have a largest length, so that a hostile client costs no more than
a slow one. Members that we do not know are ignored, as AgentBench ignores them. Ours
beside AgentBench's: `pictures` in a request to start, `picture` in an answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_RESULTS = 10_000
"""Samples of one request for the overall figures."""
_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
SessionId = Annotated[int, Field(ge=0, lt=2**53)]
"""What every reader of JSON holds exactly."""


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class SampleStatus(StrEnum):
    """How a sample stands."""

    RUNNING = "running"
    COMPLETED = "completed"
    AGENT_CONTEXT_LIMIT = "agent context limit"
    AGENT_VALIDATION_FAILED = "agent validation failed"
    """The agent's answers were no actions."""
    AGENT_INVALID_ACTION = "agent invalid action"
    """The agent's actions failed."""
    TASK_LIMIT_REACHED = "task limit reached"
    UNKNOWN = "unknown"
    """The agent gave up the sample."""
    TASK_ERROR = "task error"
    """The environment failed: there is no score."""


class AgentStatus(StrEnum):
    """What an agent's answer is."""

    NORMAL = "normal"
    CANCELLED = "cancelled"
    CONTEXT_LIMIT = "agent context limit"


class AgentOutput(_Wire):
    """An agent's answer."""

    status: AgentStatus = AgentStatus.NORMAL
    content: Annotated[str, Field(max_length=20_000)] | None = None


class StartSample(_Wire):
    """Begin one sample of a task. `pictures`: screenshots go along with the text."""

    name: _Name
    index: _Name | int
    pictures: bool = False


class Interact(_Wire):
    """Answer in a session."""

    session_id: SessionId
    agent_response: AgentOutput


class Cancel(_Wire):
    """End a session."""

    session_id: SessionId


class Message(_Wire):
    """What was said in an episode."""

    role: Literal["user", "agent"]
    content: str


class EpisodeEnd(_Wire):
    """What an episode came to. `score` is null where the outcome says nothing about
    the agent; the other members are those of the house's outcomes."""

    score: _Score | None = None
    outcome: Annotated[str, Field(max_length=40)] = ""
    cause: Annotated[str, Field(max_length=40)] = ""
    code: Annotated[str, Field(max_length=100)] = ""
    reason: Annotated[str, Field(max_length=4000)] = ""
    steps: Annotated[int, Field(ge=0, le=10**6)] = 0


class SampleOutput(_Wire):
    """How a sample stands; `result` is there once it is over. `picture` is a JPEG in
    Base64."""

    index: str
    status: SampleStatus
    result: EpisodeEnd | None = None
    history: tuple[Message, ...] = ()
    picture: str | None = None


class SessionOutput(_Wire):
    """The answer to a start and to an interaction."""

    session_id: int
    output: SampleOutput


class FinishedSample(_Wire):
    """A sample as a client tells of it afterwards; its history is of no interest."""

    status: SampleStatus
    result: EpisodeEnd | None = None


class CalculateOverall(_Wire):
    """Ask what samples of a task come to together."""

    name: _Name
    results: Annotated[tuple[FinishedSample, ...], Field(max_length=MOST_RESULTS)]


class Overall(_Wire):
    """What samples come to. Those that the environment failed are in `total` and
    `excluded`, and in no mean."""

    total: int
    scored: int
    excluded: int
    success_rate: float | None
    """Share of the scored samples with the outcome `verified`; null without any."""
    mean_score: float | None
    statuses: dict[SampleStatus, int]


class Worker(_Wire):
    """Who carries out a task's samples: the controller itself. `status` 0 is alive."""

    id: int = 0
    address: str = ""
    capacity: int
    current: int
    last_visit: float
    status: int = 0
    locked: bool = False


class ServedTask(_Wire):
    """A task as `list_workers` tells of it."""

    indices: tuple[str, ...]
    workers: dict[str, Worker]


class SessionEntry(_Wire):
    """A session as `list_sessions` tells of it; times are seconds since 1970."""

    name: str
    index: str
    start: float
    last_update: float
    worker_id: int = 0
    locked: bool
    """Whether a request of the session is under way."""
