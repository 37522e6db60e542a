"""A file of tokens, and whose a token is."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from proofwalk.controller.owners import LOCAL, Owners, is_loopback
from proofwalk.kernel.errors import ProofwalkError

TOKEN = "t0ken-of-sixteen-or-more"


def test_a_token_is_known_as_bearer_and_as_basics_password(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"ann:{TOKEN}\n\nbob:{TOKEN}-other\n", "utf-8")
    owners = Owners.read(file)
    basic = base64.b64encode(f"whoever:{TOKEN}-other".encode()).decode()
    assert owners.owner(f"Bearer {TOKEN}") == "ann"
    assert owners.owner(f"Basic {basic}") == "bob"
    for wrong in (None, "", "Bearer", f"Digest {TOKEN}", f"Bearer {TOKEN}x", "Basic /w=="):
        with pytest.raises(ProofwalkError, match=r"controller\.bad_token"):
            owners.owner(wrong)


def test_without_tokens_everybody_on_this_machine_is_one_owner() -> None:
    assert Owners().owner("Bearer whatever") == LOCAL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ann",
        "ann:short",
        f":{TOKEN}",
        f"an n:{TOKEN}",
        f"ann:{TOKEN}\nann:{TOKEN}2",
        f"ann:{TOKEN}\nbob:{TOKEN}",
    ],
)
def test_a_file_that_is_not_clear_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tokens"
    file.write_text(text, "utf-8")
    with pytest.raises(ProofwalkError, match=r"controller\.bad_tokens"):
        Owners.read(file)
    with pytest.raises(ProofwalkError, match=r"controller\.bad_tokens"):
        Owners.read(tmp_path / "none")


def test_loopback_is_what_only_this_machine_reaches() -> None:
    assert all(is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.1", "example.com"))
