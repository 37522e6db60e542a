"""A product is one file: a made-up one works at once, a wrong one says where, and a
revision changes the console alone."""

from __future__ import annotations

import copy
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from proofwalk.devcloud.console.revisions import apply_patches
from proofwalk.devcloud.engine.state.faults import CloudError
from proofwalk.devcloud.main import PRODUCTS
from proofwalk.devcloud.products.catalogue import ProductError
from proofwalk.devcloud.products.files import read_folder
from proofwalk.devcloud.products.indexing import build, load
from proofwalk.devcloud.products.schema.fields import FieldApi, FieldSpec, Option
from proofwalk.devcloud.products.schema.operations import (
    Cascade,
    Charge,
    OperationSpec,
    Page,
    Param,
    Price,
)
from proofwalk.devcloud.products.schema.pages import (
    ActionSpec,
    Confirm,
    CreateSpec,
    ListSpec,
    Step,
    Tab,
)
from proofwalk.devcloud.products.schema.products import Product, ProductApi, Source
from proofwalk.devcloud.products.schema.resources import (
    Block,
    Given,
    Lifecycle,
    Quota,
    ResourceApi,
    ResourceSpec,
    State,
)
from tests.devcloud.conftest import make_bench

QUEUE = """
id: mq
title: Message Queue
service: Mq
menu: [{id: queues, label: Queues, resource: queue}]
resources:
  queue:
    label: Queue
    plural: Queues
    name: name
    fields:
      - id: name
        label: Name
        required: true
        pattern: '^[a-z]+$'
        api: {unique: {code: QueueExists, message: "{value} exists.", status: 409}}
      - {id: size, label: Size, widget: number, min: 1, max: 10, default: 3}
    list:
      columns: ["@id", "@status", size]
      api:
        op: ListQueues
        filters: {name: QueueName}
        row: {QueueId: $id, Name: $name, Size: $size|int, State: $status}
        response: {Queues: $rows}
    create:
      label: Create Queue
      steps: [{id: basic, title: Queue, fields: [name, size]}]
      api: {op: CreateQueue, params: {name: QueueName, size: Attributes.Size}, response: {QueueId: $id}}
    actions:
      - {id: pause, label: Pause, when: {status: [Ready]}, api: {op: PauseQueue, to: Paused}}
      - {id: delete, label: Delete, when: {status: [Paused]}, api: {op: DeleteQueue, delete: true, to: Deleting}}
    states: {Making: {tone: progress}, Ready: {tone: success}, Paused: {tone: muted}, Deleting: {tone: progress}}
    lifecycle: {initial: Making, transitions: {Making: {after: 10, to: Ready}, Deleting: {after: 5, to: "@gone"}}}
    api:
      type: ACS::MQ::Queue
      id_prefix: q-
      id_param: QueueId
      not_found: {code: QueueNotFound, message: "No queue {id}.", status: 404}
      wrong_state: {code: WrongQueueState, message: Not in this state., status: 409}
      quota: {max: 2, fault: {code: QuotaExceed.Queue, message: "At most {value} queues."}}
api: {version: "2030-01-01"}
"""


