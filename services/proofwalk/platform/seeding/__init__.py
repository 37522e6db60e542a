"""A made-up history for an installation that is looked at, and for measurements of its
lists: documents, verifications, findings, inspections, a training run and a fleet of
past weeks.

Nothing of it took place. `documents` has the texts, `history` what happens to them and
when, `walks` turns each walk into rows by the rollout role's own judgement; all three
are pure, and the same seed and moment give the same history. `verifications`,
`findings`, `inspections`, `training` and `fleet` write it through the roles' own stores
before the roles start; `homes` does all of it for one home folder. Next: `homes`.
"""
