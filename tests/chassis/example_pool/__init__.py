"""A role in miniature, with the rooms of a real one: the chassis' worked example, and
what its tests run."""
