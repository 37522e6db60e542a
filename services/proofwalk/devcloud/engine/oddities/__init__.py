"""Operations whose real form is too odd to declare, and values that only one product
makes: a module per product.

A product file names a function of `HOOKS` with `kind: hook, hook: <name>` and one of
`DERIVATIONS` with `$call: <name>`. A module defines either or both and is listed in
`MODULES`; two modules may not use the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import Any

from proofwalk.devcloud.engine.calls import Call, Outcome
from proofwalk.devcloud.engine.oddities import (
    bills,
    ecs,
    ess,
    expenses,
    kms,
    oss,
    prices,
    puts,
    ram,
    rds,
    redis,
    slb,
    sls,
    vpc,
)
from proofwalk.devcloud.engine.values.derivations import DERIVATIONS
from proofwalk.devcloud.engine.values.templates import Derivation

MODULES: tuple[ModuleType, ...] = (
    bills,
    ecs,
    ess,
    expenses,
    kms,
    oss,
    prices,
    puts,
    ram,
    rds,
    redis,
    slb,
    sls,
    vpc,
)


def _collected(member: str, tables: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module, table in tables:
        for name, function in table.items():
            if name in found:
                raise ValueError(f"{member} {name!r} of {module} is defined already")
            found[name] = function
    return found


HOOKS: Mapping[str, Callable[[Call], Outcome]] = _collected(
    "hook", [(module.__name__, getattr(module, "HOOKS", {})) for module in MODULES]
)
"""By the name that a product file uses."""

ALL_DERIVATIONS: Mapping[str, Derivation] = _collected(
    "derivation",
    [
        ("derivations", DERIVATIONS),
        *((module.__name__, getattr(module, "DERIVATIONS", {})) for module in MODULES),
    ],
)
"""Those that any product may use, and those of one product."""
