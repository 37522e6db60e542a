"""What every policy is and what walks it: start with `policy`, then `walk`. Nothing
here imports a policy."""
