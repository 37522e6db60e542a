"""How far orders get that others write where a model reads them."""
