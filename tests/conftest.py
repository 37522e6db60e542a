"""What every test shares: servers, databases, settings, and a look for what a test left behind."""

import structlog

pytest_plugins = ["tests.fixtures.servers", "tests.fixtures.databases", "tests.fixtures.processes", "tests.fixtures.leaks"]


def pytest_configure() -> None:
    """Plain log lines: the default renders tracebacks with every local variable, slowly."""
    processors: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.format_exc_info,
        structlog.processors.KeyValueRenderer(key_order=["level", "event"]),
    ]
    structlog.configure(processors=processors)
