"""English clauses by an explicit grammar: `words.yaml` is the lexicon, `clause.lark`
the grammar, and `tokens` and `parsing` read with them."""
