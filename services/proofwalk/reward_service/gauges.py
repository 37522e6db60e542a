"""What the reward service counts about judging by models.

Agreement is `judged_success` and `judged_failure` among all judgements; how often a
family is alone with its verdict shows in its answers.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram


class JudgeMetrics:
    """Metrics on a registry that is passed in. Families are a closed set: the two that
    are configured."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.judgements = Counter(
            "proofwalk_reward_service_model_judgements",
            "Judgements by models.",
            ("decision",),
            registry=registry,
        )
        self.answers = Counter(
            "proofwalk_reward_service_judge_answers",
            "What judges answered.",
            ("family", "verdict"),
            registry=registry,
        )
        self.malformed = Counter(
            "proofwalk_reward_service_judge_malformed",
            "Answers that could not be used.",
            ("family",),
            registry=registry,
        )
        self.tokens = Counter(
            "proofwalk_reward_service_judge_tokens",
            "Tokens of questions and answers.",
            ("family", "direction"),
            registry=registry,
        )
        self.cost = Counter(
            "proofwalk_reward_service_judge_cost",
            "Price of what was asked.",
            ("family", "currency"),
            registry=registry,
        )
        self.seconds = Histogram(
            "proofwalk_reward_service_judge_seconds",
            "Seconds until a judge's answer, repeats included.",
            ("family",),
            buckets=(1, 2, 5, 10, 20, 40, 80, 160, 320),
            registry=registry,
        )
