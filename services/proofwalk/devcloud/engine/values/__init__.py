"""Values: templates, made values, choices, parameters and fields, and whether values
may stand."""
