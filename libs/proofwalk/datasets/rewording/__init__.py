"""Documents said in other words, for samples of walks that are there already.

A policy that learned from one writer's sentences understands that writer. A walk's
actions rest on what a sentence asks for, not on how it says it: so the same recorded
step can be asked with the sentence said otherwise, as often as there are ways. `frames`
has what is said and the ways, in English and in Chinese, as data; `sentences` applies
them, and leaves a clause as it is that no frame has.
"""
