"""The loop of observation, reasoning and action, and the policies that decide in it.
Start with `core`; `choosing` makes a policy by its name."""
