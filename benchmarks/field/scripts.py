"""What a person writes to do a console's procedures: `suites/field/<console>/walks.py`.

It holds `sign_in` and `WALKS`, a walk for each procedure that has a rule. A walk does
its procedure in the console with Playwright, from the start page, signed in. It shows
that a rule can be met, and by what: `prove` does the walks and judges them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Page

from benchmarks.field.suite import FOLDER
from proofwalk.kernel.errors import not_found


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a scripted walk is told."""

    url: str
    """The console's start page."""
    login: Mapping[str, str]
    """The account's fields: `user`, `password`."""
    binds: Mapping[str, str]
    """What the document's phrases stand for."""
    outputs: Mapping[str, str]
    """META's outputs."""


Walk = Callable[[Page, Given], Awaitable[None]]
"""Does one procedure, or signs in. Raises `AssertionError` when the console refuses."""


@dataclass(frozen=True, kw_only=True)
class Scripts:
    """What a console's `walks.py` holds."""

    sign_in: Walk
    walks: Mapping[str, Walk]
    """By the procedure's id."""


def load_scripts(name: str, folder: Path = FOLDER) -> Scripts:
    """Load the scripts of a console. Raises `field.no_scripts`."""
    path = folder / name / "walks.py"
    spec = importlib.util.spec_from_file_location(f"walks_of_{name}", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise not_found(
            "field.no_scripts",
            f"there is no {path}",
            hint="write `sign_in` and `WALKS` there, as suites/field/rabbitmq/walks.py does",
        )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Scripts(sign_in=module.sign_in, walks=module.WALKS)
