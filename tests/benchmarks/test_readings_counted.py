"""What the benchmark of readings counts, shows and writes (`benchmarks.readings`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import record
from benchmarks.readings import sets
from benchmarks.readings.__main__ import figures_of, run
from benchmarks.readings.alignment import Comparison
from benchmarks.readings.classes import Outcome, Scored, outcome_of, score
from benchmarks.readings.labels import Item, read_items
from benchmarks.readings.product import Heard, hear
from proofwalk.kernel.errors import ProofwalkError

SPAN = ("frobnicate it",)
WISH = Comparison(outcome="nothing", wish=True)


@pytest.mark.parametrize(
    ("compared", "spans", "outcome", "silent"),
    [
        (Comparison(outcome="right"), (), Outcome.RIGHT, False),
        (Comparison(outcome="right"), SPAN, Outcome.NOT_UNDERSTOOD, False),
        (Comparison(outcome="wrong"), (), Outcome.WRONG, False),
        (Comparison(outcome="wrong"), SPAN, Outcome.WRONG, False),
        (Comparison(outcome="partial"), (), Outcome.WRONG, True),
        (Comparison(outcome="partial"), SPAN, Outcome.NOT_UNDERSTOOD, False),
        (Comparison(outcome="nothing"), (), Outcome.WRONG, True),
        (Comparison(outcome="nothing"), SPAN, Outcome.NOT_UNDERSTOOD, False),
        (WISH, (), Outcome.NOT_UNDERSTOOD, False),
        (Comparison(outcome="prose right"), (), Outcome.PROSE, False),
        (Comparison(outcome="prose right"), SPAN, Outcome.NOT_UNDERSTOOD, False),
        (Comparison(outcome="prose wrong"), (), Outcome.WRONG, False),
    ],
)
def test_a_skip_is_wrong_unless_the_reading_says_so(
    compared: Comparison, spans: tuple[str, ...], outcome: Outcome, silent: bool
) -> None:
    heard = Heard(reads=(), not_understood=spans)
    assert outcome_of(compared, heard) == (outcome, silent)


def labelled(text: str, *acts: dict[str, Any], name: str = "x-1") -> dict[str, Any]:
    return {"id": name, "text": text, "kind": "instruction", "acts": list(acts)}


CLICK = {"do": "click", "labels": ["Save"], "scope": {"kind": "none", "label": ""}}


def test_the_policy_s_reading_is_taken_with_the_words_it_did_not_understand() -> None:
    read = hear("Click **Save**.")
    assert [(one.kind, one.label) for one in read.reads] == [("click", "Save")]
    assert read.not_understood == ()
    assert hear("Frobnicate the **Sprocket** widdershins.").not_understood != ()
    assert hear("Pumps are loud.").reads == ()


def test_an_item_is_scored_from_its_text() -> None:
    items = [
        Item.model_validate(labelled("Click **Save**.", CLICK)),
        Item.model_validate(labelled("Click **Delete**.", CLICK)),
        Item.model_validate(labelled("Frobnicate the **Save** widdershins.", CLICK)),
    ]
    outcomes = [one.outcome for one in score(items)]
    assert outcomes == [Outcome.RIGHT, Outcome.WRONG, Outcome.NOT_UNDERSTOOD]


def one(outcome: Outcome, *, silent: bool = False) -> Scored:
    return Scored(
        item=Item.model_validate(labelled("Click **Save**.", CLICK)),
        heard=Heard(reads=()),
        comparison=Comparison(outcome="right"),
        outcome=outcome,
        silent=silent,
    )


def test_shares_of_the_classes_add_up_and_carry_intervals() -> None:
    scored = [
        one(Outcome.RIGHT),
        one(Outcome.RIGHT),
        one(Outcome.WRONG, silent=True),
        one(Outcome.NOT_UNDERSTOOD),
    ]
    figures = figures_of(scored)
    assert figures["n"] == 4
    assert figures["right"] == {"value": 0.5, "low": 0.15, "high": 0.85, "count": 2}
    assert figures["silent"]["count"] == figures["wrong"]["count"] == 1
    assert sum(figures[outcome]["value"] for outcome in Outcome) == 1.0


def test_shares_of_an_empty_set_are_unknown() -> None:
    assert figures_of([])["right"] == {"value": None, "low": None, "high": None, "count": 0}


def test_a_line_that_is_no_item_is_named(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(json.dumps(labelled("Click **Save**.", CLICK)) + '\n{"id": "x-2"}\n')
    with pytest.raises(ProofwalkError) as refused:
        read_items(path)
    assert refused.value.code == "readings.bad_label"
    assert "line 2" in refused.value.message


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sets of one item each, no real one, and results and looks in a folder of their own."""
    for name, text in (("own", "Click **Save**."), ("own_frozen", "Click **Sealed**.")):
        line = json.dumps(labelled(text, CLICK, name=f"{name}-1"))
        (tmp_path / f"{name}.jsonl").write_text(line + "\n", encoding="utf-8")

    async def head(name: str, *, n: int) -> dict[str, Any]:
        return {"name": name, "n": n}

    monkeypatch.setattr(sets, "HERE", tmp_path)
    monkeypatch.setattr(sets, "LOOKS", tmp_path / "looks.json")
    monkeypatch.setattr(record, "ROOT", tmp_path)
    monkeypatch.setattr(record, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(record, "head", head)
    monkeypatch.setenv(sets.VARIABLE, str(tmp_path / "nowhere"))
    return tmp_path


def test_the_result_has_every_set_that_is_there_and_says_which_is_not(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    told = json.loads((small / "results" / "readings.json").read_text())
    assert set(told["figures"]) == {"own", "own_frozen"}
    assert set(told["absent"]) == {"real"}
    assert told["figures"]["own"]["right"]["value"] == 1.0
    assert told["figures"]["own_frozen"]["wrong"]["value"] == 1.0
    assert told["figures"]["own_frozen"]["looks"] == 0
    assert "Sealed" not in "".join(capsys.readouterr())


def test_items_are_shown_by_class_and_the_look_is_counted(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--of", "own", "--show", "right"]) == 0
    assert "own-1 [right" in capsys.readouterr().out
    assert run(["--of", "own", "--show", "silent"]) == 0
    assert "own-1" not in capsys.readouterr().out
    assert run(["--of", "own"]) == 0
    assert sets.looks("own") == 2
    assert not (small / "results").exists()
    run([])
    told = json.loads((small / "results" / "readings.json").read_text())
    assert told["figures"]["own"]["looks"] == 2


def test_a_set_that_is_absent_is_not_shown(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--of", "real", "--show", "all"]) == 1
    assert sets.VARIABLE in capsys.readouterr().err
    assert sets.looks("real") == 0


@pytest.mark.parametrize("arguments", [["--of", "own_frozen"], ["--show", "all"]])
def test_nothing_shows_the_frozen_items(small: Path, arguments: list[str]) -> None:
    with pytest.raises(SystemExit):
        run(arguments)
    with pytest.raises(ValueError, match="never looked at"):
        sets.look("own_frozen")


def test_the_folder_is_beside_the_repository_unless_the_environment_says_otherwise(
    tmp_path: Path,
) -> None:
    root = tmp_path / "main"
    assert sets.folder({}, root) == tmp_path / "shared" / "data" / "readings"
    assert sets.folder({sets.VARIABLE: str(tmp_path)}, root) == tmp_path


def test_the_sets_of_invented_consoles_are_whole() -> None:
    own, frozen = sets.items_of("own"), sets.items_of("own_frozen")
    assert own is not None
    assert frozen is not None
    collection = [one for one in own if one.id <= "own-0308"]
    assert len(own) - len(collection) == 180
    assert len(collection) + len(frozen) == 461
    assert len(frozen) >= 461 // 3
    assert len({one.id for one in (*own, *frozen)}) == len(own) + len(frozen)
    assert len({one.text for one in (*own, *frozen)}) == len(own) + len(frozen)
    assert [item.id for item in (*own, *frozen) if not is_whole(item)] == []


def is_whole(item: Item) -> bool:
    """Kind, expectations and condition are what the text and the rest of the label say."""
    asks = item.kind in ("instruction", "mixed")
    sees = item.kind in ("mixed", "expectation")
    verbatim = all(words in item.text for words in (*item.expects, item.condition))
    return asks == bool(item.acts) and sees == bool(item.expects) and verbatim
