"""Forms of words, and the subjects and verbs that are found by them."""

from __future__ import annotations

import pytest

from proofwalk.agent.policies.literal.finite_verbs import full_verb, has_bare_subject
from proofwalk.agent.policies.literal.prose import why_prose
from proofwalk.agent.policies.literal.remainders import may_be_imperative
from proofwalk.agent.reading.english.word_forms import WordForm, forms_of, verbs_of

_VERBS = """
archive assign attach back bind book bring call cancel caption chart clone close copy
credential deploy deprovision discard drain drop edit embed enrol export favour filter flag
flush focus fork grant group hold import invite keep label link list mention merge mount
move mute name partition patch ping pin plan point pool position power press provision purge
push question reboot rebase record release remount rename report request reset restart retry
revoke route schedule screenshot sign snooze sort split stage star start station stop store
subscribe suspend swap sync tag test text track transfer transition trigger trim trust
unarchive unmount unmute untick update upvote version void watch whitelist wipe zip
"""


def test_a_word_may_have_several_forms() -> None:
    assert forms_of("lists") == {WordForm.PLURAL, WordForm.THIRD}
    assert forms_of("Open") == {WordForm.BASE, WordForm.MODIFIER}
    assert forms_of("kept") == {WordForm.PARTICIPLE}
    assert forms_of("kegs") == {WordForm.PLURAL}
    assert forms_of("frobnicate") == frozenset()


@pytest.mark.parametrize("word", ["untick", "unmount", "reboot", "deprovision"])
def test_a_prefix_makes_a_verb_of_a_verb(word: str) -> None:
    assert forms_of(word) == {WordForm.BASE}


def test_a_form_tells_its_verb() -> None:
    assert verbs_of("Planted") == {"plant"}
    assert verbs_of("kept") == {"keep"}
    assert verbs_of("frobnicated") == frozenset()


@pytest.mark.parametrize("verb", _VERBS.split())
def test_no_imperative_becomes_a_fact(verb: str) -> None:
    told = {"credential", "text", "version", "favour"}  # nouns, where no article follows
    for rest in ("the ramp", "your keys and logs", "it"):
        assert why_prose(f"{verb.capitalize()} {rest}.", opens=True) == ""
    for rest in (
        "pods nobody needs",
        "old tickets",
        "tickets that need a reply",
        "runs older than a week",
        "names Jorge has",
        "unsaved changes",
        "whatever has no place",
    ):
        if verb not in told:
            assert may_be_imperative(verb)
            assert why_prose(f"{verb.capitalize()} {rest}.", opens=True) == ""


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Archived flags keep serving.", True),
        ("Half days count as half.", True),
        ("Quillmark keeps every revision.", True),
        ("Access requires a key.", True),
        ("Names cannot contain spaces.", True),
        ("Values that are used twice count once.", True),
        ("Delete pools Jorge owns.", False),
        ("Cancel scheduled runs.", False),
        ("Review names the owner has.", False),
        ("Rename whatever needs a name.", False),
        ("To pools.", False),
        ("Names", False),
    ],
)
def test_a_subject_without_an_article_has_its_verb(text: str, verb: bool) -> None:
    assert has_bare_subject(text) is verb


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("The deal now sits in the list.", "sits"),
        ("Runners of the free tier sleep at night.", "sleep"),
        ("The deals to keep stand there.", "stand"),
        ("The deal is kept.", ""),
        ("The kennel.", ""),
    ],
)
def test_the_first_verb_of_a_subject(text: str, verb: str) -> None:
    found = full_verb(text)
    assert (found.group() if found else "") == verb
