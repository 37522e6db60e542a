"""The rollout role: verifications, and the episodes that they are made of. Start with
`domain`, then `episode`."""
