"""Samples of a recorded walk whose document is said in other words.

The steps, their pages and what was answered stay; the document in the question changes.
A question that is the same all the same (a layout may show one sub-step alone, and of
that no frame had a clause) is not asked twice. Walks that gave up or found something
are left out: their answers quote the document. Next: `sentences`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofwalk.datasets.chat_samples import ChatSample
from proofwalk.datasets.rewording.sentences import reworded
from proofwalk.datasets.samples import EpisodeSamples, Recipe, document_digest, samples_of
from proofwalk.datasets.step_actions import gave_up


def reworded_samples(made: EpisodeSamples, recipe: Recipe) -> Iterator[ChatSample]:
    """Further samples of an episode, in up to `recipe.wordings` other wordings of its
    document; each names the digest of the document in these words."""
    episode = made.episode
    if not made.samples or episode.notes.finding is not None or gave_up(episode.steps):
        return
    asked = {(sample.step, sample.messages) for sample in made.samples}
    for number in range(1, recipe.wordings + 1):
        procedure = reworded(
            episode.procedure,
            language=episode.task.language,
            seed=f"{episode.about.episode_id}/{number}",
        )
        text = "\n".join(substep.text for substep in procedure.substeps)
        again = samples_of(replace(episode, procedure=procedure), recipe, verdicts=made.verdicts)
        for sample in again.samples:
            if (sample.step, sample.messages) not in asked:
                asked.add((sample.step, sample.messages))
                yield replace(sample, document=document_digest(text))
