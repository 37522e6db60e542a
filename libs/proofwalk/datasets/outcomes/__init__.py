"""Labelled outcomes of walks: what an outcome reward model learns from (WebRL §2.1,
B.3).

Mechanism, in the order in which data passes: `cases` puts a collected walk together as
what a judge may see; `changes` makes walks that failed, and others that did not, by
changing the document, the names or the end of a verified one, each with its rule;
`labelling` asks the rule about each over the walk's own audit events, splits by whole
tasks and balances the answers; `questions` writes the prompt. Next: `rl.outcome_model`.
"""
