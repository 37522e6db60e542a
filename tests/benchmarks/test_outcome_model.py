"""`make bench-orm`: figures by hand, and a checkpoint's answers that are kept and read
back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.outcome_model.cue import says_success
from benchmarks.outcome_model.figures import auc, brier, calibration_error, figures_of
from benchmarks.outcome_model.scores import Scored, read_scores, scored, write_scores
from benchmarks.outcome_model.train import main as train
from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.outcomes.cases import GAVE_UP, Kind
from proofwalk.datasets.outcomes.labelling import FORM, LAYOUT
from proofwalk.datasets.outcomes.questions import messages_of
from proofwalk.datasets.sample_files import write_samples
from tests.datasets.outcome_cases import case
from tests.inference.tiny import save


def row(probability: float, *, succeeded: bool, kind: str = "", cue: bool = True) -> Scored:
    return Scored(
        episode="e",
        task=kind or "t",
        kind=kind or ("success" if succeeded else "cut_short"),
        succeeded=succeeded,
        probability=probability,
        cue=cue,
    )


ROWS = (
    row(0.9, succeeded=True),
    row(0.6, succeeded=True, cue=False),
    row(0.4, succeeded=True),
    row(0.6, succeeded=False),
    row(0.1, succeeded=False, kind="changed_value"),
)


def test_figures_are_those_of_a_hand_s_reckoning() -> None:
    figures = figures_of(ROWS)
    assert (figures["accuracy"]["value"], figures["accuracy"]["count"]) == (0.6, 3)
    assert figures["accuracy"]["low"] == pytest.approx(0.2307, abs=1e-4)
    assert {kind: one["value"] for kind, one in figures["by_class"].items()} == {
        "changed_value": 1.0,
        "cut_short": 0.0,
        "success": 0.6667,
    }
    assert figures["baseline"]["majority"]["value"] == 0.6
    assert figures["baseline"]["page"]["value"] == 0.4
    assert (figures["tasks"], figures["successes"]) == (2, 3)


def test_brier_is_the_mean_square_distance() -> None:
    assert brier(ROWS) == pytest.approx((0.01 + 0.16 + 0.36 + 0.36 + 0.01) / 5)
    assert brier([row(0.5, succeeded=True), row(0.5, succeeded=False)]) == 0.25


def test_calibration_weighs_each_bin_s_distance_by_its_walks() -> None:
    # Bins 0.9: |0.9 - 1|, 0.6: |1.2 - 1|, 0.4: |0.4 - 1|, 0.1: |0.1 - 0|.
    assert calibration_error(ROWS) == pytest.approx((0.1 + 0.2 + 0.6 + 0.1) / 5)
    assert calibration_error([row(1.0, succeeded=True), row(0.0, succeeded=False)]) == 0.0


def test_auc_counts_pairs_and_ties_by_half() -> None:
    # 0.9 beats both, 0.6 beats one and ties, 0.4 beats one.
    assert auc(ROWS) == pytest.approx((2 + 1.5 + 1) / 6)
    assert auc(ROWS[:3]) == 0.5, "one outcome only"


def question_of(page: str, *, ending: str | None = None) -> str:
    one = case(page=page) if ending is None else case(page=page, ending=ending)
    return messages_of(one, code="c0de")[-1].text


def test_the_cue_wants_a_claim_and_a_message_on_the_page() -> None:
    sent = "Page: Disks\nMessage: Release: request submitted"
    assert says_success(question_of(sent))
    assert not says_success(question_of("Page: Disks"))
    assert not says_success(question_of(sent, ending=f"{GAVE_UP}: nothing there"))


def sample(kind: Kind) -> ChatSample:
    return ChatSample(
        messages=messages_of(case(), code="c0de", room=1200),
        answer="YES" if kind.succeeds else "NO",
        action="",
        outcome=kind.value,
        suite="train",
        task="t",
        task_digest="",
        product="ecs",
        language="en",
        document="",
        episode=f"e.{kind}",
        step=4,
        substep="",
        policy="literal",
        policy_version="",
        thought_by="",
        layout=LAYOUT,
        form=FORM,
    )


def test_a_model_is_trained_and_asked_and_its_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    base = save(tmp_path / "base", context=4096)
    samples = tmp_path / "samples.parquet"
    write_samples(samples, [sample(Kind.SUCCESS), sample(Kind.CHANGED_VALUE)], about={})
    settings = ("batch_size=1", "epochs=2", "learning_rate=1e-3", "precision=fp32")
    given = [part for one in settings for part in ("--set", one)]
    where = ["--base", str(base), "--samples", str(samples), "--out", str(tmp_path / "run")]
    monkeypatch.setattr("sys.argv", ["train", *where, *given])
    assert train() == 0
    checkpoint = Path(capsys.readouterr().out.splitlines()[-1])
    assert checkpoint.name == "step-00000004"

    before = scored(base, samples, microbatch_tokens=4096)
    after = scored(checkpoint, samples, microbatch_tokens=4096)
    assert [one.kind for one in after.rows] == ["success", "changed_value"]
    assert [one.succeeded for one in after.rows] == [True, False]
    assert all(0 < one.probability < 1 and one.cue for one in after.rows)
    assert after.rows != before.rows
    write_scores(tmp_path / "kept" / "scores.jsonl", after)
    assert read_scores(tmp_path / "kept" / "scores.jsonl") == after
    assert read_scores(tmp_path / "kept" / "scores.jsonl") != replace(after, device="another")
