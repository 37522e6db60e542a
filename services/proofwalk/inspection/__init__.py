"""Inspects collections of documents: plans what is due, asks rollout for the walks,
keeps every outcome."""
