"""What the inventory tells of a resource: the values of its fields, and no secret."""

from __future__ import annotations

import json
import re

from proofwalk.devcloud.api.admin_api import LONGEST_FACT
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.indexing import load
from tests.devcloud.conftest import Backend
from tests.devcloud.test_console_api import PASSWORD, through_api

SECRET_WORDS = re.compile(r"password|passwd|private_key|secret_data|token|^data$")


def test_an_instance_is_told_as_it_was_ordered_without_its_password(
    backend: Backend, account: dict[str, str]
) -> None:
    through_api(backend, account)
    kept = {item["resource_type"]: item["fields"] for item in backend.inventory(account)}
    instance = kept["instance"]
    assert (instance["billing"], instance["type"], instance["zone"]) == (
        "PostPaid",
        "ecs.g7.large",
        "cn-hangzhou-h",
    )
    assert (instance["system_disk_size"], instance["name"]) == (40, "web-02")
    assert instance["deletion_protection"] is False
    assert (kept["vpc"]["name"], kept["vpc"]["description"]) == ("prod", "d")
    assert PASSWORD not in json.dumps(kept)


def test_a_fact_is_short_and_plain(backend: Backend, account: dict[str, str]) -> None:
    through_api(backend, account)
    facts = [value for item in backend.inventory(account) for value in item["fields"].values()]
    assert len(facts) > 20
    assert all(isinstance(value, str | int | float | bool) for value in facts)
    assert all(0 < len(str(value)) <= LONGEST_FACT for value in facts)


def test_no_field_that_is_kept_is_called_as_secrets_are() -> None:
    kept = [
        f"{kind}.{field.id}"
        for kind, spec in load(PRODUCTS).resources.items()
        for field in spec.fields
        if field.stored and SECRET_WORDS.search(field.id)
    ]
    # The characters that part a log's words.
    assert kept == ["sls.index.token", "sls.index_field.key_token"]
