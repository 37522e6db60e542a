"""For `gymnasium.make("proofwalk.gym.plugin:proofwalk/Console-v0", …)`: Gymnasium
imports the module before the colon.

Its import registers the environment, which is what a module in that place is imported
for; nothing else imports it.
"""

from proofwalk.gym.registration import register

register()
