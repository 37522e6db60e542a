"""A console for the tests of each product."""

from __future__ import annotations

import pytest

from tests.devcloud.conftest import Backend
from tests.devcloud.console_api import Console


@pytest.fixture
def console(backend: Backend, account: dict[str, str]) -> Console:
    return Console(backend, account, backend.browser(account))
