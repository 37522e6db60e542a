"""What the cloud does: `operations` is the one way to do anything; state and values are
its lower floors."""
