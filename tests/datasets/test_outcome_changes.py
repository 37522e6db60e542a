"""Changed walks: one place differs, the rule with it, and the rule says how it
ended."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from proofwalk.datasets.outcomes.cases import Act, Case, Instruction, Kind
from proofwalk.datasets.outcomes.changes import changed_object, changed_value, renamed
from proofwalk.datasets.outcomes.material import Material, constants_of, material_of, parsed
from proofwalk.datasets.outcomes.operations import changed_operation
from tests.datasets.outcome_cases import ACTS, DISK, PROCEDURE, RULE, case, other_case, says

MATERIAL = material_of([case(), other_case()])


def text_of(one: Case) -> str:
    return "\n".join(item.text for item in one.procedure)


def test_material_is_what_other_walks_have() -> None:
    assert MATERIAL.values["PutGroup", "request.Name"] == ("ledger-7", "storage-25")
    assert MATERIAL.values["PutGroup", "request.Retention"] == ("30", "90")
    assert MATERIAL.words == ("maple", "queue")
    assert [sorted(one.operations) for one in MATERIAL.sections] == [
        ["PutGroup"],
        ["DeleteDisk"],
        ["PutGroup"],
        ["SnapshotDisk"],
    ]
    assert MATERIAL.sections[3].outputs == {"source_id": "d-9"}


def test_constants_are_texts_and_numbers_that_are_demanded() -> None:
    rule = parsed(
        "all:\n- event: A\n  where: [[request.B, eq, x], [request.C, eq, true],"
        " [request.D, eq, $meta.e], [request.F, ne, y], [request.G, contains, 7]]\n"
    )
    assert list(constants_of(rule)) == [(("A", "request.B"), "x"), (("A", "request.G"), "7")]


def test_a_verified_walk_is_confirmed() -> None:
    assert says(case()) is True


def test_a_changed_value_stands_in_document_and_rule_and_not_in_the_walk() -> None:
    found = [changed_value(case(), MATERIAL, Random(seed)) for seed in range(12)]
    made = [one for one in found if one is not None]
    assert len(made) == 12
    assert {text_of(one) for one in made} == {
        text_of(case()).replace("storage-25", "ledger-7"),
        text_of(case()).replace("`30`", "`90`"),
    }
    for one in made:
        assert (one.kind, one.acts, one.page) == (Kind.CHANGED_VALUE, ACTS, case().page)
        assert one.recording == case().recording
        assert says(one) is False


def test_a_changed_number_leaves_the_rule_s_other_numbers_alone() -> None:
    rule = RULE.replace("delta_s: 5", "delta_s: 30")
    material = replace(MATERIAL, values={("PutGroup", "request.Retention"): ("30", "90")})
    made = changed_value(case(rule_yaml=rule), material, Random(0))
    assert made is not None
    assert parsed(made.rule_yaml)["delta_s"] == 30
    assert parsed(made.rule_yaml)["all"][0]["where"][1] == ["request.Retention", "eq", 90]


@pytest.mark.parametrize(
    "change",
    [
        {"acts": (Act("1.1", "click option “thirty days”", ""),)},
        {"procedure": (Instruction("1", "Create a group as you like."),)},
    ],
    ids=["not entered", "not said"],
)
def test_what_the_walk_or_the_document_does_not_show_is_not_changed(
    change: dict[str, tuple[object, ...]],
) -> None:
    assert changed_value(case(**change), MATERIAL, Random(0)) is None


def test_a_value_inside_of_a_longer_word_is_not_the_value() -> None:
    procedure = (Instruction("1", "Enter `storage-25-b` and `130`, not 30.5."),)
    assert changed_value(case(procedure=procedure), MATERIAL, Random(0)) is None


def test_another_object_is_prepared_and_the_rule_denies() -> None:
    made = changed_object(case(), MATERIAL, Random(0))
    assert made is not None
    assert made.prepared == {"the old disk": "pw0a1b2c-maple"}
    assert made.recording.outputs == {"disk_id": "d-0", "disk_name": "pw0a1b2c-maple"}
    assert (made.procedure, made.acts) == (PROCEDURE, ACTS)
    assert says(made) is False


def test_an_object_that_the_rule_does_not_refer_to_is_left() -> None:
    rule = RULE.replace("$meta.disk_id", "d-1")
    assert changed_object(case(rule_yaml=rule), MATERIAL, Random(0)) is None


def test_a_renamed_walk_is_renamed_everywhere_and_confirmed() -> None:
    made = [one for seed in range(8) if (one := renamed(case(), MATERIAL, Random(seed)))]
    texts = {text_of(one) for one in made}
    assert len(made) == 8
    assert len(texts) == 2, "a value, or an object that the document does not name"
    for one in made:
        assert one.kind is Kind.RENAMED
        assert says(one) is True
        whole = f"{one.procedure}{one.prepared}{one.acts}{one.page}{one.recording}{one.rule_yaml}"
        assert ("storage-25" in whole) is not (DISK in whole), "one of them, nowhere any more"


def test_numbers_alone_are_not_renamed() -> None:
    only = Material(values={("PutGroup", "request.Retention"): ("90",)}, words=(), sections=())
    bare = case(prepared={})
    assert renamed(bare, only, Random(0)) is None


def test_another_operation_takes_a_section_s_place() -> None:
    made = changed_operation(case(), MATERIAL, Random(0))
    assert made is not None
    assert [tuple(one) for one in made.procedure[2:]] == [
        ("2", "Take a snapshot."),
        ("2.1", "Find the source and choose **Snapshot**."),
        ("2.2", "Click **OK**."),
    ]
    assert made.prepared == {"the source": "pw0a1b2c-maple"}, "under this walk's prefix"
    assert made.recording.outputs["source_id"] == "d-9"
    assert [one["event"] for one in parsed(made.rule_yaml)["all"]] == ["PutGroup", "SnapshotDisk"]
    assert says(made) is False


def test_actions_stay_under_items_that_are_there() -> None:
    acts = (*ACTS, Act("2.3", "click button “OK”", ""))
    made = changed_operation(case(acts=acts), MATERIAL, Random(0))
    assert made is not None
    assert [one.substep for one in made.acts[-2:]] == ["2.1", "2.2"]


def test_an_operation_that_the_walk_did_is_no_other_one() -> None:
    assert changed_operation(case(), material_of([case()]), Random(0)) is None


def test_a_section_whose_event_others_use_stays() -> None:
    contact = case(rule_yaml=RULE.replace("event: PutGroup", "event: PutContact"))
    material = material_of([contact])
    assert changed_operation(case(), material, Random(0)) is not None
    named = RULE.replace("event: PutGroup\n", "event: PutGroup\n  as: put\n")
    used = named.replace("$meta.disk_id", "$event.put.response.Disk")
    assert changed_operation(case(rule_yaml=used), material, Random(0)) is None
