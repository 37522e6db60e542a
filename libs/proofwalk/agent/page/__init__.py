"""How a policy reads a page: `words` compares labels, `grounding` finds what they name, `interruptions` answers what came over it."""
