"""Settings: what an environment may say, and how a wrong one is answered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import Field, SecretStr

from proofwalk.chassis.settings import (
    REDACTED,
    ProcessSettings,
    describe,
    load_settings,
    reference,
    secret_values,
)
from proofwalk.chassis.settings_sections import SettingsSection
from proofwalk.kernel.errors import ProofwalkError
from tests.chassis.example_pool.settings import ExamplePoolSettings


class Settings(ProcessSettings):
    """As the command line composes it."""

    example_pool: ExamplePoolSettings = Field(default=ExamplePoolSettings())
    """The example pool."""


def refused(environment: dict[str, str]) -> ProofwalkError:
    with pytest.raises(ProofwalkError) as caught:
        load_settings(Settings, environment)
    return caught.value


def test_nothing_given_means_defaults_and_other_variables_are_not_ours() -> None:
    settings = load_settings(Settings, {"PATH": "/bin", "PROOF": "1"})
    assert settings == Settings()
    assert settings.example_pool.limit == 3


def test_nested_values_maps_and_literals_are_read() -> None:
    settings = load_settings(
        Settings,
        {
            "PROOFWALK_EXAMPLE_POOL__LIMIT": "7",
            "PROOFWALK_LOG__FORMAT": "json",
            "PROOFWALK_ADDRESSES__ACCOUNT_POOL": "pool:50051",
            "PROOFWALK_ADDRESSES__ROLLOUT": "rollout:50051",
            "PROOFWALK_HOME": "/srv/pw",
        },
    )
    assert settings.example_pool == ExamplePoolSettings(limit=7)
    assert (settings.log.format, settings.log.level) == ("json", "info")
    assert settings.address_of("account_pool") == "pool:50051"
    assert settings.address_of("rollout") == "rollout:50051"
    assert settings.address_of("trainer") == "unix:/srv/pw/run/trainer.sock"


def test_a_map_may_also_be_given_as_json() -> None:
    settings = load_settings(Settings, {"PROOFWALK_ADDRESSES": '{"rollout": "r:1"}'})
    assert settings.addresses == {"rollout": "r:1"}


@pytest.mark.parametrize(
    ("variable", "near"),
    [
        ("PROOFWALK_EXAMPLE_POOL__LIMITS", "PROOFWALK_EXAMPLE_POOL__LIMIT"),
        ("PROOFWALK_REDIS_URI", "PROOFWALK_REDIS_URL"),
        ("PROOFWALK_REDIS_URI_FILE", "PROOFWALK_REDIS_URL"),
    ],
)
def test_an_unknown_variable_is_refused_with_its_nearest_neighbour(
    variable: str, near: str
) -> None:
    error = refused({variable: "x"})
    assert error.code == "settings.unknown_variable"
    assert error.hint == f"did you mean {near}?"


def test_every_wrong_value_is_named_and_none_is_quoted() -> None:
    error = refused({"PROOFWALK_EXAMPLE_POOL__LIMIT": "hunter2", "PROOFWALK_LOG__LEVEL": "loud"})
    assert error.code == "settings.invalid"
    assert "PROOFWALK_EXAMPLE_POOL__LIMIT" in error.message
    assert "PROOFWALK_LOG__LEVEL" in error.message
    assert "hunter2" not in error.message


def test_a_map_that_is_not_json_is_refused_without_quoting_it() -> None:
    error = refused({"PROOFWALK_ADDRESSES": "{hunter2"})
    assert error.code == "settings.invalid"
    assert "addresses" in error.message
    assert "hunter2" not in error.message


def test_a_secret_comes_from_a_file_without_its_last_newline(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("s3cret value\n")
    settings = load_settings(
        Settings, {"PROOFWALK_EXAMPLE_POOL__API_KEY_FILE": str(tmp_path / "key")}
    )
    assert settings.example_pool.api_key.get_secret_value() == "s3cret value"
    assert "s3cret" not in repr(settings)
    assert secret_values(settings) == {"s3cret value"}


class _Judge(SettingsSection):
    """One entry."""

    api_key: SecretStr = SecretStr("")
    """Its key."""
    model_file: Path | None = None
    """A path, by its own name."""


class _Keyring(ProcessSettings):
    """Mappings of secrets, plain and in sections."""

    keys: dict[str, SecretStr] = Field(default_factory=dict)
    """Keys by name."""
    judges: dict[str, _Judge] = Field(default_factory=dict)
    """Judges by number."""


def test_secrets_of_mappings_come_from_files_and_are_known_as_secrets(tmp_path: Path) -> None:
    (tmp_path / "ci").write_text("one\n")
    (tmp_path / "judge").write_text("two")
    given = {
        "PROOFWALK_KEYS__CI_FILE": str(tmp_path / "ci"),
        "PROOFWALK_KEYS__DEV": "three",
        "PROOFWALK_JUDGES__0__API_KEY_FILE": str(tmp_path / "judge"),
    }
    settings = load_settings(_Keyring, given)
    assert {name: key.get_secret_value() for name, key in settings.keys.items()} == {
        "ci": "one",
        "dev": "three",
    }
    assert settings.judges["0"].api_key.get_secret_value() == "two"
    assert load_settings(_Keyring, {"PROOFWALK_JUDGES__0__MODEL_FILE": "/m"}).judges[
        "0"
    ].model_file == Path("/m")
    assert load_settings(_Keyring, {"PROOFWALK_JUDGES__0": '{"model_file": "/m"}'}).judges[
        "0"
    ].model_file == Path("/m")
    with pytest.raises(ProofwalkError, match="JUDGES__0__MODLE"):
        load_settings(_Keyring, {"PROOFWALK_JUDGES__0__MODLE": "x"})
    assert secret_values(settings) == {"one", "two", "three"}
    with pytest.raises(ProofwalkError) as caught:
        load_settings(_Keyring, {"PROOFWALK_KEYS__CI_FILE": str(tmp_path / "none")})
    assert caught.value.code == "settings.bad_file"


def test_a_secret_file_must_be_readable_and_not_compete_with_the_variable(tmp_path: Path) -> None:
    missing = refused({"PROOFWALK_EXAMPLE_POOL__API_KEY_FILE": str(tmp_path / "none")})
    assert missing.code == "settings.bad_file"
    (tmp_path / "key").write_text("x")
    name = "PROOFWALK_EXAMPLE_POOL__API_KEY"
    assert (
        refused({name: "a", f"{name}_FILE": str(tmp_path / "key")}).code == "settings.given_twice"
    )


def test_the_description_shows_every_setting_and_no_secret() -> None:
    settings = load_settings(
        Settings,
        {
            "PROOFWALK_EXAMPLE_POOL__API_KEY": "s3cret",
            "PROOFWALK_DATABASE_URL": "postgresql://u:pw@h/d",
        },
    )
    rows = {row.variable: row for row in describe(settings)}
    assert rows["PROOFWALK_EXAMPLE_POOL__API_KEY"].value == REDACTED
    assert rows["PROOFWALK_DATABASE_URL"].value == REDACTED
    assert rows["PROOFWALK_EXAMPLE_POOL__LIMIT"].type == "int"
    assert rows["PROOFWALK_LOG__LEVEL"].type == "debug | info | warning | error"
    assert all(row.description for row in rows.values())
    assert (
        "`PROOFWALK_EXAMPLE_POOL__GREETING` | `str` | `hello` | What is written beside each lease."
        in reference(Settings)
    )


def test_a_home_too_deep_for_a_socket_is_refused_with_a_way_out(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / ("x" * 100))
    with pytest.raises(ProofwalkError) as caught:
        settings.address_of("rollout")
    assert caught.value.code == "settings.home_too_long"
    assert "PROOFWALK_HOME" in caught.value.hint


def test_a_settings_object_does_not_look_at_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(os.environ, "PROOFWALK_REDIS_URL", "redis://elsewhere")
    assert Settings().redis_url.get_secret_value() == ""
