"""The search for a text that a walk verifies: what is walked, in which order, how
often, and what counts as proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from proofwalk.findings.attempts import Refusal
from proofwalk.findings.patching import Observed, Options, options_of
from proofwalk.findings.proving import Bounds, Proof, edits_of, prove
from proofwalk.findings.walked import Walked, WalkEnd
from proofwalk.kernel.outcomes import Finding, FindingKind
from tests.findings.documents import finding

TEXT = (
    "1. Open it.\n2. Enter `x` in **Name**.\n3. Enter `y` in **Owner**.\n"
    "4. Enter `z` in **Zone**.\n5. Click **OK**.\n"
)
VERIFIED = Walked(end=WalkEnd.VERIFIED, by_audit=True)
UNTOLD = Walked(end=WalkEnd.UNTOLD, reason="env_failure: the sandbox died")
Answer = Callable[[str], Walked | None]


def gone(text: str, *labels: str) -> Walked | None:
    """A walk that ends at the first step whose label the console lacks."""
    for number, line in enumerate(text.splitlines(), 1):
        label = next((one for one in labels if f"**{one}**" in line), "")
        if label:
            words = line.partition(". ")[2].replace("*", "").replace("`", "")
            return blocked(finding(FindingKind.MISSING, number, words, label))
    return None


def blocked(*found: Finding) -> Walked:
    observed = tuple(Observed(finding=one, is_certain=True) for one in found)
    return Walked(end=WalkEnd.NOT_VERIFIED, reason="doc_defect", observed=observed)


@dataclass
class Console:
    """Answers walks; `walked` are the texts."""

    answer: Answer
    walked: list[str] = field(default_factory=list)

    async def walk(self, text: str) -> Walked:
        self.walked.append(text)
        return self.answer(text) or VERIFIED


async def look(walked: Walked, text: str) -> Sequence[Options]:
    return options_of(
        [replace(one, finding=replace(one.finding, file="a.md")) for one in walked.observed],
        text.encode(),
        proven=walked.proven,
    )


async def search(console: Console, bounds: Bounds | None = None) -> Proof:
    first = console.answer(TEXT) or VERIFIED
    return await prove(first, TEXT, walk=console.walk, look=look, bounds=bounds)


async def test_a_hypothesis_that_a_walk_confirms_is_the_proof() -> None:
    console = Console(lambda text: gone(text, "Owner"))
    proof = await search(console)
    assert proof.version is not None
    assert proof.version.text == TEXT.replace("3. Enter `y` in **Owner**.\n", "").replace(
        "4.", "3."
    ).replace("5.", "4.")
    assert [hunk.candidate.what for hunk in proof.version.hunks] == ["the step taken out"]
    assert [trial.end for trial in proof.trials] == [WalkEnd.VERIFIED]


async def test_what_the_next_walk_finds_further_on_is_mended_too() -> None:
    console = Console(lambda text: gone(text, "Name", "Owner", "Zone"))
    proof = await search(console, Bounds(walks=20, guesses=3))
    assert proof.version is not None
    assert proof.version.text == "1. Open it.\n2. Click **OK**.\n"
    assert [hunk.round for hunk in proof.version.hunks] == [1, 2, 3]
    assert len(edits_of(proof.version.hunks, 2)) == 3


@pytest.mark.parametrize(
    "bounds",
    [Bounds(walks=2, guesses=3), Bounds(rounds=2, walks=20, guesses=3), Bounds(walks=20)],
)
async def test_the_search_is_bounded(bounds: Bounds) -> None:
    console = Console(lambda text: gone(text, "Name", "Owner", "Zone"))
    proof = await search(console, bounds)
    assert proof.version is None
    assert proof.refusal.code is Refusal.NOT_PROVEN
    assert len(console.walked) <= bounds.walks
    assert len(set(console.walked)) == len(console.walked)


async def test_evidence_is_walked_before_hypotheses() -> None:
    renamed = finding(FindingKind.RENAMED, 3, "Enter y in Owner.", "Owner", "Holder")
    console = Console(lambda text: None if "Holder" in text else blocked(renamed))
    proof = await search(console)
    assert console.walked == [TEXT.replace("Owner", "Holder")]
    assert proof.version is not None
    assert proof.version.guesses == 0


async def test_after_evidence_that_is_not_proven_hypotheses_are_walked() -> None:
    renamed = finding(FindingKind.RENAMED, 3, "Enter y in Owner.", "Owner", "Holder")

    def answer(text: str) -> Walked | None:
        return blocked(renamed) if "Owner" in text or "Holder" in text else None

    proof = await search(Console(answer))
    assert proof.version is not None
    assert proof.version.guesses == 1


async def test_a_hypothesis_is_proven_by_the_audit_log_alone() -> None:
    seen = replace(VERIFIED, by_audit=False)
    console = Console(lambda text: gone(text, "Owner") or seen)
    proof = await search(console)
    assert proof.version is None
    assert "not by the audit log" in proof.refusal.reason
    renamed = finding(FindingKind.RENAMED, 3, "Enter y in Owner.", "Owner", "Holder")
    console = Console(lambda text: seen if "Holder" in text else blocked(renamed))
    assert (await search(console)).version is not None


async def test_a_walk_that_says_nothing_is_made_again() -> None:
    answers = iter([UNTOLD, VERIFIED])
    console = Console(lambda text: gone(text, "Owner") or next(answers))
    proof = await search(console)
    assert proof.version is not None
    assert [trial.end for trial in proof.trials] == [WalkEnd.UNTOLD, WalkEnd.VERIFIED]


async def test_an_environment_that_fails_is_no_evidence_and_no_weaker_text_is_taken() -> None:
    console = Console(lambda text: gone(text, "Owner") or UNTOLD)
    proof = await search(console)
    assert proof.version is None
    assert proof.refusal.code is Refusal.PROOF_FAILED
    assert len(set(console.walked)) == 1


async def test_what_a_walk_notes_anew_disproves_and_what_had_no_patch_does_not() -> None:
    def noted(one: Finding) -> Observed:
        return Observed(finding=one, went_on=True)

    moved = finding(FindingKind.MOVED, 5, "Click OK.", "OK")
    new = finding(FindingKind.MOVED, 1, "Open it.", "it")
    first = gone(TEXT, "Owner")
    assert first is not None
    known = replace(first, observed=(*first.observed, noted(moved)))
    still = replace(VERIFIED, observed=(noted(moved),))
    console = Console(lambda text: known if "Owner" in text else still)
    assert (await search(console)).version is not None
    more = replace(VERIFIED, observed=(noted(moved), noted(new)))
    console = Console(lambda text: known if "Owner" in text else more)
    assert (await search(console)).version is None


async def test_a_finding_without_an_edit_ends_the_search_before_a_walk() -> None:
    wrong = Observed(finding=finding(FindingKind.MISSING, 3, "Enter y in Owner.", "Owner"))
    console = Console(lambda _: Walked(end=WalkEnd.NOT_VERIFIED, observed=(wrong,)))
    proof = await search(console)
    assert not console.walked
    assert proof.refusal.code is Refusal.NOT_PROVEN
    assert proof.refusal.reason


@pytest.mark.parametrize("lacks", [(), ("Name",), ("Owner",), ("Zone",), ("Name", "Zone")])
async def test_no_sentence_that_a_walk_proved_is_in_another_wording(
    lacks: tuple[str, ...],
) -> None:
    """Of every text that is walked, each step that the first walk proved is left."""

    def answer(text: str) -> Walked | None:
        walked = gone(text, *lacks)
        if walked is None:
            return None
        return replace(walked, proven=tuple(range(1, walked.observed[0].finding.line)))

    console = Console(answer)
    first = answer(TEXT)
    await search(console, Bounds(walks=20))
    proven = (
        [TEXT.splitlines()[line - 1].partition(". ")[2] for line in first.proven] if first else []
    )
    for text in console.walked:
        steps = [line.partition(". ")[2] for line in text.splitlines()]
        assert [step for step in steps if step in proven] == proven
