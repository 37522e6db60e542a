"""What each step of a trajectory is given of its outcome.

`trajectory`: every step has the trajectory's advantage (AliyunConsoleAgent §5.2). A
walk that goes
wrong at its third step then teaches against the seven after it, which were as good as
could be where they were; on average that cancels, in a few episodes it is most of what
is learned.

`share`: every step has the same part of it, Â_{i,t} = Â_i / T_i (STEPO: EvoCUA §7,
Eq. 4), and the loss sums over steps (`objectives.token_weights`, `step`), so that a
walk of few steps is worth as much as one of many, and each of its steps more.

`state`: a step is held against the group's other steps *in its state*, the question
that was answered there (GiGPO's anchor states: Feng et al., 2025, "Group-in-Group
Policy Optimization for LLM Agent Training"). The state's mean reward takes the place of
the group's in layer 1 of the normalisation (`advantages.per_task`), with the group's
deviation; layer 2 only scales, since what is 0 has to stay 0:

    Â_{k,i,s} = (r_{k,i} - mean_{j in s} r_{k,j}) / (σ_k + ε) / max(σ_batch, ε)

A mean over what is known before the answer is a baseline, which moves no expectation; a
step that is alone in its state is its own mean, and teaches nothing. Unlike GiGPO's
there is no discount, and the trajectory's advantage is not added: it is what this takes
the noise out of.

Episodes of a task are set up each with names of their own, so no two read the same
letters. A word that one episode of the group alone has read says who is walking, not
where, and counts as the same as every other such word. Pure; no torch. Next:
`rollouts`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from proofwalk.rl.advantages import EPSILON, deviation

_WORD = re.compile(r"\w+")
_OWN = "\N{BULLET}"


def states_of(episodes: Sequence[Sequence[str]]) -> list[list[str]]:
    """The states in which a group's episodes answered: their questions, without the
    words that only one episode has read."""
    read = Counter(
        word
        for questions in episodes
        for word in {word for text in questions for word in _WORD.findall(text)}
    )
    return [
        [_WORD.sub(lambda word: word[0] if read[word[0]] > 1 else _OWN, text) for text in questions]
        for questions in episodes
    ]


def compared(states: Sequence[Sequence[str]]) -> list[list[bool]]:
    """For each step, whether another episode of the group has one in its state."""
    visitors = Counter(state for visited in states for state in set(visited))
    return [[visitors[state] > 1 for state in visited] for visited in states]


def per_state(
    rewards: Sequence[float], states: Sequence[Sequence[str]], *, epsilon: float = EPSILON
) -> list[list[float]]:
    """Layer 1 of one group with the state's mean. `rewards[i]` are of the counted
    episodes, `states[i]` of their steps; zeros where the rewards are all equal, and
    exactly 0 for a step that is alone in its state, or whose state saw one reward
    only."""
    found: dict[str, list[float]] = {}
    for reward, visited in zip(rewards, states, strict=True):
        for state in visited:
            found.setdefault(state, []).append(reward)
    means = {
        state: sum(values) / len(values) if min(values) < max(values) else values[0]
        for state, values in found.items()
    }
    spread = deviation(rewards)
    return [
        [
            (reward - means[state]) / (spread + epsilon) if reward != means[state] else 0.0
            for state in visited
        ]
        for reward, visited in zip(rewards, states, strict=True)
    ]
