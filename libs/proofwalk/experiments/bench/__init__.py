"""Runs of a suite: `running` does them, `journal` keeps them, `proof` and `page` say
what came of them."""
