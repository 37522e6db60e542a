"""What every test shares: servers, databases, settings, and a look for what a test left behind."""

pytest_plugins = ["tests.fixtures.servers", "tests.fixtures.databases", "tests.fixtures.processes", "tests.fixtures.leaks"]
