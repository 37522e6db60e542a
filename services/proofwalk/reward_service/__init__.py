"""The reward service: what came of an episode, by the backend's audit log, or by two
models where no rule exists.

Read `rules` (the language), `clauses` (events against a clause), `evaluation` (events
against a rule) and `domain` (when absence proves something), all pure; `usecases` polls
and stores, `judges` asks two models, `main` wires.
"""
