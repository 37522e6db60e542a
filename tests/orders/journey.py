"""Takes an option called `colour` from a flag to the walk, and says where it was seen.

The product has no such option: `test_one_place` runs this with a type and a contract
that have it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.database import Database
from proofwalk.chassis.migrations import migrate
from proofwalk.cli.documents import asked_of
from proofwalk.cli.order_options import Given, takes_order
from proofwalk.gateway import schemas
from proofwalk.orders.body import read_request, to_body
from proofwalk.orders.contract import request_to_pb
from proofwalk.orders.order import VerificationRequest
from proofwalk.rollout import grpc_api
from proofwalk.rollout.intake import Intake
from proofwalk.rollout.targets import TargetInfo
from tests.rollout.setting import DOCUMENT, Setting

COLOUR = "red"
TARGET = TargetInfo(
    id="devcloud",
    title="",
    console_url="",
    adapter="",
    has_audit_log=True,
    has_provisioning=True,
    has_scenarios=True,
)


def colour(thing: Any) -> Any:
    return getattr(thing, "colour", None)


def told(place: str, found: Any) -> None:
    assert found == COLOUR, (place, found)
    print(f"seen {place}")


def given_by_flag() -> Given:
    seen: list[Given] = []
    app = typer.Typer()

    @app.command()
    @takes_order
    def verify(given: Given) -> None:
        seen.append(given)

    result = CliRunner().invoke(app, ["--colour", COLOUR])
    assert result.exit_code == 0, result.output
    return seen[0]


async def walked(message: pb.CreateVerificationRequest, folder: Path) -> None:
    folder.mkdir(parents=True)
    database = Database(f"sqlite:///{folder}/rollout.sqlite3")
    await migrate(database, "proofwalk.rollout")
    setting = Setting(db=database, folder=folder)

    async def rung(_: str) -> None:
        return None

    intake = Intake(
        db=database,
        blobs=setting.blobs,
        clock=setting.clock,
        fetch=lambda url: (_ for _ in ()).throw(AssertionError(url)),
        accounts=setting.world.accounts,
        provisioner=setting.world.provisioner,
        rewards=setting.world.rewards,
        targets=lambda: {"devcloud": TARGET},
        policies=["literal"],
        documents=setting.documents,
        max_document_bytes=10_000,
        rung=rung,
    )
    await intake.accept(grpc_api._submission(message))
    told("row", colour((await setting.row()).order))
    await setting.finish()
    (order,) = setting.world.walker.orders
    told("walk", colour(order.asked))
    await database.close()


def main(folder: Path) -> None:
    given = given_by_flag()
    told("flag", colour(given.order))
    document = folder / "stop.md"
    folder.mkdir(parents=True)
    document.write_bytes(DOCUMENT)
    body = to_body(asked_of(str(document), given))
    told("body", body["colour"])
    assert "colour" in schemas.body_schema()["properties"]
    print("seen schema")
    asked: VerificationRequest = read_request(body)
    message = request_to_pb(asked)
    message.verification_id, message.principal = "ver_1", "local"
    message = pb.CreateVerificationRequest.FromString(message.SerializeToString())
    told("message", colour(message))
    asyncio.run(walked(message, folder / "role"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
