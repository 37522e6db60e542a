"""The scripted policy: plays a script of moves, aligned with the document's sub-steps.
The oracle of suites."""
