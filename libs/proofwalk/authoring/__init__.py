"""What a document needs to be proven, written from the document: META and the rule.

META, from the document and what is known of the console and the provider:
`prerequisites` and `tracing` find the `things` that must be there, in the words of a
`catalogue`; `provider` says which type makes which kind; `templates` writes the
`resources` (with `samples` for what nobody chose), `records` the record, and `mending`
reads what a cloud says against it. `wanted_things` does it for one thing that a walk
lacks.

The rule, from the document and what its walk left in the log: `grounds` tells what says
a value of the log, `opposites` which operations take one back, `rule_proposal` makes
the rule, `rule_proof` shows that it is sharp.
"""
