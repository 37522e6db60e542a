"""The console as a Gymnasium environment: tasks, episodes, the synchronous
`ConsoleEnv`, MiniWoB++, BrowserGym both ways.

    gymnasium.make("proofwalk.gym.plugin:proofwalk/Console-v0", task="miniwob.click-test")

or `register()` once and then `gymnasium.make("proofwalk/Console-v0", …)`. Importing
this package registers nothing: only `plugin` does, whose import is an order to do so.
Inside everything is asynchronous (`episode.ConsoleEpisode`); `env.ConsoleEnv` drives it
from a thread. Reading order: `tasks` (what a task is), `episode` (reset, step,
outcomes), `renewal` (resets that keep the context), `env`, `miniwob`, `browsergym`.
"""

from proofwalk.gym.registration import ENV_ID, register

__all__ = ["ENV_ID", "register"]
