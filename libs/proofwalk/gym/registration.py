"""Puts the environment into Gymnasium's registry, when asked.

Gymnasium 1.4 reads no entry points, so nothing can register itself by being installed:
call `register`, or name the module in the id.
"""

from __future__ import annotations

import gymnasium

ENV_ID = "proofwalk/Console-v0"


def register() -> None:
    """Register `proofwalk/Console-v0`; a second call changes nothing.

    It is declared nondeterministic: a seed fixes the task's instance and the page that
    it makes, but pages run on the wall clock, and each episode has a trace id of its
    own. Step limits are the episode's own, so Gymnasium adds none.
    """
    if ENV_ID in gymnasium.registry:
        return
    gymnasium.register(id=ENV_ID, entry_point="proofwalk.gym.env:ConsoleEnv", nondeterministic=True)