def test_a_made_up_product_works_from_its_file_alone(tmp_path: Path) -> None:
    products = tmp_path / "products"
    products.mkdir()
    (products / "mq.yaml").write_text(QUEUE)
    bench = make_bench(tmp_path, products, speed=2)

    def states() -> list[tuple[str, int, str]]:
        return [
            (q["Name"], q["Size"], q["State"])
            for q in bench.call("1", "mq", "ListQueues")["Queues"]
        ]

    def code(action: str, **params: Any) -> str:
        with pytest.raises(CloudError) as caught:
            bench.call("1", "mq", action, **params)
        return caught.value.code

    queue = bench.call("1", "mq", "CreateQueue", QueueName="orders", Attributes__Size=5)["QueueId"]
    assert queue.startswith("q-")
    assert states() == [("orders", 5, "Making")]
    assert code("CreateQueue", QueueName="orders") == "QueueExists"
    assert code("CreateQueue", QueueName="Orders!") == "InvalidQueueName.Malformed"
    assert (
        code("CreateQueue", QueueName="big", Attributes__Size=11)
        == "InvalidAttributesSize.Malformed"
    )
    assert code("CreateQueue") == "MissingParameter"
    assert code("PauseQueue", QueueId=queue) == "WrongQueueState"
    assert code("PauseQueue", QueueId="q-nope") == "QueueNotFound"
    bench.clock.advance(5)
    assert states() == [("orders", 5, "Ready")]
    bench.call("1", "mq", "CreateQueue", QueueName="second")
    assert code("CreateQueue", QueueName="third") == "QuotaExceed.Queue"
    bench.call("1", "mq", "PauseQueue", QueueId=queue)
    bench.call("1", "mq", "DeleteQueue", QueueId=queue)
    bench.clock.advance(2)
    assert states() == [("orders", 5, "Deleting"), ("second", 3, "Making")]
    bench.clock.advance(1)
    assert [name for name, _, _ in states()] == ["second"]
    event = next(
        e for e in bench.events("1") if e["eventName"] == "PauseQueue" and "errorCode" not in e
    )
    assert (event["serviceName"], event["referencedResources"]) == (
        "Mq",
        {"ACS::MQ::Queue": [queue]},
    )
    bench.cloud.store.close()


def test_chained_transitions_keep_their_own_times(tmp_path: Path) -> None:
    text = QUEUE.replace(
        "Making: {after: 10, to: Ready}",
        "Making: {after: 10, to: Ready}, Ready: {after: 10, to: Paused}",
    )
    products = tmp_path / "products"
    products.mkdir()
    (products / "mq.yaml").write_text(text)
    bench = make_bench(tmp_path, products)
    bench.call("1", "mq", "CreateQueue", QueueName="orders")
    bench.clock.advance(19)
    assert bench.call("1", "mq", "ListQueues")["Queues"][0]["State"] == "Ready"
    bench.clock.advance(1)
    assert bench.call("1", "mq", "ListQueues")["Queues"][0]["State"] == "Paused"
    bench.cloud.store.close()


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (
            'columns: ["@id", "@status", size]',
            'columns: ["@id", colour]',
            "mq/resources/queue/list/columns",
        ),
        (
            "fields: [name, size]",
            "fields: [name, colour]",
            "mq/resources/queue/create/steps/basic/fields",
        ),
        (
            "when: {status: [Ready]}",
            "when: {status: [Redy]}",
            "mq/resources/queue/actions/pause/when/status",
        ),
        ("to: Paused}}", "to: Asleep}}", "mq/resources/queue/actions/pause/api/to"),
        ("initial: Making", "initial: Makin", "mq/resources/queue/lifecycle/initial"),
        ("resource: queue}]", "resource: topic}]", "mq/menu/queues"),
        ("op: PauseQueue", "op: DeleteQueue", "mq/resources/queue/actions/delete/api"),
        ("widget: number", "widget: dial", "mq/resources/queue/fields/1/widget"),
        ("plural: Queues", "plurals: Queues", "mq/resources/queue/plural"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, old: str, new: str, where: str) -> None:
    assert old in QUEUE
    (tmp_path / "mq.yaml").write_text(QUEUE.replace(old, new))
    with pytest.raises(ProductError) as caught:
        load(tmp_path)
    assert caught.value.code == "devcloud.product_invalid"
    assert caught.value.details["where"] == f"mq.yaml: {where}"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("response: {QueueId: $id}", "response: {QueueId: $id|shout}", "unknown filter 'shout'"),
        (
            "response: {QueueId: $id}",
            "response: {QueueId: {$call: conjure}}",
            "unknown derivation 'conjure'",
        ),
        (
            "response: {QueueId: $id}",
            "response: {QueueId: {$cal: mac, of: $id}}",
            r"unknown form '\$cal'",
        ),
        ("op: PauseQueue,", "op: PauseQueue, kind: hook, hook: magic,", "unknown hook 'magic'"),
    ],
)
def test_names_that_no_code_defines_are_refused_at_start(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    (tmp_path / "products").mkdir()
    (tmp_path / "products" / "mq.yaml").write_text(QUEUE.replace(old, new))
    with pytest.raises(ProductError, match=why):
        make_bench(tmp_path, tmp_path / "products")


def test_text_that_is_not_yaml_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "mq.yaml").write_text("id: [")
    with pytest.raises(ProductError, match=r"mq\.yaml"):
        load(tmp_path)


