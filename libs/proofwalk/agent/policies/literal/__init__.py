"""The literal policy: does what a sub-step says, word for word, and needs no model.
Start with `policy`, then `grammar`."""
