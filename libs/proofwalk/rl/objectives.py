"""What is minimised, and what is watched: each formula one function. Tensors are per
token, float32 or float64.

GRPO's loss is AliyunConsoleAgent Eq. 2, per token: L = -min(ρ·Â, clip(ρ, 1-ε, 1+ε)·Â) +
β·L_KL, with ρ = π_θ/π_old and the KL to the frozen SFT policy as ZeroGUI's MSE. Eq. 2
does not say how tokens become one number: `token_weights` does, and since its weights
add up to one over the whole batch, a micro-batch's share of the loss is a plain
weighted sum and gradients do not depend on how a batch is cut. WebRL's losses are per
answer and per state. Log-probabilities come from `logprobs`, advantages from
`advantages`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import torch
from jaxtyping import Float, Int64
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from proofwalk.kernel.errors import invalid


def importance_ratio(
    logprobs: Float[Tensor, "*shape"], old_logprobs: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """ρ_t = π_θ(a_t|s_t) / π_old(a_t|s_t), §5.2 below Eq. 2."""
    return torch.exp(logprobs - old_logprobs)


def clipped_surrogate(
    ratio: Float[Tensor, "*shape"], advantages: Float[Tensor, "*shape"], *, low: float, high: float
) -> Float[Tensor, "*shape"]:
    """The first term of Eq. 2 (PPO's, Schulman et al. 2017, Eq. 7), to be minimised:
    -min(ρ·Â, clip(ρ, 1 - low, 1 + high)·Â)."""
    return -torch.min(ratio * advantages, torch.clamp(ratio, 1 - low, 1 + high) * advantages)


def mse_kl(
    logprobs: Float[Tensor, "*shape"], reference: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """L_KL of §5.2, after ZeroGUI: ½ (log π_θ - log π_ref)². Its gradient grows
    linearly with the distance, where k3's explodes."""
    return 0.5 * (logprobs - reference).square()


def k3_kl(
    logprobs: Float[Tensor, "*shape"], reference: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """GRPO's own estimator (DeepSeekMath, Eq. 4): π_ref/π_θ - log(π_ref/π_θ) - 1.
    Unbiased for KL(π_θ‖π_ref) under π_θ, never negative."""
    difference = reference - logprobs
    return torch.exp(difference) - difference - 1


def policy_loss(
    logprobs: Float[Tensor, "*shape"],
    old_logprobs: Float[Tensor, "*shape"],
    advantages: Float[Tensor, "*shape"],
    reference: Float[Tensor, "*shape"] | None,
    *,
    clip_low: float,
    clip_high: float,
    kl: Literal["mse", "k3"],
    kl_coefficient: float,
) -> Float[Tensor, "*shape"]:
    """Eq. 2 per token. `reference` may be None when β is 0."""
    loss = clipped_surrogate(
        importance_ratio(logprobs, old_logprobs), advantages, low=clip_low, high=clip_high
    )
    if kl_coefficient == 0:
        return loss
    if reference is None:
        raise invalid(
            "rl.reference_missing",
            f"β is {kl_coefficient} and there are no log-probabilities of the reference policy",
        )
    penalty = mse_kl if kl == "mse" else k3_kl
    return loss + kl_coefficient * penalty(logprobs, reference)


def per_answer(
    values: Float[Tensor, " learned"], owners: Int64[Tensor, " learned"]
) -> Float[Tensor, " answers"]:
    """The sum over each answer's learned tokens, in the order of the answers' numbers;
    `owners` are those of the tokens (`Batch.sample`). Of log π it is log π(a|s) of a
    whole answer."""
    numbers, places = owners.unique(return_inverse=True)
    return values.new_zeros(len(numbers)).index_add(0, places, values)


def kl_constrained(
    log_ratios: Float[Tensor, " answers"], advantages: Float[Tensor, " answers"], *, beta: float
) -> Float[Tensor, " answers"]:
    """WebRL's policy loss (its Eq. 5) of each answer: (β log[π_θ(a|s)/π_ref(a|s)] -
    A)². Its gradient raises an answer's probability where A is above β log[π_θ/π_ref],
    and lowers it where A is below: both signs of A teach."""
    return (beta * log_ratios - advantages).square()


def value_loss(
    logits: Float[Tensor, " states"], outcomes: Float[Tensor, " states"]
) -> Float[Tensor, " states"]:
    """WebRL's critic loss (its Eq. 7) of each state: -r log V - (1 - r) log(1 - V) with
    V = σ(logit) and r the outcome of the trajectory that the state is of."""
    return binary_cross_entropy_with_logits(logits, outcomes, reduction="none")


def cross_entropy(
    logprobs: Float[Tensor, " learned"], weights: Float[Tensor, " learned"]
) -> Float[Tensor, ""]:
    """SFT's loss (§5.1): -Σ w_t log π_θ(a_t|s_t). Tokens outside the loss
    mask have no log-probability here at all."""
    return -(weights * logprobs).sum()


def weighted(
    losses: Float[Tensor, " learned"], weights: Float[Tensor, " learned"]
) -> Float[Tensor, ""]:
    """Σ w_t l_t: the loss of a batch, or a micro-batch's share of it."""
    return (weights * losses).sum()


def token_weights(
    learned: Sequence[int],
    *,
    aggregation: Literal["episode", "sequence", "token", "step"],
    episodes: Sequence[str] = (),
    weights: Sequence[float] = (),
    episode_tokens: Mapping[str, int] = MappingProxyType({}),
) -> list[float]:
    """The weight of one learned token of each sample: Σ_s learned_s · weight_s = 1, but
    for `step`, where it is the episodes' mean number of steps.

    `learned[s]` counts the sample's tokens under the loss mask; `weights` are the
    samples' own (1 without).
    - `token`: every token alike, so long completions weigh more (DAPO, Yu et al. 2025,
      Eq. 8; the usual SFT mean).
    - `sequence`: every sample alike, its tokens share it: 1/N Σ 1/|o_i| Σ_t
      (DeepSeekMath, Eq. 3, with a step as the output).
    - `episode`: every trajectory alike, the tokens of all its steps share it: the same
      formula with a trajectory as the output o_i, which is how we read
      AliyunConsoleAgent's "following GRPO", since its rewards and its G are those of
      trajectories. `episode_tokens` says how many tokens a trajectory has of which only
      a draw is here, weighted by how often it is drawn: the sum is then 1 on average.
    - `step`: every step alike, summed over a trajectory's steps and not averaged:
      1/G Σ_i Σ_t 1/K_t Σ_k (STEPO: EvoCUA §7, Eq. 5), over the batch's groups.
    """
    shares = list(weights) or [1.0] * len(learned)
    by_episode = aggregation in ("episode", "step")
    if len(shares) != len(learned) or (by_episode and len(episodes) != len(learned)):
        raise ValueError(f"{len(learned)} samples, {len(shares)} weights, {len(episodes)} episodes")
    if not learned or min(learned) < 1 or min(shares) < 0 or sum(shares) <= 0:
        raise invalid(
            "rl.batch_empty",
            "a batch needs samples that each have a token to learn and a weight that is not"
            " negative",
        )
    match aggregation:
        case "token":
            total = sum(share * count for share, count in zip(shares, learned, strict=True))
            return [share / total for share in shares]
        case "sequence":
            total = sum(shares)
            return [share / total / count for share, count in zip(shares, learned, strict=True)]
        case "step":
            many = len(set(episodes))
            return [share / (count * many) for share, count in zip(shares, learned, strict=True)]
        case "episode":
            return _by_episode(learned, episodes, shares, episode_tokens)


def _by_episode(
    learned: Sequence[int],
    episodes: Sequence[str],
    shares: Sequence[float],
    episode_tokens: Mapping[str, int],
) -> list[float]:
    sizes: dict[str, float] = {}
    for episode, share, count in zip(episodes, shares, learned, strict=True):
        sizes[episode] = sizes.get(episode, 0.0) + share * count
    sizes |= {
        episode: float(count) for episode, count in episode_tokens.items() if sizes.get(episode)
    }
    alive = sum(size > 0 for size in sizes.values())
    return [
        share / (sizes[episode] * alive) if sizes[episode] else 0.0
        for episode, share in zip(episodes, shares, strict=True)
    ]


def entropy(logits: Float[Tensor, "*shape vocabulary"]) -> Float[Tensor, "*shape"]:
    """H = -Σ_v p_v log p_v of each position's distribution, in nats."""
    logs = torch.log_softmax(logits.float(), dim=-1)
    return -(logs.exp() * logs).sum(-1)


def clipped(
    ratio: Float[Tensor, "*shape"], advantages: Float[Tensor, "*shape"], *, low: float, high: float
) -> Float[Tensor, "*shape"]:
    """1.0 where Eq. 2's minimum is the clipped branch and the token has no gradient: Â
    > 0 and ρ > 1 + high, or Â < 0 and ρ < 1 - low."""
    return (
        ((advantages > 0) & (ratio > 1 + high)) | ((advantages < 0) & (ratio < 1 - low))
    ).float()


def approximate_kl(
    logprobs: Float[Tensor, "*shape"], old_logprobs: Float[Tensor, "*shape"]
) -> Float[Tensor, "*shape"]:
    """How far the policy has moved from the one that acted, per token: (ρ - 1) - log ρ,
    whose mean under π_old estimates KL(π_old‖π_θ)."""
    difference = logprobs - old_logprobs
    return torch.exp(difference) - 1 - difference
