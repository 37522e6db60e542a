"""Turns a look into an observation: assembles the reports of documents, draws marks,
describes changes, writes text for a model."""
