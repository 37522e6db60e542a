"""How a policy reads a page and takes a step on it: `words` compares labels,
`grounding` finds what they name, `form_messages` reads what a form says by itself,
`scene` takes one step, `interruptions` answers what came over the page.
"""
