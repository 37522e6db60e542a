"""A recipe taught to a model, stage by stage: start with `recipe` and `pipeline`."""