def test_a_revision_renames_moves_inserts_and_removes() -> None:
    catalogue = load(PRODUCTS)
    before = copy.deepcopy(catalogue.raw)
    patched = apply_patches(
        catalogue,
        [
            {"at": "ecs/resources/instance/create", "set": {"label": "Launch Instance"}},
            {"at": "ecs/menu/compute/instances", "moveTo": "ecs/menu", "index": 0},
            {
                "at": "ecs/resources/instance/create/steps/basic/fields",
                "insert": ["vpc_id"],
                "index": 3,
            },
            {"at": "ecs/resources/instance/fields/description", "remove": True},
            {"at": "ecs/resources/instance/actions/restart", "remove": True},
        ],
    )
    instance = patched.resources["ecs.instance"]
    assert instance.create is not None
    assert instance.create.label == "Launch Instance"
    assert patched.products["ecs"].menu[0].id == "instances"
    assert instance.create.steps[0].fields[3] == "vpc_id"
    assert "description" not in instance.create.steps[2].fields
    assert instance.list_.batch == ["start", "stop"]
    assert catalogue.raw == before
    assert patched.products["rds"] is catalogue.products["rds"]  # what no patch touches is shared


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ({"at": "ecs/resources/instance/actions/fly", "remove": True}, "there is no 'fly' here"),
        (
            {"at": "ecs/resources/instance/create/steps/basic/fields", "insert": ["colour"]},
            "unknown field 'colour'",
        ),
        (
            {"at": "ecs/resources/instance/fields/zone", "set": {"widget": "dial"}},
            "Input should be",
        ),
        ({"at": "ecs/menu", "turn": "round"}, "unknown member 'turn'"),
        ({"at": "ecs/menu"}, "does nothing"),
        ({"remove": True}, "needs `at`"),
        ({"at": "ecs/resources/instance/create/steps/network", "remove": True}, "in no step"),
    ],
)
def test_a_revision_that_makes_no_sense_is_refused(patch: dict[str, Any], why: str) -> None:
    with pytest.raises(ProductError, match=why):
        apply_patches(load(PRODUCTS), [patch])


def test_the_readme_tells_every_key() -> None:
    """A product author reads one table; a key that is not in it would be found by
    chance."""
    text = (PRODUCTS.parent / "README.md").read_text(encoding="utf-8")
    table = text[text.index("### Reference") : text.index("## Billing")]
    known = set(re.findall(r"[a-z0-9_]+", table))
    models: list[type[BaseModel]] = [
        Product,
        ProductApi,
        Source,
        ResourceSpec,
        FieldSpec,
        FieldApi,
        ListSpec,
        CreateSpec,
        Step,
        ActionSpec,
        Confirm,
    ]
    models += [
        Tab,
        State,
        Lifecycle,
        ResourceApi,
        Quota,
        Block,
        Cascade,
        Given,
        OperationSpec,
        Page,
        Param,
        Charge,
        Price,
        Option,
    ]
    keys = {
        str(spec.alias or name) for model in models for name, spec in model.model_fields.items()
    }
    assert keys - known == set()


def test_shipped_files_hold_together() -> None:
    catalogue = build(read_folder(PRODUCTS))
    assert {"ecs", "rds", "vpc"} <= set(catalogue.products)


def test_a_folder_is_read_again_when_a_file_is_another(tmp_path: Path) -> None:
    for file in PRODUCTS.glob("*.yaml"):
        shutil.copy(file, tmp_path / file.name)
    first = load(tmp_path)
    assert load(tmp_path) is first
    changed = next(tmp_path.glob("*.yaml"))
    changed.write_text(changed.read_text(encoding="utf-8") + "\n# another\n", encoding="utf-8")
    assert load(tmp_path) is not first
