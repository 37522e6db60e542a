"""`deploy/compose/oidc.yml` has people sign in by an identity provider: its variables
are settings, and its secret is a file that the gateway alone has."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from proofwalk.chassis.settings import load_settings
from proofwalk.gateway.roles import KeyRole
from proofwalk.platform.settings import Settings
from tests.compose.project import FILE
from tests.compose.test_schema import validated

OVERLAY = Path(FILE).parent / "deploy" / "compose" / "oidc.yml"
GIVEN = {
    "CONSOLE_URL": "https://proofwalk.example.com",
    "OIDC_ISSUER": "https://login.example.com/realms/docs",
    "OIDC_CLIENT_ID": "proofwalk",
    "OIDC_ROLES": '{"docs-team": "reviewer"}',
    "OIDC_DEFAULT_ROLE": "refused",
}


def test_the_gateway_is_told_of_the_provider(tmp_path: Path) -> None:
    overlay = yaml.safe_load(OVERLAY.read_text(encoding="utf-8"))
    ((name, service),) = overlay["services"].items()
    assert name == "gateway"
    (secret,) = service["secrets"]
    assert [secret["source"]] == list(overlay["secrets"])
    file = tmp_path / "secret"
    file.write_text("s3cret\n", encoding="ascii")
    environment = {
        variable: re.sub(r"\$\{(\w+):[^}]*\}", lambda found: GIVEN[found[1]], text).replace(
            secret["target"], str(file)
        )
        for variable, text in service["environment"].items()
    }
    console = load_settings(Settings, environment).gateway.console
    assert console.oidc.client_secret.get_secret_value() == "s3cret"
    assert console.oidc.roles == {"docs-team": KeyRole.REVIEWER}
    assert console.oidc.default_role == "refused"


def test_it_is_of_the_specifications_form() -> None:
    done = validated(OVERLAY)
    assert done.returncode == 0, done.stdout + done.stderr
