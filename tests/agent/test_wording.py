"""The sentence of each kind of finding, and what never stands in one."""

from __future__ import annotations

import re

import pytest

from proofwalk.agent.page import wording
from proofwalk.agent.page.differences import InFront
from proofwalk.agent.page.wording import Wanted
from proofwalk.agent.policies.literal.substeps import read_procedure
from proofwalk.agent.reading.intents import Intent
from tests.agent import chinese_sentences, other_sentences, vendor_sentences
from tests.agent.documents import procedure

VPCS = InFront(name="VPCs")
CREATE = InFront(name="Create disk", dialog=True)
_OF_A_READING = {"row", "entry", "thing", "picture", "words", "until", "arrow", "form"}
"""Nouns by which a reading tells its intents apart."""
SENTENCES = [
    text
    for text, _ in (
        *vendor_sentences.SENTENCES,
        *other_sentences.SENTENCES,
        *chinese_sentences.SENTENCES,
    )
]


def intents_of(text: str) -> list[Intent]:
    return [intent for reading in read_procedure(procedure(text)) for intent in reading.intents]


def wanted(
    text: str, label: str = "", *, place: InFront = VPCS, noun: str = "", at: int = -1
) -> Wanted:
    """What the last intent of a document's sentence asks for, or the one at `at`."""
    intent = intents_of(text)[at]
    return Wanted(intent=intent, label=label or intent.label, place=place, noun=noun)


def test_a_control_that_is_called_otherwise() -> None:
    create = wanted("Click **Create VPC**.", noun="button")
    assert wording.absent(create, instead="Create network") == (
        "The document says to click “Create VPC”. On the page “VPCs” there is no such button;"
        " “Create network” stands there."
    )


@pytest.mark.parametrize(
    ("text", "label", "noun", "told"),
    [
        (
            "Click **Stop**.",
            "",
            "",
            "The document says to click “Stop”. On the page “VPCs” nothing has this name.",
        ),
        (
            "Click the **Disks** tab.",
            "",
            "tab",
            "The document says to open the tab “Disks”. On the page “VPCs” there is no such tab.",
        ),
        (
            "Enter `40` in the **Size** field.",
            "",
            "field",
            "The document says to set “Size” to “40”. On the page “VPCs” there is no such field.",
        ),
        (
            "In the **Tags** section, click **Add**.",
            "Tags",
            "section",
            "The document speaks of the section “Tags”. On the page “VPCs” there is no such"
            " section.",
        ),
        (
            "Select **Terms of Service**.",
            "Terms of Service",
            "entry",
            "The document says to choose “Terms of Service”. On the page “VPCs” nothing has this"
            " name.",
        ),
    ],
)
def test_what_is_not_there(text: str, label: str, noun: str, told: str) -> None:
    assert wording.absent(wanted(text, label, noun=noun)) == told


def test_a_thing_without_a_name_is_described_and_never_quoted() -> None:
    box = wanted("Select the check box of the instance.", "check box")
    assert box.words == ""
    assert wording.absent(box) == (
        "The document speaks of a check box. On the page “VPCs” nothing answers to that."
    )
    its_id = wanted("Click **Stop**.", "the ID of the pump")
    assert its_id.opening == "The document speaks of the ID of the pump."
    # What the writer has set in bold is a name, whatever it says.
    assert (
        wanted("Click Your Apps.", "Your Apps").opening == "The document says to click “Your Apps”."
    )
    assert wanted("Click **Row**.").opening == "The document says to click “Row”."


def test_words_of_a_reading_are_not_told_as_the_documents() -> None:
    read = wanted("Set **Retention** to `1`.", "Retention period")
    assert (read.words, read.opening) == (
        "",
        "The sentence is read as speaking of “Retention period”.",
    )


def test_a_form_that_goes_on_under_another_name() -> None:
    order = wanted("Click **Confirm Order**.", place=CREATE)
    assert wording.form_goes_on(order, "Pay now") == (
        "The document says to click “Confirm Order”. In the dialog “Create disk” there is no such"
        " button; the form goes on with “Pay now”."
    )


def test_what_the_navigation_lacks_or_has_elsewhere() -> None:
    text = "In the left-side navigation pane, choose **Network** > **VPCs**."
    vpcs = wanted(text)
    assert wording.not_in_navigation(vpcs, instead="Networks") == (
        "The document says to open “VPCs”. The navigation has no such entry; “Networks” stands"
        " there."
    )
    assert wording.moved(vpcs, way="Network > VPCs", parent="Network", under="Cloud") == (
        "The document gives the way “Network > VPCs”. In the navigation, “VPCs” stands under"
        " “Cloud”."
    )
    assert wording.moved(vpcs, way="", parent="Network", under="Cloud") == (
        "The document looks for “VPCs” under “Network”. In the navigation, it stands under “Cloud”."
    )
    assert wording.arrow_moved(wanted("Click **Delete**."), beside="Edit") == (
        "The document speaks of the arrow beside “Delete”. On the page “VPCs” the arrow is beside"
        " “Edit”, and “Delete” is in its menu."
    )


