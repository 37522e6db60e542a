"""From a document and what its walk left in the log: the rule that proves the next
walk.

`grounds` tells what says a value of the log, `opposites` which operations take one
back, `rule_proposal` makes the rule, `rule_proof` shows that it is sharp.
"""
