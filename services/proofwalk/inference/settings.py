"""Settings of the inference role."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from proofwalk.chassis.settings_sections import SettingsSection


class InferenceSettings(SettingsSection):
    """`PROOFWALK_INFERENCE__…`."""

    engine: Literal["none", "embedded", "openai", "vllm"] = "none"
    """`embedded`: a small model on this machine; `vllm`: a vLLM server; `openai`: any
    endpoint that speaks OpenAI's protocol; `none`: no model."""
    model: str = ""
    """The model's name at the endpoint (`openai`, `vllm`: needed), or the beginning of
    the base version's (`embedded`; empty: the folder's name)."""
    weights: Path | None = None
    """Folder of the base model (`embedded`): config.json, safetensors, tokenizer."""
    dtype: Literal["auto", "float32", "bfloat16"] = "float32"
    """Precision of the weights (`embedded`); `auto`: bfloat16 where the device has
    instructions for it."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Where it computes (`embedded`); `auto`: on a CUDA device where torch sees one."""
    threads: int = Field(default=1, ge=1, le=256)
    """Threads of the arithmetic (`embedded`)."""
    rows: int = Field(default=32, ge=1, le=4096)
    """Samples that are decoded together at most (`embedded`)."""
    prefix_tokens: int = Field(default=4096, ge=0, le=10_000_000)
    """Tokens of prompts whose keys and values are kept in memory, for prompts that
    begin alike (`embedded`)."""
    endpoint: str = ""
    """Base URL of the endpoint, `http://host:8000/v1` (`openai`, `vllm`)."""
    api_key: SecretStr = SecretStr("")
    """Key for the endpoint; give it as a file (`…__API_KEY_FILE`). Empty sends none."""
    timeout_s: float = Field(default=240.0, ge=1, le=600)
    """Seconds of one request to the endpoint."""
    score_answers: bool = True
    """Ask the server for the raw log-probabilities of answers with a JSON schema, which
    training needs: it reads each prompt once more (`vllm`). Off where nothing is
    trained, and where vLLM 0.32 serves adapters on a CPU: scores end its worker."""
    queue: int = Field(default=64, ge=1, le=10_000)
    """Questions that wait or are being answered at most; the next one is refused with
    `inference.overloaded`."""
    max_samples: int = Field(default=64, ge=1, le=4096)
    """Samples of one question at most."""
    prices: Path | None = None
    """YAML file with prices per million tokens, by model: what an answer costs is told
    from it."""
