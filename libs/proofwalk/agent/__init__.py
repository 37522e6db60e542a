"""The loop of observation, reasoning and action, and the policies that decide in it. Start with `policy`, then `walk`."""
