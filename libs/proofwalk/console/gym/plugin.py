"""For `gymnasium.make("proofwalk.console.gym.plugin:proofwalk/Console-v0", …)`: Gymnasium imports the module before the colon.

Its import registers the environment, which is what a module in that place is imported for; nothing else imports it.
"""

from proofwalk.console.gym.registration import register

register()
