"""Chinese as a second lexicon: sentences are rewritten into the English that the rules
read."""
