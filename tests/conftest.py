"""What every test shares: servers, databases, settings, and a look for what a test left
behind."""

import gc
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

pytest_plugins = [
    "tests.fixtures.shapes",
    "tests.fixtures.servers",
    "tests.fixtures.databases",
    "tests.fixtures.pgbouncer",
    "tests.fixtures.processes",
    "tests.fixtures.leaks",
]


def pytest_configure() -> None:
    """No property has a time limit of its own: the machine may be busy. Plain log
    lines: the default renders tracebacks with every local variable, slowly."""
    settings.register_profile("house", deadline=None)
    settings.load_profile("house")
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.format_exc_info,
        structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
    ]
    structlog.configure(processors=processors)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, whatever the order otherwise: several processes
    then end at about the same time."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays until the end. Looking through it for
    garbage is a third of a collection's time and a quarter of a test's."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
