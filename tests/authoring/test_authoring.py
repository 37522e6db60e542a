"""A document's way to a rule, on a platform that walks by hand: walked, proposed,
proven, walked again; narrowed once; refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import yaml

from proofwalk.experiments.authoring import (
    Author,
    Knowledge,
    bound_by,
    explained,
    listening,
    prepared_by,
)
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.ids import SeededIds
from proofwalk.kernel.outcomes import Decision
from proofwalk.orders.body import read_request
from proofwalk.orders.order import VerificationRequest
from proofwalk.platform.judging import judging
from proofwalk.suites.recording import Recording
from tests.authoring.recordings import Drains, Tanks, event, proposed, recording

KNOWN = Knowledge(console=Tanks(), operations=Drains(), judging=judging, delta_s=5)
ADD = event("AddTank", 1, request={"Name": "north-7", "Depth": "12"})
DOCUMENT = "# Add a tank\n\n1. Enter `north-7`.\n2. Set **Depth** to 12 or 13 and click **OK**.\n"


@dataclass
class Walks:
    """A platform whose walks leave these recordings, one after the other; each is
    judged by the rule that it is asked under."""

    recordings: list[Recording]
    outcome: Mapping[str, str] = field(default_factory=dict)
    """What every walk ends as, instead of what its rule says."""
    asked: list[VerificationRequest] = field(default_factory=list)

    target = "devcloud"
    scenarios: Any = None
    process: Any = None

    @property
    def client(self) -> Any:
        return self

    async def create(self, request: VerificationRequest, *, key: str) -> Any:
        self.asked.append(request)
        return {"verification_id": "v", "state": "running"}

    async def get(self, verification_id: str) -> Any:
        walk = self.recordings[len(self.asked) - 1]
        denied = judging(self.asked[-1].rule)(walk) is not Decision.CONFIRMED
        judged = (
            {"outcome": "agent_failure", "code": "reward.denied", "reason": "the log denies it"}
            if denied
            else {"outcome": "verified"}
        )
        return {
            "state": "finished",
            "verdict": self.outcome or judged,
            "episodes": [{"episode_id": "e"}],
        }

    async def recording(self, episode_id: str) -> Recording | None:
        return self.recordings[len(self.asked) - 1]

    def binds(self, *args: Any) -> None:
        raise AssertionError("nobody asks")

    events = artefact = targets = binds


def asked() -> VerificationRequest:
    document = {"text": DOCUMENT, "name": "tank.md", "media_type": "text/markdown"}
    meta = "id: tank\nattributes: {resources: [yard.yard]}\n"
    return read_request({"document": document, "target": "devcloud", "meta": meta})


async def authored(place: Walks, known: Knowledge = KNOWN) -> Any:
    author = Author(place, known, ids=SeededIds(1), poll_s=0)
    return await author.rule_for(asked(), rule_id="tank", say=lambda text: None)


async def test_a_rule_is_proposed_of_one_walk_and_proven_by_another() -> None:
    place = Walks([recording(ADD), recording(replace(ADD, id="later"))])
    found = await authored(place)
    assert yaml.safe_load(place.asked[0].rule)["all"] == [{"event": "proofwalk-author-listens"}]
    assert place.asked[1].rule in found.rule_yaml
    assert (found.walks, found.changes) == (2, ("AddTank",))
    assert yaml.safe_load(found.rule_yaml)["none"][-1] == {"event": "SellYard", "service": "Yard"}


async def test_a_walk_that_it_denies_narrows_it_to_what_both_have() -> None:
    other = replace(ADD, request={"Name": "north-7", "Depth": "13"})
    place = Walks([recording(ADD), recording(other), recording(other)])
    found = await authored(place)
    assert found.walks == 3
    (clause, _) = yaml.safe_load(found.rule_yaml)["all"]
    assert clause["where"] == [["request.Name", "eq", "north-7"]]


@pytest.mark.parametrize(
    ("walks", "outcome", "code"),
    [
        ([recording()], {}, "author.nothing_changed"),
        ([recording(ADD)], {"outcome": "doc_defect", "reason": "no button"}, "author.not_walked"),
        ([recording(ADD), recording()], {}, "author.nothing_changed"),
        (
            [recording(ADD), recording(replace(ADD, name="PutTank"))],
            {},
            "author.walks_differ",
        ),
        (
            [
                recording(ADD),
                recording(replace(ADD, request={"Name": "north-7", "Depth": "13"})),
                recording(),
            ],
            {},
            "author.not_repeated",
        ),
    ],
)
async def test_what_gives_no_rule_says_why(
    walks: list[Recording], outcome: dict[str, str], code: str
) -> None:
    with pytest.raises(ProofwalkError) as caught:
        await authored(Walks(walks, outcome))
    assert caught.value.code == code
    assert caught.value.hint


async def test_an_address_is_no_text_to_find_values_in() -> None:
    request = read_request({"document": {"url": "https://docs.example/a"}, "target": "devcloud"})
    author = Author(Walks([]), KNOWN, ids=SeededIds(1), poll_s=0)
    with pytest.raises(ProofwalkError) as caught:
        await author.rule_for(request, rule_id="a", say=lambda text: None)
    assert caught.value.code == "author.no_text"


async def test_a_rule_that_a_near_miss_meets_is_not_written() -> None:
    credulous = replace(KNOWN, judging=lambda rule: lambda walk: Decision.CONFIRMED)
    with pytest.raises(ProofwalkError) as caught:
        await authored(Walks([recording(ADD)]), credulous)
    assert caught.value.code == "author.not_sharp"
    assert "it confirms a near miss: all.0: AddTank did not happen" in caught.value.message


def test_the_file_says_where_each_value_is_from_and_is_read_as_the_rule() -> None:
    walk = recording(
        replace(ADD, request={"Name": "north-7", "Depth": "9", "Note # id": "of nobody"})
    )
    proposal = proposed(walk, DOCUMENT)
    told = explained(proposal)
    assert "#   request.Name eq north-7: the document says it" in told
    assert "#   request.Depth: the document asks for a value and leaves it open" in told
    assert "left open, since nothing says it: request.Note # id" in told
    assert yaml.safe_load(told) == yaml.safe_load(proposal.text)


def test_the_listening_rule_is_one_that_nothing_meets() -> None:
    assert judging(listening(5))(recording(ADD)) is Decision.DENIED


@pytest.mark.parametrize("meta", ["", "[", "a", "attributes: [x]", "attributes: {resources: x}"])
def test_a_meta_that_names_no_types_prepares_none(meta: str) -> None:
    assert prepared_by(meta) == ()


def test_what_phrases_stand_for_is_bound_but_for_what_is_made_up() -> None:
    meta = "binds: {the tank: North, a name: '${output.x}', a depth: 12}"
    assert bound_by(meta) == {"north", "12"}
