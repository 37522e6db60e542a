"""What every part of a product file is made of: strict nodes, refusals, and the choice
of other resources."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Node(BaseModel):
    """Base of every model: unknown keys are errors, because a misspelt key would
    silently do nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(Node):
    """A refusal as the real service words it. `{id}` and `{value}` in the message are
    filled in."""

    code: str
    message: str
    status: int = 400


class Selector(Node):
    """Other resources of the same account: `resource` is product.type, `where` maps its
    fields to templates or lists of them."""

    resource: str
    where: dict[str, Any] = {}
