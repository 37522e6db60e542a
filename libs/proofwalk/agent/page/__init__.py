"""How a policy reads a page and takes a step on it. `words` compares labels,
`grounding` finds the elements that they name, `form_messages` reads a form's own
messages, `scene` takes one step, `interruptions` answers what comes over the page."""
