"""What tokens cost: a YAML file with one currency and a price for each model.

    currency: CNY
    models:
      qwen3-vl-32b-instruct: {input: 2.0, cached: 0.4, output: 8.0}

Prices are per million tokens. Cached tokens cost `cached`, or as much as others where
it is not given. A model that the file does not name costs nothing and says so: its
usage has no currency.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from proofwalk.kernel.errors import invalid

_MILLION = 1_000_000


class Price(BaseModel):
    """Prices of one model per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def of(self, *, tokens_in: int, tokens_out: int, tokens_cached: int) -> float:
        """The price of one exchange; cached tokens are among `tokens_in`."""
        cached = min(tokens_cached, tokens_in)
        rate = self.input if self.cached is None else self.cached
        return (
            (tokens_in - cached) * self.input + cached * rate + tokens_out * self.output
        ) / _MILLION


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    currency: str = Field(pattern=r"^[A-Z]{3}$")
    models: dict[str, Price]


@dataclass(frozen=True, kw_only=True)
class PriceTable:
    """Prices by model name, in one currency."""

    currency: str = ""
    models: Mapping[str, Price] = field(default_factory=dict)

    def find(self, *names: str) -> Price | None:
        """The price of the first of these names that has one: what the endpoint calls
        its model, then what was asked for."""
        return next((self.models[name] for name in names if name in self.models), None)


def read_prices(path: Path) -> PriceTable:
    """Read a price file. Raises `prices.invalid`."""
    try:
        found = _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise invalid(
            "prices.invalid",
            f"{path}: {where}: {first['msg']}",
            hint="give `currency` and, for each model, `input` and `output`",
        ) from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise invalid(
            "prices.invalid", f"{path} cannot be read: {' '.join(str(error).split())[:200]}"
        ) from error
    return PriceTable(currency=found.currency, models=found.models)