def test_a_value_that_is_not_so() -> None:
    text = "Select **Basic** from the **Category** drop-down list."
    basic = wanted(text, "Basic", place=CREATE)
    assert wording.not_offered(basic, field="Category", choices=["ESSD", "Ultra"]) == (
        "The document says to set “Category” to “Basic”. The field “Category” in the dialog"
        " “Create disk” does not offer this value; it offers “ESSD”, “Ultra”."
    )
    alone = wanted("Select **Basic**.", "Basic")
    assert wording.not_offered(alone, field="", choices=["ESSD"]) == (
        "The document says to choose “Basic”. On the page “VPCs” this is not offered; offered are"
        " “ESSD”."
    )
    assert wording.set_otherwise(basic, field="Category", shown="ESSD") == (
        "The document says that “Category” is “Basic”. In the dialog “Create disk” it is set to"
        " “ESSD”."
    )
    told = wording.refused(CREATE, field="Name", value="a b", complaint="No spaces.")
    assert told == (
        "The document says to set “Name” to “a b”. In the dialog “Create disk” the console refuses"
        " this value: No spaces."
    )


def test_what_the_document_leaves_out_is_told_as_an_omission() -> None:
    assert wording.demanded(CREATE, label="Security group", complaint="It is required.") == (
        "The document leaves something out: in the dialog “Create disk”, the console demands"
        " “Security group”, which the document does not mention. The console says: It is required."
    )
    assert wording.demanded(InFront(), label="Zone", complaint="") == (
        "The document leaves something out: the console demands “Zone”, which the document does"
        " not mention."
    )


def test_an_outcome_that_does_not_come() -> None:
    assert wording.other_status(VPCS, status="Stopped", shown=["Running"], row="") == (
        "The document says that the status is “Stopped” then. On the page “VPCs” it is “Running”."
    )
    assert wording.other_status(VPCS, status="Stopped", shown=[], row="a | b") == (
        "The document says that the status is “Stopped” then. On the page “VPCs” the list shows:"
        " a | b."
    )
    assert wording.other_status(VPCS, status="Stopped", shown=[], row="") == (
        "The document says that the status is “Stopped” then. On the page “VPCs” it is not to be"
        " seen."
    )
    assert wording.not_listed(VPCS, name="web-1") == (
        "The document says that “web-1” is in the list then. On the page “VPCs” the list does not"
        " show it."
    )


def test_what_has_to_be_so_first_is_told_as_a_precondition() -> None:
    assert wording.unusable("Release", reason="Stop it first.") == (
        "“Release” is there and cannot be used yet; the console says “Stop it first.”",
        "this is a precondition that no step of the document brings about",
    )
    assert wording.unusable("Release", reason="")[1] == (
        "something has to be so first that no step of the document brings about; the console does"
        " not say what"
    )
    told, remedy = wording.not_in_state("Disk", "d-1", choices=["d-2"])
    assert told == "“Disk” does not offer “d-1”, which was prepared; it offers “d-2”"
    assert remedy == (
        "this is a precondition: “d-1” has to be in the state in which “Disk” offers it"
    )
    assert wording.taken_for_granted("running instance", why="there is none") == (
        "the document takes for granted that there is a running instance; there is none"
    )
    assert wording.taken_for_granted("its ID", why="there is none") == (
        "the document takes for granted that there is what this sentence speaks of; there is none"
    )
    assert wording.nothing_to_choose("Zone") == (
        "“Zone” offers nothing to choose from: what it lists has to exist before this step"
    )


def test_several_things_of_one_name() -> None:
    assert wording.several("Stop", places=["", "i-1", "i-2"], count=3) == (
        "there are 3 equal controls called “Stop” (“i-1”, “i-2”); the sentence does not say which"
        " is meant"
    )


def test_what_is_told_as_asked_stands_in_the_sentence_and_quotes_no_noun_of_a_reading() -> None:
    wanted_things = [
        Wanted(intent=intent, label=label, place=VPCS, noun=intent.noun)
        for text in SENTENCES
        for intent in intents_of(text)
        for label in (*intent.path, intent.value or "", intent.phrase, *_places(intent))
        if label
    ]
    assert len(wanted_things) > len(SENTENCES)
    for one in wanted_things:
        assert one.words in one.intent.origin.sentence
        message = wording.absent(one, instead="Other")
        quoted = re.findall("“(.*?)”", message)
        assert not _OF_A_READING & {*quoted}, message
        assert not re.search(rf"no such (?:{'|'.join(_OF_A_READING)})\b", message), message


def _places(intent: Intent) -> tuple[str, ...]:
    return tuple(scope.label for scope in intent.scopes)
