"""Which model is asked, and how: `PROOFWALK_ROLLOUT__MODEL__…`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator

from proofwalk.chassis.settings_sections import SettingsSection


class ModelSettings(SettingsSection):
    """An endpoint that speaks OpenAI's protocol, or the inference role, and the manners
    of asking it."""

    via: Literal["endpoint", "inference"] = "endpoint"
    """Who is asked: `endpoint`, or the inference role, which names the weights that act
    and tells token ids and log-probabilities."""
    endpoint: str = ""
    """Base URL with its version, `https://host/v1`; empty: there is no model, and the
    policies that need one are refused."""
    name: str = ""
    """The model's name at the endpoint; empty takes the only one that it lists."""
    pool: tuple[str, ...] = Field(default=(), max_length=16)
    """Names of several models of the endpoint instead: each question goes to one of
    them, drawn by chance (`pool`). As JSON: `["model-a", "model-b"]`."""
    api_key: SecretStr = SecretStr("")
    """Key for the endpoint; give it as a file (`…__API_KEY_FILE`). Empty sends none."""
    prompt: Literal["normal", "flash"] = "normal"
    """`normal` explains and asks for a thought; `flash` is short and asks for one line
    of memory."""
    layout: Literal["normal", "compact"] = "normal"
    """`compact`: one short question a step for a small model, elements with their name
    first and their mark last (`compact`); without screenshots, in one wording."""
    answers: Literal["auto", "schema", "json", "text"] = "auto"
    """How answers are constrained: by JSON schema, by JSON mode, or not; `auto` begins
    with the first and goes on to what is not refused."""
    batches: bool = True
    """An answer may fill in fields of the page before its action, and say that the
    sub-step is then done, so that there are fewer questions. Off: one action an answer,
    which is what the compact layout and the inference role always have."""
    vision: bool = True
    """Show a screenshot of the page now; without, the page's text alone."""
    turns: int | None = Field(default=None, ge=0, le=20)
    """Normal layout: latest turns that are shown in full, with what was on the page;
    older ones are one line each, which an endpoint's prefix cache can keep. Compact
    layout: latest steps of the sub-step, a line each; no others are shown. Unset: 0 in
    the normal layout, 4 in the compact one."""
    page_chars: int = Field(default=8000, ge=300, le=100_000)
    """Characters of page text in the current turn."""
    context_tokens: int = Field(default=32_768, ge=128, le=2_000_000)
    """The model's context limit in tokens, question and answer together."""
    max_tokens: int = Field(default=1024, ge=16, le=32_768)
    """Tokens of one answer at most."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """Sampling temperature; left out for models that refuse it."""
    steps_per_substep: int = Field(default=40, ge=1, le=1000)
    """Steps that a walk may take for one sub-step; then it has failed. Small where a
    model is trained: a lost walk costs as much as a long one."""
    malformed_retries: int = Field(default=2, ge=0, le=10)
    """How often an answer that cannot be read is asked for again, with the error told,
    before the step counts as failed."""
    timeout_s: float = Field(default=120.0, ge=1, le=600)
    """Seconds of one request."""
    deadline_s: float = Field(default=240.0, ge=1, le=290)
    """Seconds of one question with all its repeats; the walk gives a decision 300."""
    retries: int = Field(default=2, ge=0, le=10)
    """Repeats of a request that met a broken connection, 408, 409, 429 or 5xx;
    `Retry-After` is honoured."""
    logprobs: bool = False
    """Ask for log-probabilities of the answer's tokens; where they are served, a
    decision's confidence comes from them."""
    token_ids: bool = False
    """Ask for token ids (`return_token_ids`, an extension of vLLM)."""
    prices: Path | None = None
    """YAML file with prices per million tokens, by model: what a walk costs is told
    from it."""

    @property
    def latest_turns(self) -> int:
        """How many turns `turns` comes to in this layout."""
        if self.turns is not None:
            return self.turns
        return {"normal": 0, "compact": 4}[self.layout]

    @property
    def batched(self) -> bool:
        """Whether an answer may hold more than one action."""
        return self.batches and self.layout == "normal" and self.via == "endpoint"

    @model_validator(mode="after")
    def _pool_is_of_an_endpoint(self) -> ModelSettings:
        if not self.pool:
            return self
        if self.name or self.via != "endpoint":
            raise ValueError(
                "a pool is of an endpoint's models: leave NAME empty, and VIA at endpoint"
            )
        if len(set(self.pool)) < len(self.pool) or not all(self.pool):
            raise ValueError("POOL names a model twice, or one without a name")
        if self.answers == "auto":
            raise ValueError(
                "a pool's models answer in one form: set ANSWERS to one that all of them take,"
                " schema, json or text"
            )
        return self

    @model_validator(mode="after")
    def _compact_is_plain(self) -> ModelSettings:
        if self.layout == "compact" and (self.vision or self.prompt != "normal"):
            raise ValueError(
                "the compact layout has one prompt of its own and no screenshots: set VISION=false"
                " and leave PROMPT=normal"
            )
        return self
