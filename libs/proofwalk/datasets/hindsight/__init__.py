"""Hindsight reasoning (EvoCUA §5.1, App. B): a model writes the thought of each step of
a verified walk, whose next action and result are known.

Start with `schemata` (which kind of thought a step asks for), then `questions` (what
the model is told), `horizon` and `thought_checks` (what a thought may say), `writer`
(one step), `runs` (a collection, with bounds), `thought_files` (what is kept).
"""
