"""The library's console on the loopback, and a caller that a target file declares."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from proofwalk.chassis.http import HttpServer
from proofwalk.cloud.steps.caller import DeclaredCaller, declared_caller
from proofwalk.cloud.steps.declared import BasicLogin, DeclaredCommand, ProvisioningOptions
from tests.fixtures.library import PASSWORD, USER, Library

SLEEPER = 'sleep 60 & echo $! > "$1"; wait'


@pytest.fixture
async def library() -> AsyncIterator[Library]:
    made = Library()
    yield made
    made.go_on.set()


@pytest.fixture
async def url(library: Library) -> AsyncIterator[str]:
    async with HttpServer(library.app(), "127.0.0.1:0", grace_s=0.5) as server:
        yield server.url


@pytest.fixture
async def caller(url: str, tmp_path: Path) -> AsyncIterator[DeclaredCaller]:
    options = ProvisioningOptions(
        url=url,
        basic=BasicLogin(user=SecretStr(USER), password=SecretStr(PASSWORD)),
        deadline_s=1.0,
        commands={
            "show": DeclaredCommand(
                argv=("sh", "-c", 'printf \'{"word": "%s", "key": "%s"}\' "$1" "$KEY"', "show"),
                env={"KEY": SecretStr("brass-Key-3")},
            ),
            "fail": DeclaredCommand(
                argv=("sh", "-c", 'echo "no key $KEY" >&2; exit 3'),
                env={"KEY": SecretStr("brass-Key-3")},
            ),
            "sleep": DeclaredCommand(argv=("sh", "-c", SLEEPER, "sleep"), deadline_s=0.5),
            "flood": DeclaredCommand(argv=("cat", "/dev/zero")),
        },
    )
    async with declared_caller(options, target="library", folder=tmp_path) as opened:
        yield opened
