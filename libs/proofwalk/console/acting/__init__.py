"""Actions done as a person does them. `hands` has an entry for each; the other modules
hold the ways."""
