"""What a look becomes: reports of documents assembled to an observation, marks,
changes, text for a model."""
