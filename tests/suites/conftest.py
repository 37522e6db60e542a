"""The embedded console's labels and a small library of units, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.platform.devcloud_console import DevcloudConsole
from proofwalk.suites.writing.composition import compose
from proofwalk.suites.writing.drafts import Draft
from proofwalk.suites.writing.library import Library
from proofwalk.suites.writing.library_files import read_library
from proofwalk.suites.writing.task_names import Setting

SOURCES = Path(__file__).parent / "sources"


@pytest.fixture(scope="session")
def console() -> DevcloudConsole:
    return DevcloudConsole()


@pytest.fixture(scope="session")
def library() -> Library:
    return read_library(SOURCES)


class Composer:
    """Drafts of the small library's families."""

    def __init__(self, library: Library, console: DevcloudConsole) -> None:
        self.library = library
        self.console = console

    def __call__(
        self, family_id: str, number: int = 0, language: str = "en", seed: int = 1
    ) -> Draft:
        family = next(family for family in self.library.families if family.id == family_id)
        return compose(
            family,
            number,
            Setting(library=self.library, console=self.console, seed=seed, language=language),
        )


@pytest.fixture
def composed(library: Library, console: DevcloudConsole) -> Composer:
    return Composer(library, console)
