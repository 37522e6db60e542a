"""Settings of the sign-in by a provider: half of them is an error at the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from proofwalk.chassis.settings import ProcessSettings, load_settings
from proofwalk.gateway.oidc.fetching import provider_client
from proofwalk.gateway.oidc.settings import OidcSettings, is_safe_url
from proofwalk.gateway.settings import GatewaySettings
from proofwalk.kernel.errors import ProofwalkError

WHOLE = {
    "CONSOLE__PUBLIC_URL": "https://proofwalk.example.com",
    "CONSOLE__OIDC__ISSUER": "https://login.example.com/realms/x",
    "CONSOLE__OIDC__CLIENT_ID": "proofwalk",
    "CONSOLE__OIDC__CLIENT_SECRET": "s3cret",
}


class _Process(ProcessSettings):
    gateway: GatewaySettings = GatewaySettings()


def _load(**changed: str) -> OidcSettings:
    given = {name: text for name, text in {**WHOLE, **changed}.items() if text}
    environment = {f"PROOFWALK_GATEWAY__{name}": text for name, text in given.items()}
    return load_settings(_Process, environment).gateway.console.oidc


def test_a_whole_provider_is_taken_and_none_is_the_default(tmp_path: Path) -> None:
    assert not GatewaySettings().console.oidc.enabled
    secret = tmp_path / "secret"
    secret.write_text("from a file\n", encoding="utf-8")
    oidc = _load(
        CONSOLE__OIDC__CLIENT_SECRET="",
        CONSOLE__OIDC__CLIENT_SECRET_FILE=str(secret),
        CONSOLE__OIDC__ROLES='{"Docs Team": "reviewer"}',
        CONSOLE__OIDC__TENANTS='{"Docs Team": "docs"}',
        API_KEYS__DOCS="pw_docs_of_the_tests_alone",
    )
    assert oidc.client_secret.get_secret_value() == "from a file"
    assert oidc.roles == {"Docs Team": "reviewer"}
    assert oidc.shown_as == "login.example.com"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"CONSOLE__OIDC__CLIENT_SECRET": ""}, "CLIENT_SECRET missing"),
        ({"CONSOLE__OIDC__ISSUER": "", "CONSOLE__OIDC__CLIENT_ID": ""}, "ISSUER, CLIENT_ID"),
        ({"CONSOLE__PUBLIC_URL": ""}, "OIDC needs PUBLIC_URL"),
        ({"CONSOLE__PUBLIC_URL": "http://proofwalk.example.com"}, "OIDC needs PUBLIC_URL"),
        ({"CONSOLE__OIDC__ISSUER": "http://login.example.com"}, "ISSUER has to be an https"),
        ({"CONSOLE__OIDC__SCOPES": '["email"]'}, "SCOPES has to have"),
        ({"CONSOLE__OIDC__ROLES": '{"a": "admin"}'}, "ROLES"),
        ({"CONSOLE__OIDC__DEFAULT_ROLE": "operator"}, "DEFAULT_ROLE"),
        ({"CONSOLE__OIDC__DEFAULT_ROLE": "refused"}, "nobody could sign in"),
        ({"CONSOLE__OIDC__TENANTS": '{"a": "ghost"}'}, "'ghost', which is no API key"),
        ({"CONSOLE__OIDC__SUBJECTS": '{"u": "ghost"}'}, "'ghost', which is no API key"),
    ],
)
def test_half_a_provider_is_refused_at_the_start(changed: dict[str, str], why: str) -> None:
    with pytest.raises(ProofwalkError) as refused:
        _load(**changed)
    assert refused.value.code == "settings.invalid"
    assert why in refused.value.message
    assert "s3cret" not in str(refused.value)


def test_roles_alone_are_of_somebody_who_believes_that_a_provider_is_asked() -> None:
    nothing = dict.fromkeys(WHOLE, "")
    with pytest.raises(ProofwalkError, match="ISSUER, CLIENT_ID, CLIENT_SECRET missing"):
        _load(**nothing, CONSOLE__OIDC__ROLES='{"a": "viewer"}')
    with pytest.raises(ProofwalkError, match="nobody could sign in"):
        _load(**nothing, CONSOLE__API_KEY_SIGN_IN="false")


def test_urls_of_a_provider_are_https_or_loopback() -> None:
    for url in (
        "https://a.example",
        "https://a.example:8443/x",
        "http://127.0.0.1:1",
        "http://[::1]",
    ):
        assert is_safe_url(url), url
    for url in (
        "http://a.example",
        "https://user@a.example",
        "https://a.example/#x",
        "https://a.example/?x=1",
        "https://a.exa\nmple",
        "https:///x",
        "https://a.example:port",
        "javascript:alert(1)",
        "http://127.0.0.1.evil.example",
        "",
    ):
        assert not is_safe_url(url), url
    assert is_safe_url("https://a.example/?x=1", query=True)


def test_authorities_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    for text in (None, "no certificate"):
        path = tmp_path / "ca.pem"
        if text:
            path.write_text(text, encoding="ascii")
        with pytest.raises(ProofwalkError, match="cannot be read") as refused:
            provider_client(OidcSettings().model_copy(update={"ca_file": path}))
        assert refused.value.code == "auth.oidc_bad_ca_file"
