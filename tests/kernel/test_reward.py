"""One reward: Eq. 1 by outcome and evidence, and what is known of the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofwalk.kernel.outcomes import Evidence, OutcomeKind
from proofwalk.kernel.reward import (
    BINARY,
    Credit,
    DocumentTruth,
    Excluded,
    Reward,
    Shaping,
    reward_of,
    value_of,
)

K, E, T = OutcomeKind, Evidence, DocumentTruth
WRONG = (T.WRONG, T.WRONG_AS_REPORTED)
TABLE: dict[tuple[OutcomeKind, Evidence, DocumentTruth], float | None] = {
    **{
        (K.VERIFIED, evidence, truth): (
            (0.0 if truth in WRONG else 1.0)
            if evidence in (E.AUDIT, E.VALIDATOR, E.JUDGES)
            else None
        )
        for evidence in E
        for truth in T
    },
    **{
        (kind, evidence, truth): {T.UNKNOWN: None, T.WRONG_AS_REPORTED: 1.0}.get(truth, 0.0)
        for kind in (K.DOC_DEFECT, K.SUSPECTED)
        for evidence in E
        for truth in T
    },
    **{(K.AGENT_FAILURE, evidence, truth): 0.0 for evidence in E for truth in T},
}


@pytest.mark.parametrize("kind", K)
def test_every_outcome_on_every_evidence_of_every_document_earns_what_the_table_says(
    kind: OutcomeKind,
) -> None:
    for evidence in E:
        for truth in T:
            assert value_of(reward_of(kind, evidence, truth)) == TABLE.get(
                (kind, evidence, truth)
            ), (kind, evidence, truth)


def test_the_papers_equation_is_the_case_of_a_document_of_which_nothing_is_known() -> None:
    assert reward_of(K.VERIFIED, E.AUDIT) == Reward(value=1.0), "ActionTrail confirms success"
    assert reward_of(K.VERIFIED, E.JUDGES) == Reward(value=1.0), "both judges agree on success"
    assert reward_of(K.AGENT_FAILURE, E.NONE) == Reward(value=0.0), "both judges agree on failure"
    for kind in (K.JUDGE_SPLIT, K.ENV_FAILURE, K.CANCELLED, K.UNPROVEN):
        assert isinstance(reward_of(kind, E.NONE), Excluded), "otherwise"
    assert isinstance(reward_of(K.VERIFIED, E.PAGE), Excluded), "otherwise"


@pytest.mark.parametrize(
    ("met", "forbidden", "completed", "value"),
    [
        (1, 0, False, 0.3),
        (1, 0, True, 0.3),
        (1, 1, True, 0.1),
        (1, 1, False, 0.0),
        (0, 0, True, 0.1),
        (0, 0, False, 0.0),
    ],
)
def test_tiers_are_those_of_riskwebworld(
    met: int, forbidden: int, completed: bool, value: float
) -> None:
    shaping = Shaping(
        credit=Credit.TIERS, met=met, missing=1, forbidden=forbidden, completed=completed
    )
    assert value_of(reward_of(K.AGENT_FAILURE, E.AUDIT, T.UNKNOWN, shaping)) == value
    assert value_of(reward_of(K.VERIFIED, E.AUDIT, T.UNKNOWN, shaping)) == 1.0


@given(
    met=st.integers(0, 9),
    missing=st.integers(0, 9),
    forbidden=st.integers(0, 9),
    truth=st.sampled_from(T),
)
def test_partial_credit_lies_between_a_failure_and_a_success(
    met: int, missing: int, forbidden: int, truth: DocumentTruth
) -> None:
    shaping = Shaping(credit=Credit.PARTIAL, met=met, missing=missing, forbidden=forbidden)
    value = value_of(reward_of(K.AGENT_FAILURE, E.NONE, truth, shaping))
    assert value is not None
    assert 0.0 <= value < 1.0
    assert (value > 0) == (met > 0 and missing + forbidden > 0)
    for kind in set(K) - {K.AGENT_FAILURE}:
        for evidence in E:
            assert reward_of(kind, evidence, truth, shaping) == reward_of(
                kind, evidence, truth, BINARY
            )
