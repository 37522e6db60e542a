"""How good the rules are that `proofwalk author` writes. `comparison` holds one beside
the rule of a person, `walked` has documents walked for it."""
