"""The embedded cloud: a console, an OpenAPI and an audit log over declarative product
files.

One world (`world`) holds the resources of many isolated accounts; one dispatch
(`operations`) is the only way to change it, whether the call came from the browser
(`console_api`) or from a signed SDK request (`openapi`); each dispatch leaves one
ActionTrail event (`audit`). What exists, how it is validated and how it answers is
data: `products/*.yaml`, read by `schema` and `catalogue`. Start reading at
`operations`; `main.run` wires everything.
"""
