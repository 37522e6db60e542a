"""The product file as models: what a product shows, accepts, refuses and answers.

A file has two audiences. The browser gets menus, fields, forms, actions and tabs; keys
named `api` and `lifecycle` are for the backend alone and are stripped by
`catalogue.public`. An operation is declared where the console uses it (`api:` on
`list`, `detail`, `create` or an action); a plain string there refers to one declared
elsewhere; those that no console node uses stand in the resource's or the product's
`api.operations`. Models check the shape of one file; `catalogue` checks what refers to
what.

Reading order: `nodes`, `fields`, `operations`, `pages`, `resources`, `products`.
"""
