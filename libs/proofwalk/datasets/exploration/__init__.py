"""Self-exploration (AliyunConsoleAgent §5.1): a model proposes tasks of its own from a
product's entry page, a policy walks them, and what was seen steers the next proposal.
`rounds` is the loop; `services/proofwalk/cli/explore.py` runs it.
"""
