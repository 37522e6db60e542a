"""What the answers' form decided is not learned: the policy did not choose it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import pytest
import torch

from proofwalk.api.rollout.v1 import rollout_pb2 as pb
from proofwalk.chassis.rpc.vocabulary import EVIDENCE, OUTCOMES
from proofwalk.kernel.errors import ProofwalkError
from proofwalk.kernel.outcomes import Evidence, OutcomeKind
from proofwalk.trainer.group_counting import Told, complain, counted, samples_of
from proofwalk.trainer.group_store import Kept
from proofwalk.trainer.group_trajectories import Attempt, Trouble, own
from tests.datasets.kit import task_of

LEARNED = Told(temperature=1.0, forced=True)
LEFT_OUT = Told(temperature=1.0, forced=False)


def attempt(*pairs: tuple[float, float]) -> Attempt:
    """An answer of tokens with these log-probabilities, under the model and among what
    the form left."""
    raw, among = zip(*pairs, strict=True)
    tokens = tuple(range(5, 5 + len(pairs)))
    return Attempt(
        prompt=(3, 4), completion=tokens, logprobs=raw, constrained=among, version="step-00000002"
    )


def test_a_token_is_the_policys_where_the_form_left_it_nearly_everything() -> None:
    free = (-1.0, -1.0)
    nearly = (-1.0, -1.0 - math.log(0.95))
    narrowed = (-1.0, -1.0 - math.log(0.85))
    forced = (-27.75, 0.0)
    assert own(attempt(free, nearly, narrowed, forced)) == (True, True, False, False)


def test_where_nothing_is_told_of_the_form_everything_is_the_policys() -> None:
    untold = Attempt(prompt=(3,), completion=(5, 6), logprobs=(-1.0, -2.0), version="step-00000000")
    assert own(untold) == ()
    (sample,) = samples_of([untold], episode="e", told=LEFT_OUT)
    assert sample.learned == (0, 1)


def test_answers_without_a_sample_count_as_steps() -> None:
    usable, broken = attempt((-1.0, -1.0)), attempt((-9.0, 0.0))
    member = pb.GroupMember(
        outcome=OUTCOMES.to_pb(OutcomeKind.VERIFIED), evidence=EVIDENCE.to_pb(Evidence.AUDIT)
    )
    kept = Kept(member=member, attempts=(usable, replace(broken, usable=False)))
    found = counted("e", task_of(), kept, told=LEFT_OUT, step=9, tally=Counter())
    assert (len(found.samples), found.steps, found.malformed) == (1, 2, 1)


def test_an_answer_that_was_forced_throughout_has_nothing_to_learn() -> None:
    whole, forced = attempt((-1.0, -1.0), (-9.0, 0.0)), attempt((-9.0, 0.0), (-8.0, 0.0))
    (sample,) = samples_of([forced, whole], episode="e", told=LEFT_OUT)
    assert (sample.learned, sample.policy_version, sample.episode) == ((0,), "step-00000002", "e")
    assert samples_of([forced], episode="e", told=LEFT_OUT) == ()
    assert [len(one.learned) for one in samples_of([forced, whole], episode="e", told=LEARNED)] == [
        2,
        2,
    ]


def test_at_another_temperature_the_engines_logprobs_are_of_another_distribution() -> None:
    (sample,) = samples_of(
        [attempt((-1.0, -1.0))], episode="e", told=Told(temperature=0.7, forced=False)
    )
    assert sample.old_logprobs == ()


def test_the_gradient_of_a_free_token_is_the_constrained_ones_and_of_a_forced_one_it_is_not() -> (
    None
):
    logits = torch.tensor([2.0, 1.0, 0.5, -6.0], dtype=torch.float64, requires_grad=True)

    def gradients(token: int, allowed: list[int]) -> tuple[torch.Tensor, torch.Tensor, float]:
        raw = torch.log_softmax(logits, dim=0)[token]
        among = torch.log_softmax(logits[allowed], dim=0)[allowed.index(token)]
        (one,), (other,) = torch.autograd.grad(raw, logits), torch.autograd.grad(among, logits)
        return one, other, float((raw - among).detach())

    one, other, share = gradients(1, [0, 1, 2])
    assert share > math.log(0.9)
    assert torch.allclose(one, other, atol=1e-3)
    one, other, share = gradients(3, [3])
    assert share < math.log(0.9)
    assert other.abs().max() == 0, "it was certain"
    assert one.abs().max() > 0.9, "and would have been taught as the least likely"


def test_a_run_whose_policy_chose_nothing_says_so() -> None:
    with pytest.raises(ProofwalkError) as caught:
        complain(Counter({Trouble.CONSTRAINED.value: 6}), total=6, deadline_s=60)
    assert caught.value.code == "trainer.nothing_chosen"
    complain(Counter({"env_failure:sandbox": 6}), total=6, deadline_s=60)
