"""What can be set about judging."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.kernel.errors import invalid


class JudgeSettings(SettingsSection):
    """`PROOFWALK_REWARD_SERVICE__JUDGES__0__…` and `…__1__…`: a model that judges,
    behind an endpoint that speaks OpenAI's protocol."""

    endpoint: str = Field(min_length=1)
    """Base URL with its version, `https://host/v1`."""
    name: str = ""
    """The model's name at the endpoint; empty takes the only one that it lists."""
    family: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")
    """Who made the model (`qwen`, `gemini`, …): models of one family err alike, so the
    two judges must not share one."""
    api_key_file: Path | None = None
    """File with the key for the endpoint; without one, no key is sent."""
    prices: Path | None = None
    """YAML file with prices per million tokens, by model."""
    vision: bool = True
    """Show the screenshot; without, the page's text alone."""
    context_tokens: int = Field(default=32_768, ge=4096, le=2_000_000)
    """The model's context limit in tokens, question and answer together."""
    max_tokens: int = Field(default=1024, ge=128, le=32_768)
    """Tokens of one answer at most."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """Sampling temperature; left out for models that refuse it."""
    malformed_retries: int = Field(default=2, ge=0, le=10)
    """How often an answer that cannot be used is asked for again, with the error
    told."""
    timeout_s: float = Field(default=90.0, ge=1, le=600)
    """Seconds of one request."""
    deadline_s: float = Field(default=240.0, ge=1, le=290)
    """Seconds for one judgement, with all that is asked again."""
    retries: int = Field(default=2, ge=0, le=10)
    """Repeats of a request that met a broken connection, 408, 409, 429 or 5xx."""
    concurrency: int = Field(default=4, ge=1, le=256)
    """Judgements that ask this endpoint at the same time; others wait, within their
    deadline."""


class RewardServiceSettings(SettingsSection):
    """`PROOFWALK_REWARD_SERVICE__…`."""

    targets: Path | None = None
    """Folder of further target files (`*.yaml`)."""
    poll_shortest_s: float = Field(default=0.5, gt=0, le=60)
    """Seconds between the first two looks at an audit log."""
    poll_longest_s: float = Field(default=2.0, gt=0, le=300)
    """Seconds between looks when many have shown nothing new."""
    late_grace_s: float = Field(default=60.0, ge=0, le=3600)
    """Seconds after the delivery bound until a log that has not caught up is called
    late."""
    rule_seconds: int = Field(default=10, ge=1, le=120)
    """Seconds of a processor that reading a rule, or applying it to one look at the
    log, may take."""
    rule_memory_mb: int = Field(default=512, ge=64, le=8192)
    """Megabytes that either may take."""
    begun_allowed: int = Field(default=3, ge=1, le=100)
    """How often a judgement may begin and take this process along before it ends as
    `rule_too_costly`."""
    keep_days: float = Field(default=90.0, gt=0)
    """Days that judged events are kept for rescoring."""
    judges: dict[str, JudgeSettings] = Field(default_factory=dict)
    """Two models of different families that judge where no rule exists; none: such
    episodes rest on the page alone."""
    judges_delta_s: float = Field(default=5.0, ge=0, le=3600)
    """Δ without a rule: seconds after the walk that still belong to the window."""
    judges_daily_tokens: int = Field(default=0, ge=0)
    """Tokens that the judges may take in 24 hours, questions and answers; what is under
    way when they are reached is finished, and what a judge took before it went away is
    not counted. 0: no bound."""

    @model_validator(mode="after")
    def _two_families(self) -> RewardServiceSettings:
        """A consensus of one family, or of one model under two names, would be no
        consensus (AliyunConsoleAgent §5.2)."""
        judges = list(self.judges.values())
        if len(judges) not in (0, 2):
            raise invalid(
                "judges.not_two",
                f"{len(judges)} judge{'' if len(judges) == 1 else 's'} set; a consensus is"
                " between two",
                hint="set PROOFWALK_REWARD_SERVICE__JUDGES__0__… and …__JUDGES__1__…, or neither",
            )
        hint = "choose the second judge from another maker's models, and name its FAMILY"
        if len({one.family.casefold() for one in judges}) < len(judges):
            raise invalid(
                "judges.same_family",
                f"both judges are of the family {judges[0].family!r}",
                hint=hint,
            )
        if len({(_place(one.endpoint), one.name.casefold()) for one in judges}) < len(judges):
            raise invalid(
                "judges.same_family",
                f"both judges are the same model at {judges[0].endpoint}",
                hint=hint,
            )
        return self


def _place(endpoint: str) -> tuple[str, str]:
    """An endpoint without the spellings that make no difference."""
    parts = urlsplit(endpoint)
    return parts.netloc.casefold(), parts.path.rstrip("/")
