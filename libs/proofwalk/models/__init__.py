"""Asking a language model, whoever asks: policies, judges, explorers. Start with
`client` (messages in, one completion out), then `asking`; `endpoint` and `inference`
answer, `connection` opens them from `settings`."""
