"""The reward service: what the backend's audit log says about an episode.

Read `rules` (the language), `evaluation` (events against a rule) and `domain` (when absence proves something), all pure;
`usecases` polls and stores, `main` wires.
"""
