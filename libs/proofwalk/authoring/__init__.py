"""What a document needs to be proven, written from the document: META and the rule.

META, from the document and what is known of the console and the provider:
`prerequisites` and `tracing` (with the `forms` that a procedure fills in) find the
`things` that must be there, in the words of a `catalogue`; `provider` says which type
makes which kind, `members` which kinds are made as blocks; `templates` writes the
`resources` (with `samples` for what nobody chose), `records` the record, and `mending`
reads what a cloud says against it. `wanted_things` does it for one thing that a walk
lacks.

Who proposes a record is a `writing.Writer`: `catalogue_writer` does the above,
`model_writer` asks a model (`model_question`, with an `excerpt` of what is known).
Whoever it was, `record_reading` reads the record, and `coverage` (on a `layout` of the
needs in it, with `surplus`) holds it against what tracing the document has found.

The rule, from the document and what its walk left in the log: `grounds` tells what says
a value of the log, `opposites` which operations take one back, `rule_proposal` makes
the rule, `rule_proof` shows that it is sharp.
"""
