"""What is wrong with documents, for those who mend them and for the machines that watch
over them.

`patching` turns a finding into the smallest edit of the document's own source, or says
why none follows from the evidence. `hypotheses` adds what only a walk can speak for,
and `proving` looks for a text that a walk verifies. `source` keeps every other byte,
and `units` proves by reading the patched source again that nothing else changed.
`formats` writes verdicts as continuous integration reads them.
"""
