"""Actions done the way a person does them: `hands` has an entry for each, the other
modules the ways."""
