"""What generates: one protocol (`engine`) and its implementations, one module each.
torch is loaded by `embedded` alone."""
