"""What the example pool is told."""

from pydantic import Field, SecretStr

from proofwalk.chassis.settings_sections import SettingsSection


class ExamplePoolSettings(SettingsSection):
    """Composed as the field `example_pool`: `PROOFWALK_EXAMPLE_POOL__GREETING`."""

    greeting: str = "hello"
    """What is written beside each lease."""
    limit: int = Field(default=3, ge=1)
    """Leases that may exist at once."""
    api_key: SecretStr = SecretStr("")
    """Key of nothing in particular."""
