"""Sign-in to the web console by an identity provider, with OpenID Connect.

The authorization code flow with PKCE, from discovery to a `Person`:

- `settings`: which provider, and who is who. `people` turns a token's claims into a
  principal and a role by them.
- `provider`: what is asked of the provider, each call bounded by `fetching`.
- `key_set`: the provider's public keys, read again when a token names a new one.
- `id_token`: what makes an ID token good. Time, nonce and keys are arguments.

PyJWT and cryptography read tokens and hold signatures against keys; what a token has to
say is held against it here, for it needs the caller's clock.

Invariants: nothing of a token but the claims that `people` reads outlives the request;
no code, token or secret is part of an error's text; a token is never believed for the
algorithm that it names itself. What a browser is bound to is
`web.sign_in_attempts`; the pages are `web.pages.oidc_sign_in`. Next: `provider`.
"""
