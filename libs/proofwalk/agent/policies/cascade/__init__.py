"""The policy that asks a model only where the literal policy is unsure. See `policy`;
`budget` bounds what it may ask."""
