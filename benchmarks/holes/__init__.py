"""What attacks on Proofwalk come to, measured: one module for each kind of hole, each with `measure()`."""
