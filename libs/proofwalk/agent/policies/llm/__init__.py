"""The policy that asks a model: any endpoint that speaks OpenAI's protocol. Read
`policy` first, then `context`, `answers` and `endpoint`."""
