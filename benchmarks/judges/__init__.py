"""`make bench-judges`: what two judges that err make of labelled trajectories.

`trajectories` makes them so that the truth is known, `erring` serves judges that are
wrong at known rates, `theory` says what their consensus should come to, and `__main__`
asks the reward service's panel about each and holds one against the other.
"""
