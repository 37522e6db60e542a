"""`make bench-orm`: how often an outcome reward model is right about walks that it has
not learned from.

`proofwalk data outcomes` writes the questions, `train` trains on them, `scores` asks a
checkpoint, `figures` counts, `cue` is the baseline that looks at the page alone, and
`__main__` writes the result.
"""
