"""Rounds of writing a record and running it, until it holds or no round is left."""

from __future__ import annotations

import pytest
import yaml

from proofwalk.experiments.meta_authoring import ROUNDS, MetaAuthor
from proofwalk.experiments.meta_proof import MetaProof
from proofwalk.kernel.errors import ProofwalkError, conflict, invalid
from proofwalk.orders.body import read_request
from proofwalk.orders.order import VerificationRequest
from tests.authoring.waterworks import WORLD

NO_STOCK = MetaProof(
    error=conflict(
        "provision.create_failed",
        "alicloud_water_tank.tank line 9: CreateTank failed: OperationDenied.NoStock: no.",
    )
)
HOLDS = MetaProof(resources=("water/tank", "water/well"), run="prov_7", provider_version="1.246.0")


class MayRun:
    """Lets every record run."""

    async def refusal(self, meta_yaml: str) -> ProofwalkError | None:
        return None


def author(runs: Runs, *, rounds: int = ROUNDS) -> MetaAuthor:
    return MetaAuthor(WORLD, runs, judge=MayRun(), rounds=rounds)


class Runs:
    """Answers each record with the next of what was prepared; the last for ever."""

    def __init__(self, *proofs: MetaProof) -> None:
        self._proofs = list(proofs)
        self.records: list[str] = []

    async def prove(self, meta_yaml: str) -> MetaProof:
        self.records.append(meta_yaml)
        return self._proofs.pop(0) if len(self._proofs) > 1 else self._proofs[0]


def asked(steps: str) -> VerificationRequest:
    text = (
        "# Tanks\n\n## Procedure\n\n"
        "1. Log on to the **Waterworks** console and choose **Tanks** in the left-side menu.\n"
        f"{steps}"
    )
    document = {"text": text, "name": "tanks.md", "media_type": "text/markdown"}
    return read_request({"document": document, "target": "water"})


DRAIN = asked("2. Find the tank that you want to drain and click **Drain**.\n")


async def test_a_record_that_holds_is_taken_at_once() -> None:
    runs = Runs(HOLDS)
    made = await author(runs).record_for(DRAIN, meta_id="tanks")
    assert (made.rounds, made.makes) == (1, ("water.yard", "water.tank"))
    assert made.yaml == runs.records[0]
    assert (made.run, made.provider_version) == ("prov_7", "1.246.0")
    assert made.procedure_id == "tanks/procedure"
    assert yaml.safe_load(made.yaml)["id"] == "tanks"


async def test_what_the_cloud_refuses_is_left_out_in_the_next_round() -> None:
    runs = Runs(NO_STOCK, HOLDS)
    made = await author(runs).record_for(DRAIN, meta_id="tanks")
    assert made.rounds == 2
    assert '"${var.region}-h"' in runs.records[0]
    assert '"${var.region}-i"' in made.yaml


async def test_no_record_is_accepted_that_did_not_hold() -> None:
    runs = Runs(NO_STOCK)
    with pytest.raises(ProofwalkError) as caught:
        await author(runs).record_for(DRAIN, meta_id="tanks")
    assert caught.value.code == "author.cannot_make"
    assert len(runs.records) == len(WORLD.catalogue.zones)


async def test_the_rounds_end() -> None:
    runs = Runs(NO_STOCK)
    with pytest.raises(ProofwalkError, match="NoStock") as caught:
        await author(runs, rounds=1).record_for(DRAIN, meta_id="tanks")
    assert caught.value.code == "author.meta_not_proven"
    assert len(runs.records) == 1


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (conflict("provision.verify_failed", "there is no tank"), "no tank"),
        (conflict("provision.quota", "10 tanks are enough"), "10 tanks"),
        (conflict("meta.left_behind", "the account still has water/tank t-1"), "t-1"),
    ],
)
async def test_what_no_other_value_mends_is_told_at_once(error: ProofwalkError, why: str) -> None:
    runs = Runs(MetaProof(error=error))
    with pytest.raises(ProofwalkError, match=why) as caught:
        await author(runs).record_for(DRAIN, meta_id="tanks")
    assert (caught.value.code, caught.value.details["code"]) == (
        "author.meta_not_proven",
        error.code,
    )
    assert len(runs.records) == 1


async def test_a_procedure_that_needs_nothing_is_not_run() -> None:
    runs = Runs(HOLDS)
    made = await author(runs).record_for(asked("2. Wait.\n"), meta_id="tanks")
    assert (made.rounds, made.makes, runs.records) == (0, (), [])


async def test_a_document_without_a_procedure_is_refused() -> None:
    empty = DRAIN.model_copy(
        update={"document": DRAIN.document.model_copy(update={"text": "# Tanks\n\nAre round.\n"})}
    )
    with pytest.raises(ProofwalkError, match="procedure") as caught:
        await author(Runs(HOLDS)).record_for(empty, meta_id="tanks")
    assert caught.value.code.startswith("document.")


class NeverRuns:
    """Refuses every record."""

    async def refusal(self, meta_yaml: str) -> ProofwalkError | None:
        return invalid("meta.invalid", "it runs a command", details={"path": "create, line 3"})


async def test_what_may_not_be_run_is_not_made() -> None:
    runs = Runs(HOLDS)
    with pytest.raises(ProofwalkError, match="it runs a command") as caught:
        await MetaAuthor(WORLD, runs, judge=NeverRuns()).record_for(DRAIN, meta_id="tanks")
    assert (caught.value.details["code"], runs.records) == ("meta.invalid", [])
